package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestAttempt_clocks covers cases 6 and 7: each attempt is one call of the
// engine with a clock of its own, 15 s where nothing is set, and the receipt
// has the RefKey beside the error, a generated one included.
func TestAttempt_clocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var left []time.Duration
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			deadline, _ := r.Context().Deadline()
			left = append(left, time.Until(deadline))
			if len(left) < 3 {
				return nil, errUnsent
			}
			return hang(r)
		}}
		c := stubbed(t, bizppurio.Config{}, p.roundTrip)
		begun := time.Now()
		r, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "hanging", err, send.Unknown, send.Timeout)
		if r.RefKey == "" || e.RefKey != r.RefKey || r.Attempts != 3 {
			t.Errorf("receipt = %+v, error = %+v, want a RefKey in both and 3 attempts", r, e)
		}
		if len(left) != 3 || left[0] != 15*time.Second || left[1] != left[0] || left[2] != left[0] {
			t.Errorf("time left for each attempt = %v, want 15s three times", left)
		}
		if took := time.Since(begun); took < 15*time.Second || took > 16*time.Second {
			t.Errorf("Send took %v, want 15s and the back-off", took)
		}
	})
}

// TestSend_nothingLater is case 9: when Send has returned, nothing more is
// sent, however long one waits.
func TestSend_nothingLater(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*http.Request) (*http.Response, error){
		"accepted": fine, "fault": ill, "timeout": hang, "busy": status(503, `{"code":5004}`), "limited": status(429, ""),
		"unsent": func(*http.Request) (*http.Response, error) { return nil, errUnsent },
		"lost":   func(*http.Request) (*http.Response, error) { return nil, errors.New("lost") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: next}
				c := stubbed(t, bizppurio.Config{}, p.roundTrip)
				for range 3 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					r, _ := c.Send(ctx, sms(""))
					cancel()
					before := p.requests()
					if r.Attempts == 0 {
						t.Errorf("receipt = %+v, want an attempt", r)
					}
					advance(time.Hour)
					if got := p.requests(); got != before {
						t.Errorf("%d requests came after Send had returned", got-before)
					}
				}
			})
		})
	}
}

// TestSend_slowVendor covers cases 4 and 8: the vendor accepts and answers
// after AttemptTimeout. With ten attempts allowed the message is sent once.
func TestSend_slowVendor(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	s.Misbehave(bizppuriotest.Stall().AfterAccepting().Always())
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.Tokens, cfg.Retry.Attempts, cfg.AttemptTimeout = tokenOf(t, s), 10, 2*time.Second
	})
	r, err := c.Send(t.Context(), sms("slow"))
	wantError(t, "slow", err, send.Unknown, send.Timeout)
	if s.Accepted("slow") != 1 || s.Seen("slow") != 1 || r.Attempts != 1 {
		t.Errorf("accepted %d, seen %d, attempts %d, want 1 of each", s.Accepted("slow"), s.Seen("slow"), r.Attempts)
	}
}

// TestSend_staleConnection is case 22: a connection that the vendor closed
// while it was idle costs a dial, not a message.
func TestSend_staleConnection(t *testing.T) {
	t.Parallel()
	for end, fault := range map[string]func(time.Duration) bizppuriotest.Fault{
		"FIN": bizppuriotest.CloseAfter, "RST": bizppuriotest.ResetAfter, "408": bizppuriotest.Push408After,
	} {
		s := bizppuriotest.NewServer(t)
		s.Misbehave(fault(time.Millisecond).Always())
		e := engine.New(engine.Config{TLS: s.TLSConfig(), IdleTimeout: time.Hour})
		t.Cleanup(func() { _ = e.Close() })
		c := newClient(t, s, func(cfg *bizppurio.Config) {
			cfg.Engine, cfg.Pool, cfg.Tokens = e, engine.Config{}, tokenOf(t, s)
		})
		for i := range 10 {
			key := fmt.Sprintf("r-%d", i)
			r, err := c.Send(t.Context(), sms(key))
			if err != nil || r.Attempts != 1 || s.Accepted(key) != 1 || s.Seen(key) != 1 {
				t.Errorf("%s, Send %d = %+v, %v, accepted %d, seen %d, want once", end, i, r, err, s.Accepted(key), s.Seen(key))
			}
			eventually(t, "the end of the idle connection is noticed", func() bool { return e.Stats().Open == 0 })
		}
		if got := e.Stats().Opened; got != 10 {
			t.Errorf("%s: connections = %d, want 10", end, got)
		}
	}
}

// TestSend_page is case 49: the text of an error about a page of HTML names
// status and content type, and quotes nothing.
func TestSend_page(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 404, 429, 500, 502, 503} {
		s := bizppuriotest.NewServer(t)
		s.Misbehave(bizppuriotest.Reply(bizppuriotest.Answer{
			Status: status, Header: http.Header{"Content-Type": {"text/html; charset=canary"}}, Body: []byte("<html>canary</html>"),
		}).Always())
		_, err := newClient(t, s, once).Send(t.Context(), sms(""))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("status %d", status)) || !strings.Contains(err.Error(), "text/html") {
			t.Errorf("status %d: Send = %v, want status and content type in it", status, err)
		}
		wantNoCanary(t, err, "canary", "<")
	}
}

