package bizppurio_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// mailbox is the polling side of the vendor without a network: entries come
// again until they are confirmed.
type mailbox struct {
	entries   []string // MSGIDs
	polls     []time.Time
	confirmed []string
	fault     func(path string) *http.Response
}

func (m *mailbox) roundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/v1/token" {
		return respond(r, 200, `{"accesstoken":"t"}`), nil
	}
	if m.fault != nil {
		if resp := m.fault(r.URL.Path); resp != nil {
			resp.Request = r
			return resp, nil
		}
	}
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/v1/result/confirm" {
		var in struct {
			Account string
			MsgID   []struct{ MsgID string }
		}
		if json.Unmarshal(body, &in) != nil || in.Account != "acct01" || len(in.MsgID) > 1000 {
			return respond(r, 400, `{"code":2000}`), nil //nolint:nilerr // the vendor answers
		}
		for _, e := range in.MsgID {
			m.confirmed = append(m.confirmed, e.MsgID)
			m.entries = slices.DeleteFunc(m.entries, func(id string) bool { return id == e.MsgID })
		}
		return respond(r, 200, `{"code":1000}`), nil
	}
	m.polls = append(m.polls, time.Now())
	var list []string
	for _, id := range m.entries[:min(len(m.entries), 1000)] {
		list = append(list, fmt.Sprintf(`{"device":"SMS","cmsgid":"c","msgid":%q,"phone":"01000000000","media":"SMS","unixtime":"1777456620","result":"4100","refkey":"r"}`, id))
	}
	plain := `{"code":"1000","report":[` + strings.Join(list, ",") + `]}`
	if r.Header.Get("Accept-Encoding") != "gzip" {
		return respond(r, 200, plain), nil
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(plain))
	_ = w.Close()
	resp := respond(r, 200, zipped.String())
	resp.Header.Set("Content-Encoding", "gzip")
	return resp, nil
}

func ids(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("m-%d", i))
	}
	return all
}

// TestConsumeReports: in order, all of it, confirmed; full batches follow each
// other at once, then it rests.
func TestConsumeReports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mailbox{entries: ids(2500)}
		c := stubbed(t, bizppurio.Config{}, m.roundTrip)
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		err := c.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
			if got = append(got, r.MessageID); len(got) == 2500 {
				time.AfterFunc(time.Minute, cancel)
			}
			return nil
		})
		if err != ctx.Err() || !errors.Is(err, context.Canceled) { //nolint:errorlint // documented to be just that
			t.Errorf("ConsumeReports = %v, want %v", err, ctx.Err())
		}
		if !slices.Equal(got, ids(2500)) || !slices.Equal(m.confirmed, got) {
			t.Errorf("handled %d, confirmed %d, want 2500 in order", len(got), len(m.confirmed))
		}
		if m.polls[2].Sub(m.polls[0]) != 0 {
			t.Errorf("full batches were %v apart", m.polls[2].Sub(m.polls[0]))
		}
		// A minute of nothing: 1 to 5 s apart.
		for i := 3; i < len(m.polls)-1; i++ {
			if d := m.polls[i+1].Sub(m.polls[i]); d < time.Second || d > 5*time.Second {
				t.Errorf("polls %d and %d are %v apart, want 1 to 5 s", i, i+1, d)
			}
		}
		if n := len(m.polls); n < 12 || n > 60 {
			t.Errorf("polls = %d", n)
		}
	})
}

// TestConsumeReports_failing: what handle refused is not confirmed, comes
// again, and does not hold up the rest.
func TestConsumeReports_failing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mailbox{entries: ids(5)}
		c := stubbed(t, bizppurio.Config{}, m.roundTrip)
		ctx, cancel := context.WithCancel(t.Context())
		tries := map[string]int{}
		_ = c.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
			tries[r.MessageID]++
			if r.MessageID == "m-2" && tries["m-2"] < 4 {
				return errors.New("not now")
			}
			if len(m.entries) == 1 && tries["m-2"] == 4 {
				defer cancel() // and still it is confirmed
			}
			return nil
		})
		if len(m.entries) != 0 || len(m.confirmed) != 5 {
			t.Errorf("left %v, confirmed %v, want all five", m.entries, m.confirmed)
		}
		for id, n := range tries {
			if want := map[bool]int{true: 4, false: 1}[id == "m-2"]; n != want {
				t.Errorf("%s was handled %d times, want %d", id, n, want)
			}
		}
	})
}

