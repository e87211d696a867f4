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
			if d := m.polls[i+1].Sub(m.polls[i]); d < 900*time.Millisecond || d > 5*time.Second {
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
