package bizppurio_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
)

// TestLog_send: one line a send, at debug.
func TestLog_send(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		p := &plan{next: turns(status(503, `{"code":5004}`), status(200, accepted), status(400, `{"code":2000}`))}
		cfg := bizppurio.Config{}
		w.watch(&cfg)
		c := stubbed(t, cfg, p.roundTrip)
		for range 2 {
			_, _ = c.Send(t.Context(), sms("r"))
		}
		_ = c.Warm(t.Context())
		want := []string{
			`level=DEBUG msg="bizppurio: send" channel=sms outcome=accepted reason="" code=1000 attempt=2 messagekey=260429185700123#sms027420abcdefgh`,
			`level=DEBUG msg="bizppurio: send" channel=sms outcome=rejected reason=refused code=2000 attempt=1 messagekey=""`,
		}
		var got []string
		for _, l := range w.log.from(slog.LevelDebug) {
			if !strings.Contains(l, "expiry") {
				got = append(got, l)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("log differs (-want +got):\n%s", diff)
		}
	})
}

// TestLog_changes: a warning for each change of state, none for each call.
func TestLog_changes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		day := `{"accesstoken":"t","expired":"20000102080000"}`
		tokens := turns(fails(io.EOF), fails(io.EOF), status(200, day))
		p := &plan{next: ill}
		cfg := oneAttempt()
		cfg.Breaker.Failures = 3
		w.watch(&cfg)
		c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return tokens(r)
			}
			return p.roundTrip(r)
		})
		send := func(n int) {
			for range n {
				_, _ = c.Send(t.Context(), sms("r"))
			}
		}
		warned := func(want ...string) {
			t.Helper()
			got := w.log.from(slog.LevelWarn)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("warnings differ (-want +got):\n%s", diff)
			}
			w.log.mu.Lock()
			defer w.log.mu.Unlock()
			w.log.lines = nil
		}
		send(2) // no token, twice
		warned(`level=WARN msg="bizppurio: token trouble begins" outcome=unknown reason=connection_lost code=0 status=0`)
		send(10) // tokens are back, the vendor is ill
		warned(`level=WARN msg="bizppurio: token trouble is over"`,
			`level=WARN msg="bizppurio: circuit breaker changed" which=send from=closed state=open`)
		for range 3 { // half-open, and open again
			advance(11 * time.Second)
			send(5)
		}
		warned()
		p.set(fine)
		advance(11 * time.Second)
		send(5)
		warned(`level=WARN msg="bizppurio: circuit breaker changed" which=send from=half-open state=closed`)

		p.set(func(r *http.Request) (*http.Response, error) {
			resp := respond(r, 429, `{"code":5002}`)
			resp.Header.Set("RateLimit-Reset", "1")
			return resp, nil
		})
		send(1)
		warned(`level=WARN msg="bizppurio: the vendor's rate limit holds calls" hold=1s`)
		p.set(fine)
		send(5)
		warned()
	})
}

// TestLog_reports: ConsumeReports goes on when reports cannot be had or
// confirmed, and says so once for each change, without a word of them.
func TestLog_reports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		cfg := bizppurio.Config{Retry: engine.Retry{Attempts: 1}}
		w.watch(&cfg)
		polls, confirmations := 0, 0
		m := &mailbox{entries: ids(3), fault: func(path string) *http.Response {
			if path == "/v1/result/confirm" {
				if confirmations++; confirmations <= 3 {
					return respond(nil, 400, `{"code":2000,"description":"m-0"}`)
				}
				return nil
			}
			switch polls++; {
			case polls <= 3:
				return respond(nil, 200, `{"code":1000,"report":"m-0"}`)
			case polls == 5:
				return respond(nil, 200, strings.Repeat(" ", 16<<20+1))
			case polls == 6:
				return respond(nil, 503, `{"code":5004}`)
			}
			return nil
		}}
		c := stubbed(t, cfg, m.roundTrip)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_ = c.ConsumeReports(ctx, func(context.Context, report.Report) error { return nil })
		if len(m.entries) != 0 {
			t.Errorf("left %v, want none", m.entries)
		}
		want := []string{
			`level=WARN msg="bizppurio: report trouble begins" which=poll outcome=unknown reason=bad_response code=1000 status=200`,
			`level=WARN msg="bizppurio: report trouble is over" which=poll`,
			`level=WARN msg="bizppurio: report trouble begins" which=confirm outcome=rejected reason=refused code=2000 status=400`,
			`level=WARN msg="bizppurio: report trouble begins" which=poll outcome=unknown reason=bad_response code=0 status=200`,
			`level=WARN msg="bizppurio: report trouble is over" which=poll`,
			`level=WARN msg="bizppurio: report trouble is over" which=confirm`,
		}
		var got []string
		for _, l := range w.log.from(slog.LevelWarn) {
			if !strings.Contains(l, "expiry") {
				got = append(got, l)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("warnings differ (-want +got):\n%s", diff)
		}
	})
}