// TestConsumeReports_faults: lost confirmations and ill polls lose nothing;
// while nothing gets through the pauses grow to 30 s.
func TestConsumeReports_faults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		m := &mailbox{entries: ids(3)}
		var tries []time.Time
		m.fault = func(path string) *http.Response {
			switch since := time.Since(begun); {
			case path == "/v1/result/request" && since < 5*time.Minute:
				tries = append(tries, time.Now())
				return respond(nil, 502, "<html>")
			case path == "/v1/result/confirm" && since < 10*time.Minute:
				return respond(nil, 500, "")
			}
			return nil
		}
		cfg := bizppurio.Config{}
		cfg.Breaker.Failures = 1 << 30
		c := stubbed(t, cfg, m.roundTrip)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		handled := map[string]int{}
		err := c.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
			handled[r.MessageID]++
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ConsumeReports = %v, want the deadline", err)
		}
		if len(m.entries) != 0 || len(handled) != 3 || handled["m-0"] < 2 {
			t.Errorf("left %v, handled %v, want none left and each seen again", m.entries, handled)
		}
		longest := time.Duration(0)
		for i := range tries[1:] {
			longest = max(longest, tries[i+1].Sub(tries[i]))
		}
		if longest < 27*time.Second || longest > 30*time.Second {
			t.Errorf("longest pause = %v, want about 30s", longest)
		}
	})
}

// TestConsumeReports_pauses: from 1 s upwards, and no longer than 5 s once
// there is an answer, whatever came before.
func TestConsumeReports_pauses(t *testing.T) {
	t.Parallel()
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			m := &mailbox{}
			m.fault = func(string) *http.Response {
				if since := time.Since(begun); since > 10*time.Second && since < 5*time.Minute {
					return respond(nil, 502, "<html>")
				}
				return nil
			}
			cfg := bizppurio.Config{}
			cfg.Breaker.Failures = 1 << 30
			c := stubbed(t, cfg, m.roundTrip)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			_ = c.ConsumeReports(ctx, func(context.Context, report.Report) error { return nil })
			for i, next := range m.polls[1:] {
				d := next.Sub(m.polls[i])
				if ill := next.Sub(begun) > 5*time.Minute && m.polls[i].Sub(begun) < 5*time.Minute; !ill && (d < time.Second || d > 5*time.Second) {
					t.Errorf("polls %d and %d are %v apart, want 1 to 5 s", i, i+1, d)
				}
			}
		})
	}
}

// inbox is a vendor's polling side with entries as they are given, of which
// MSGIDs may repeat.
type inbox struct {
	polls     []time.Time
	entries   func() []string // what a poll returns
	confirmed [][]string      // MSGIDs of each confirmation
	confirm   func(*http.Request) error
}

func (b *inbox) roundTrip(r *http.Request) (*http.Response, error) {
	switch r.URL.Path {
	case "/v1/token":
		return respond(r, 200, `{"accesstoken":"t"}`), nil
	case "/v1/result/confirm":
		if b.confirm != nil {
			if err := b.confirm(r); err != nil {
				return nil, err
			}
		}
		var in struct{ MsgID []struct{ MsgID string } }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}
		var got []string
		for _, e := range in.MsgID {
			got = append(got, e.MsgID)
		}
		b.confirmed = append(b.confirmed, got)
		return respond(r, 200, `{"code":1000}`), nil
	}
	b.polls = append(b.polls, time.Now())
	return respond(r, 200, `{"code":1000,"report":[`+strings.Join(b.entries(), ",")+`]}`), nil
}

func (b *inbox) all() []string { return slices.Concat(b.confirmed...) }