// TestSend_panics is case 57: an engine or a logger that panics takes nobody
// else with it, and is no success.
func TestSend_panics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inside, leave := make(chan struct{}), make(chan struct{})
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Content-Type") == "" {
				return nil, errUnsent
			}
			close(inside)
			<-leave
			return fine(r)
		}}
		c := stubbed(t, bizppurio.Config{Logger: slog.New(panicking{})}, p.roundTrip)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Errorf("the other send = %v, want nil", err)
			}
		})
		<-inside
		p.set(func(*http.Request) (*http.Response, error) { panic("engine") })
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the engine's panic was swallowed")
				}
			}()
			_, _ = c.Send(t.Context(), sms(""))
		}()
		close(leave)
		wg.Wait()
		p.set(fine)
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Errorf("Send after the panic = %v, want nil", err)
		}
		if err := c.Close(); err != nil { // hangs if the panic left a call behind
			t.Errorf("Close() = %v, want nil", err)
		}
	})
}

type panicking struct{}

func (panicking) Enabled(context.Context, slog.Level) bool  { return true }
func (panicking) Handle(context.Context, slog.Record) error { panic("handler") }
func (p panicking) WithAttrs([]slog.Attr) slog.Handler      { return p }
func (p panicking) WithGroup(string) slog.Handler           { return p }

// TestToken_unreadableExpiry is case 34: 1,000 sends with a token whose expiry
// nobody can read are one token call and one warning.
func TestToken_unreadableExpiry(t *testing.T) {
	t.Parallel()
	for _, expired := range []string{`,"expired":""`, `,"expired":"canary"`, `,"expired":null`, ``, `,"expired":{}`} {
		synctest.Test(t, func(t *testing.T) {
			var log lockedBuffer
			tokens := 0
			c := stubbed(t, bizppurio.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/v1/token" {
					tokens++
					return respond(r, 200, `{"accesstoken":"t"`+expired+`}`), nil
				}
				return fine(r)
			})
			for range 1000 {
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Fatalf("Send = %v, want nil", err)
				}
			}
			if tokens != 1 {
				t.Errorf("expiry %q: token calls = %d, want 1", expired, tokens)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != 1 || strings.Contains(log.String(), "canary") {
				t.Errorf("expiry %q: %d warnings, want 1 without its text: %s", expired, n, log.String())
			}
		})
	}
}

// lockedBuffer takes lines from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestToken_ownBreaker is case 66: token calls and sends have a breaker each,
// and an open one of the one does not stop the other.
func TestToken_ownBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		life := func() string {
			return time.Now().Add(2 * time.Hour).In(time.FixedZone("", 9*3600)).Format("20060102150405")
		}
		down, tokens := "", 0
		cfg := oneAttempt()
		cfg.Breaker = engine.Breaker{Failures: 1, Cooldown: time.Hour}
		c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				tokens++
			}
			switch r.URL.Path {
			case down:
				return respond(r, 503, ""), nil
			case "/v1/token":
				return respond(r, 200, `{"accesstoken":"t","expired":"`+life()+`"}`), nil
			}
			return fine(r)
		})
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
		down = "/v1/token"
		for range 118 {
			advance(time.Minute)
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Fatalf("Send with a living token = %v, want nil", err)
			}
			synctest.Wait()
		}
		if tokens != 2 {
			t.Errorf("token calls = %d, want one, and one that opened their breaker", tokens)
		}
		advance(3 * time.Minute)
		_, err := c.Send(t.Context(), sms(""))
		wantError(t, "without a token", err, send.NotSent, send.TokenUnavailable)

		down = "/v3/message"
		advance(time.Hour)
		_, err = c.Send(t.Context(), sms(""))
		wantError(t, "sends down", err, send.Unknown, send.VendorFault)
		_, err = c.Send(t.Context(), sms(""))
		wantError(t, "sends stopped", err, send.NotSent, send.CircuitOpen)
		before := tokens
		advance(30 * time.Minute)
		if err := c.Warm(t.Context()); err != nil {
			t.Errorf("Warm while sends are stopped = %v, want nil", err)
		}
		advance(3 * time.Hour)
		if err := c.Warm(t.Context()); err != nil || tokens != before+1 {
			t.Errorf("Warm = %v after %d token calls, want nil after one", err, tokens-before)
		}
	})
}

// TestToken_accounts is case 37: two accounts on one engine and one Store do
// not share a fetch or a token.
func TestToken_accounts(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	store := &memory{saved: make(chan struct{}, 1)}
	right := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Tokens = store })
	other := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Tokens, cfg.Account = store, "other" })
	if _, err := right.Send(t.Context(), sms("")); err != nil {
		t.Fatal(err)
	}
	<-store.saved
	_, err := other.Send(t.Context(), sms(""))
	wantError(t, "the other account", err, send.Rejected, send.Refused)
	if got := s.Requests(bizppuriotest.PathToken); got != 2 {
		t.Errorf("token calls = %d, want one for each account", got)
	}
}