// TestLog_reportsEnd: that ctx ended, the Client closed, or the vendor refused
// the account is what ConsumeReports returns, and no trouble.
func TestLog_reportsEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bizppurio.Client, context.CancelFunc){
		"ctx":   func(_ *bizppurio.Client, cancel context.CancelFunc) { cancel() },
		"close": func(c *bizppurio.Client, _ context.CancelFunc) { _ = c.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWitness()
			cfg := bizppurio.Config{}
			w.watch(&cfg)
			c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/v1/token" {
					return respond(r, 200, `{"accesstoken":"t","expired":"20000102080000"}`), nil
				}
				return hang(r)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(time.Second, func() { end(c, cancel) })
			_ = c.ConsumeReports(ctx, func(context.Context, report.Report) error { return nil })
			for _, l := range w.log.from(slog.LevelWarn) {
				if strings.Contains(l, "report trouble") && !strings.Contains(l, "reason=timeout") {
					t.Errorf("%s: log has %s", name, l)
				}
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		cfg := bizppurio.Config{}
		w.watch(&cfg)
		c := stubbed(t, cfg, status(401, `{"code":3007}`))
		_ = c.ConsumeReports(t.Context(), func(context.Context, report.Report) error { return nil })
		if lines := w.log.from(slog.LevelWarn); len(lines) != 1 || !strings.Contains(lines[0], "token trouble") {
			t.Errorf("log = %q, want the token's trouble alone", lines)
		}
	})
}

// TestLog_token: a refusal begins the trouble and Close does not; a token that
// is of no use on arrival is trouble, too.
func TestLog_token(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		want   []string
	}{
		"refused": {status(401, `{"code":3007}`), []string{`level=WARN msg="bizppurio: token trouble begins" outcome=rejected reason=refused code=3007 status=401`}},
		"expired": {status(200, `{"accesstoken":"t","expired":"19990101000000"}`), []string{`level=WARN msg="bizppurio: token trouble begins" outcome=accepted reason="" code=0 status=200`}},
		"closed":  {hang, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWitness()
				cfg := bizppurio.Config{}
				w.watch(&cfg)
				c := stubbed(t, cfg, tt.answer)
				time.AfterFunc(time.Second, func() { _ = c.Close() })
				for range 5 {
					_, _ = c.Send(t.Context(), sms("r"))
				}
				advance(2 * time.Second)
				if diff := cmp.Diff(tt.want, w.log.from(slog.LevelWarn)); diff != "" {
					t.Errorf("warnings differ (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// bomb is a slog handler that panics wherever it is touched.
type bomb struct{ quiet bool }

func (b bomb) Enabled(context.Context, slog.Level) bool {
	if b.quiet {
		return true
	}
	panic("handler")
}
func (bomb) Handle(context.Context, slog.Record) error { panic("handler") }
func (b bomb) WithAttrs([]slog.Attr) slog.Handler      { return b }
func (b bomb) WithGroup(string) slog.Handler           { return b }

// TestLog_panics is case 57: a handler that panics loses no outcome.
func TestLog_panics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, h := range []slog.Handler{bomb{}, bomb{quiet: true}} {
			p := &plan{next: status(200, accepted)}
			c := stubbed(t, bizppurio.Config{Logger: slog.New(h), Breaker: engine.Breaker{Failures: 1}}, p.roundTrip)
			r, err := c.Send(t.Context(), sms("r"))
			if err != nil || r.MessageKey == "" {
				t.Errorf("Send = %+v, %v, want it accepted", r, err)
			}
			p.set(ill)
			_, err = c.Send(t.Context(), sms("r"))
			wantError(t, "ill", err, send.Unknown, send.VendorFault)
			_, err = c.Send(t.Context(), sms("r"))
			wantError(t, "open", err, send.NotSent, send.CircuitOpen)
			if err := c.Close(); err != nil {
				t.Errorf("Close() = %v, want nil", err)
			}
		}
	})
}