// TestConsumeReports_sharedID: an MSGID is confirmed once all of its entries
// in the batch were taken, and once only.
func TestConsumeReports_sharedID(t *testing.T) {
	t.Parallel()
	entries := []string{
		`{"msgid":"m","media":"KAT","result":"7204"}`, `{"msgid":"n","media":"SMS","result":"4100"}`,
		`{"media":"SMS","result":"4100"}`, `{"msgid":"m","media":"SMS","result":"4100"}`,
	}
	tests := []struct {
		name   string
		handle func(n int, r report.Report, cancel func()) error // n counts calls
		first  []string                                          // confirmed after the first batch
		all    []string
	}{
		{"all taken", func(int, report.Report, func()) error { return nil }, []string{"n", "m"}, []string{"n", "m"}},
		{"the second refused once", func(n int, _ report.Report, _ func()) error {
			if n == 4 {
				return errors.New("not now")
			}
			return nil
		}, []string{"n"}, []string{"n", "m"}},
		{"the first refused once", func(n int, _ report.Report, _ func()) error {
			if n == 1 {
				return errors.New("not now")
			}
			return nil
		}, []string{"n"}, []string{"n", "m"}},
		{"the second never handed over", func(n int, _ report.Report, cancel func()) error {
			if n == 2 {
				cancel()
			}
			return nil
		}, []string{"n"}, []string{"n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &inbox{}
				b.entries = func() (left []string) {
					for _, e := range entries {
						if !slices.ContainsFunc(b.all(), func(id string) bool { return strings.Contains(e, `"msgid":"`+id+`"`) }) {
							left = append(left, e)
						}
					}
					return left
				}
				c := stubbed(t, bizppurio.Config{}, b.roundTrip)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				n := 0
				_ = c.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
					n++
					return tt.handle(n, r, cancel)
				})
				if len(b.confirmed) == 0 || !slices.Equal(b.confirmed[0], tt.first) || !slices.Equal(b.all(), tt.all) {
					t.Errorf("confirmed %v, want %v first and %v in all", b.confirmed, tt.first, tt.all)
				}
			})
		})
	}
}

// TestConsumeReports_again: a vendor that hands out what was confirmed is not
// polled without a pause.
func TestConsumeReports_again(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 1000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var list []string
				for _, id := range ids(n) {
					list = append(list, `{"msgid":"`+id+`","media":"SMS","result":"4100"}`)
				}
				b := &inbox{}
				b.entries = func() []string {
					if len(b.polls) > 8 {
						for i := range list { // news
							list[i] = strings.Replace(list[i], `"m-`, `"m-m-`, 1)
						}
					}
					return list
				}
				c := stubbed(t, bizppurio.Config{}, b.roundTrip)
				ctx, cancel := context.WithCancel(t.Context())
				handled := 0
				_ = c.ConsumeReports(ctx, func(context.Context, report.Report) error {
					if handled++; handled == 11*n {
						cancel()
					}
					return nil
				})
				for i, next := range b.polls[1:] {
					d := next.Sub(b.polls[i])
					news := i == 0 || i > 7 // the batch before was new
					switch {
					case news && n == 1000 && d != 0:
						t.Errorf("polls %d and %d are %v apart, want none", i, i+1, d)
					case news && n == 1 && (d < time.Second || d > 2*time.Second), !news && (d < time.Second || d > 30*time.Second):
						t.Errorf("polls %d and %d are %v apart, want a pause", i, i+1, d)
					}
				}
				if d := b.polls[8].Sub(b.polls[7]); d < 25*time.Second {
					t.Errorf("the last pause without news = %v, want about 30s", d)
				}
			})
		})
	}
}

// TestConsumeReports_endsWhileConfirming: what was taken is confirmed though
// ctx ends meanwhile, within 5 s.
func TestConsumeReports_endsWhileConfirming(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		ends      bool          // ctx, when the confirmation is on its way
		takes     time.Duration // the confirmation, 0: for ever
		took      time.Duration
		confirmed int
	}{
		{"quickly", true, time.Second, time.Second, 1},
		{"for ever", true, 0, 5 * time.Second, 0},
		{"slowly, and ctx lives", false, 8 * time.Second, 8 * time.Second, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				b := &inbox{entries: func() []string { return []string{`{"msgid":"m"}`} }}
				var begun time.Time
				var took time.Duration
				b.confirm = func(r *http.Request) error {
					if begun = time.Now(); tt.ends {
						cancel()
					}
					defer func() { took = time.Since(begun); cancel() }()
					var done <-chan time.Time
					if tt.takes > 0 {
						done = time.After(tt.takes) //nolint:forbidigo // virtual
					}
					select {
					case <-r.Context().Done():
						return r.Context().Err()
					case <-done:
						return nil
					}
				}
				c := stubbed(t, bizppurio.Config{}, b.roundTrip)
				err := c.ConsumeReports(ctx, func(context.Context, report.Report) error { return nil })
				if err != ctx.Err() || !errors.Is(err, context.Canceled) { //nolint:errorlint // documented to be just that
					t.Errorf("ConsumeReports = %v, want %v", err, ctx.Err())
				}
				if len(b.confirmed) != tt.confirmed || took != tt.took || time.Since(begun) != tt.took {
					t.Errorf("confirmed %v after %v, want %d after %v", b.confirmed, took, tt.confirmed, tt.took)
				}
			})
		})
	}
}

// TestPoll_spelling: an envelope counts in any case, as report.Decode reads
// it. The answer to a message does not: it decides whether it was sent.
func TestPoll_spelling(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		status     int
		reports    int
		outcome    send.Outcome
		reason     send.Reason
		code       send.Code
	}{
		{"upper case", `{"CODE":"1000","REPORT":[{"MSGID":"m","RESULT":"4100"}]}`, 200, 1, send.Accepted, "", 0},
		{"capital", "\r\n\ufeff {\"Code\":1000,\"Report\":[]}", 200, 0, send.Accepted, "", 0},
		{"null and a code", `{"code":null,"CODE":1000,"REPORT":[]}`, 200, 0, send.Accepted, "", 0},
		{"upper case, refused", `{"CODE":"3004"}`, 400, 0, send.Rejected, send.Refused, 3004},
		{"upper case, too many calls", `{"CODE":5002}`, 429, 0, send.NotSent, send.RateLimited, 5002},
		{"success at 500", `{"CODE":1000}`, 500, 0, send.Unknown, send.BadResponse, 1000},
		{"two codes", `{"code":1000,"CODE":3004,"report":[]}`, 200, 0, send.Unknown, send.BadResponse, 0},
		{"no code", `{"REPORT":[]}`, 200, 0, send.Unknown, send.BadResponse, 0},
		{"an array", `[{"MSGID":"m","RESULT":"4100"}]`, 200, 0, send.Unknown, send.BadResponse, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &plan{next: status(tt.status, tt.body)}
			c := stubbed(t, oneAttempt(), p.roundTrip)
			got, err := c.Poll(t.Context())
			if tt.outcome == send.Accepted {
				if err != nil || len(got) != tt.reports {
					t.Errorf("Poll = %d reports, %v, want %d", len(got), err, tt.reports)
				}
			} else if e := wantError(t, "Poll", err, tt.outcome, tt.reason); e.Code != tt.code {
				t.Errorf("code = %d, want %d", e.Code, tt.code)
			}
		})
	}
	for _, body := range []string{`{"CODE":1000}`, `{"Code":"1000"}`, `{"CODE":"3014"}`} {
		c := stubbed(t, oneAttempt(), (&plan{next: status(200, body)}).roundTrip)
		_, err := c.Send(t.Context(), sms("r"))
		wantError(t, "Send, "+body, err, send.Unknown, send.BadResponse)
		wantError(t, "Confirm, "+body, c.Confirm(t.Context(), []string{"m"}), send.Unknown, send.BadResponse)
	}
}

// TestPoll_encoding: gzip by its names, in any case; only polls ask for it.
func TestPoll_encoding(t *testing.T) {
	t.Parallel()
	const body = `{"code":1000,"report":[{"msgid":"m"}]}`
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, body)
	_ = w.Close()
	tests := []struct {
		encoding, body string
		poll, send     bool // accepted
	}{
		{"gzip", zipped.String(), true, false},
		{"GZIP", zipped.String(), true, false},
		{" Gzip ", zipped.String(), true, false},
		{"x-gzip", zipped.String(), true, false},
		{"X-GZip", zipped.String(), true, false},
		{"identity", body, true, true},
		{"Identity", body, true, false},
		{" ", body, true, false},
		{"", body, true, true},
		{"br", body, false, false},
		{"gzip, gzip", zipped.String(), false, false},
		{"deflate", body, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.encoding, func(t *testing.T) {
			t.Parallel()
			p := &plan{next: func(r *http.Request) (*http.Response, error) {
				resp := respond(r, 200, tt.body)
				resp.Header.Set("Content-Encoding", tt.encoding)
				return resp, nil
			}}
			c := stubbed(t, oneAttempt(), p.roundTrip)
			got, err := c.Poll(t.Context())
			if tt.poll && (err != nil || len(got) != 1) {
				t.Errorf("Poll = %d reports, %v, want 1", len(got), err)
			} else if !tt.poll {
				wantError(t, "Poll", err, send.Unknown, send.BadResponse)
			}
			_, err = c.Send(t.Context(), sms("r"))
			if tt.send && err != nil {
				t.Errorf("Send = %v, want nil", err)
			} else if !tt.send {
				wantError(t, "Send", err, send.Unknown, send.BadResponse)
			}
		})
	}
}

// TestConsumeReports_killed: handled but not confirmed comes again at the next
// start, never lost.
func TestConsumeReports_killed(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	first := newClient(t, s)
	for i := range 20 {
		if _, err := first.Send(t.Context(), sms(fmt.Sprintf("r-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	s.Misbehave(bizppuriotest.Drop().On(bizppuriotest.PathConfirm).Always())
	_ = first.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
		if seen[r.RefKey]++; len(seen) == 7 {
			cancel()
		}
		return nil
	})
	s.Behave()
	second := newClient(t, s)
	ctx, cancel = context.WithCancel(t.Context())
	_ = second.ConsumeReports(ctx, func(_ context.Context, r report.Report) error {
		if seen[r.RefKey]++; len(seen) == 20 {
			cancel()
		}
		return nil
	})
	for i := range 20 {
		key := fmt.Sprintf("r-%d", i)
		if n := seen[key]; i < 7 && n != 2 || n < 1 {
			t.Errorf("%s was handled %d times", key, n)
		}
	}
	if got := s.Reports(); got != 0 {
		t.Errorf("unconfirmed reports = %d, want 0", got)
	}
}

// TestConsumeReports_ends: a refused account, a closed client, and bad
// arguments.
func TestConsumeReports_ends(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	nothing := func(context.Context, report.Report) error { return nil }
	wrong := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Password = "wrong" })
	err := wrong.ConsumeReports(t.Context(), nothing)
	wantError(t, "wrong password", err, send.Rejected, send.Refused)

	c := newClient(t, s)
	wantError(t, "nil function", c.ConsumeReports(t.Context(), nil), send.Rejected, send.Invalid)
	wantError(t, "nil context", c.ConsumeReports(nil, nothing), send.NotSent, send.Canceled) //nolint:staticcheck // what happens is the point
	wantError(t, "zero client", new(bizppurio.Client).ConsumeReports(t.Context(), nothing), send.NotSent, send.Closed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.ConsumeReports(ctx, nothing); err != ctx.Err() { //nolint:errorlint // documented to be just that
		t.Errorf("ConsumeReports with an ended context = %v, want %v", err, ctx.Err())
	}
	done := make(chan error, 1)
	go func() { done <- c.ConsumeReports(t.Context(), nothing) }()
	for s.Requests(bizppuriotest.PathPoll) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("no poll")
		}
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	wantError(t, "closed", <-done, send.NotSent, send.Closed)
}

func TestRequestReport(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithWebhook("http://127.0.0.1:9/"))
	c := newClient(t, s)
	wantError(t, "no key", c.RequestReport(t.Context(), ""), send.Rejected, send.Invalid)
	e := wantError(t, "unknown key", c.RequestReport(t.Context(), "nothing#sms"), send.Rejected, send.Refused)
	if e.Code != 3012 {
		t.Errorf("code = %d, want 3012", e.Code)
	}
}
