package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// plan is an engine whose sends do what next says.
type plan struct {
	mu   sync.Mutex
	next func(*http.Request) (*http.Response, error)
	sent int
}

func (p *plan) set(f func(*http.Request) (*http.Response, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = f
}

func (p *plan) roundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/v1/token" {
		return respond(r, 200, `{"accesstoken":"t"}`), nil
	}
	p.mu.Lock()
	p.sent++
	next := p.next
	p.mu.Unlock()
	return next(r)
}

func (p *plan) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

func fine(r *http.Request) (*http.Response, error) { return respond(r, 200, `{"code":1000}`), nil }
func ill(r *http.Request) (*http.Response, error)  { return respond(r, 502, "<html>"), nil }
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func status(code int, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) { return respond(r, code, body), nil }
}

func oneAttempt() bizppurio.Config {
	return bizppurio.Config{Retry: engine.Retry{Attempts: 1}}
}

// TestBreaker_counts covers cases 58 to 61 and 64: what opens the circuit
// after ten in a row, and what does not.
func TestBreaker_counts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault func(*http.Request) (*http.Response, error)
		opens bool
	}{
		{"500", status(500, ""), true},
		{"502", status(502, "<html>"), true},
		{"503", status(503, ""), true},
		{"504", status(504, ""), true},
		{"vendor fault", status(200, `{"code":9000}`), true},
		{"our timeout", hang, true},
		{"connection lost", func(*http.Request) (*http.Response, error) { return nil, io.EOF }, true},
		{"unreachable", func(*http.Request) (*http.Response, error) { return nil, errUnsent }, true},
		{"400", status(400, ""), false},
		{"401", status(401, ""), false},
		{"429", status(429, ""), false},
		{"refused", status(400, `{"code":2000}`), false},
		{"busy", status(503, `{"code":5004}`), false},
		{"unreadable", status(200, `<html>`), false},
		{"no free connection", func(*http.Request) (*http.Response, error) {
			return nil, &engine.Error{Phase: engine.Acquire, Unsent: true, Err: errors.New("full")}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: tt.fault}
				c := stubbed(t, oneAttempt(), p.roundTrip)
				for range 10 {
					_, _ = c.Send(t.Context(), sms(""))
				}
				before := p.requests()
				_, err := c.Send(t.Context(), sms(""))
				if open := errors.Is(err, send.CircuitOpen); open != tt.opens {
					t.Fatalf("open = %v (%v), want %v", open, err, tt.opens)
				}
				if tt.opens {
					e := wantError(t, "open", err, send.NotSent, send.CircuitOpen)
					if e.RetryAfter <= 0 || e.RetryAfter > 10*time.Second || e.Status != 0 || e.Code != 0 {
						t.Errorf("error = %+v, want RetryAfter within 10s and nothing of the vendor's", e)
					}
					if p.requests() != before {
						t.Error("an open circuit touched the network")
					}
				}
			})
		})
	}
}

// TestBreaker_cancelled: the caller's cancellations neither raise nor reset
// the count.
func TestBreaker_cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{}
		c := stubbed(t, oneAttempt(), p.roundTrip)
		cancelled := func() {
			p.set(hang)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err := c.Send(ctx, sms(""))
			wantError(t, "cancelled", err, send.Unknown, send.Interrupted)
		}
		for range 1000 {
			cancelled()
		}
		for range 9 {
			p.set(ill)
			_, _ = c.Send(t.Context(), sms(""))
			cancelled()
		}
		p.set(ill)
		_, err := c.Send(t.Context(), sms("")) // the tenth failure is let through
		wantError(t, "tenth", err, send.Unknown, send.VendorFault)
		_, err = c.Send(t.Context(), sms(""))
		wantError(t, "eleventh", err, send.NotSent, send.CircuitOpen)
	})
}

// TestBreaker_probes covers cases 62, 63 and 65: after the cooldown Probes
// are let through, a hanging one frees its place, and success closes.
func TestBreaker_probes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: ill}
		cfg := oneAttempt()
		cfg.Breaker = engine.Breaker{Failures: 2, Cooldown: time.Minute, Probes: 2}
		c := stubbed(t, cfg, p.roundTrip)
		for range 2 {
			_, _ = c.Send(t.Context(), sms(""))
		}
		advance(time.Minute - time.Second)
		_, err := c.Send(t.Context(), sms(""))
		if e := wantError(t, "still open", err, send.NotSent, send.CircuitOpen); e.RetryAfter != time.Second {
			t.Errorf("RetryAfter = %v, want 1s", e.RetryAfter)
		}
		advance(2 * time.Second)

		p.set(hang)
		before := p.requests()
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range 20 {
			wg.Go(func() {
				_, err := c.Send(ctx, sms(""))
				if errors.Is(err, send.RateLimited) {
					t.Errorf("%v looks like a rate limit", err)
				}
			})
		}
		synctest.Wait()
		if got := p.requests() - before; got != 2 {
			t.Errorf("probes = %d, want 2", got)
		}
		cancel() // both probes: neutral, their places are free again
		wg.Wait()

		p.set(fine)
		for i := range 3 {
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Errorf("Send %d after the cure = %v, want nil", i, err)
			}
		}
	})
}

// TestBreaker_panics: a probe that panics or ends its goroutine must not keep
// the circuit half-open for ever (case 57).
func TestBreaker_panics(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(){"panic": func() { panic("engine") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: ill}
				cfg := oneAttempt()
				cfg.Breaker = engine.Breaker{Failures: 1, Cooldown: time.Minute}
				c := stubbed(t, cfg, p.roundTrip)
				_, _ = c.Send(t.Context(), sms(""))
				advance(time.Minute + 1)
				p.set(func(*http.Request) (*http.Response, error) {
					crash()
					return nil, nil //nolint:nilnil // never reached
				})
				var wg sync.WaitGroup
				wg.Go(func() {
					defer func() {
						if got := recover(); (got != nil) != (name == "panic") {
							t.Errorf("recovered %v", got)
						}
					}()
					_, _ = c.Send(t.Context(), sms(""))
					t.Error("Send returned")
				})
				wg.Wait()
				advance(time.Minute + 1)
				p.set(fine)
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Errorf("Send after the crash = %v, want nil", err)
				}
			})
		})
	}
}

// TestBreaker_reports: report calls have a breaker of their own. An ill
// polling endpoint stops no sends, ill sends stop no polls, and the health of
// the one is none of the other.
func TestBreaker_reports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var illPath string
		c := stubbed(t, oneAttempt(), func(r *http.Request) (*http.Response, error) {
			switch {
			case r.URL.Path == "/v1/token":
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			case strings.HasPrefix(r.URL.Path, illPath):
				return ill(r)
			}
			return fine(r)
		})
		send1 := func() error { _, err := c.Send(t.Context(), sms("")); return err }
		poll := func() error { _, err := c.Poll(t.Context()); return err }
		confirm := func() error { return c.Confirm(t.Context(), []string{"m"}) }
		request := func() error { return c.RequestReport(t.Context(), "key") }

		illPath = "/v1/result"
		for range 3 { // of each: nine failures in a row
			_, _, _ = poll(), confirm(), poll()
			if err := send1(); err != nil {
				t.Errorf("Send while polls fail = %v, want nil", err)
			}
		}
		wantError(t, "tenth failure", poll(), send.Unknown, send.VendorFault)
		for what, call := range map[string]func() error{"poll": poll, "confirm": confirm, "request": request} {
			e := wantError(t, what+" while it is open", call(), send.NotSent, send.CircuitOpen)
			if !strings.Contains(e.Error(), "report calls are stopped") {
				t.Errorf("error %q does not tell which calls", e)
			}
		}
		if err := send1(); err != nil {
			t.Errorf("Send while the report breaker is open = %v, want nil", err)
		}
		if _, err := c.UploadImage(t.Context(), send.Upload{Name: "a.jpg", JPEG: bytes.NewReader(jpeg())}); errors.Is(err, send.CircuitOpen) {
			t.Errorf("UploadImage while the report breaker is open = %v", err)
		}

		illPath = "/v3/message"
		advance(time.Minute)
		for range 10 {
			wantError(t, "ill", send1(), send.Unknown, send.VendorFault)
			if err := errors.Join(poll(), confirm(), request()); err != nil {
				t.Errorf("report calls while sends fail = %v, want nil", err)
			}
		}
		wantError(t, "sends are stopped", send1(), send.NotSent, send.CircuitOpen)
		if err := errors.Join(poll(), confirm(), request()); err != nil {
			t.Errorf("report calls while sends are stopped = %v, want nil", err)
		}
	})
}

// TestBreaker_off: math.MaxUint32 switches it off.
func TestBreaker_off(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: ill}
		cfg := oneAttempt()
		cfg.Breaker.Failures = math.MaxUint32
		c := stubbed(t, cfg, p.roundTrip)
		for range 100 {
			_, _ = c.Send(t.Context(), sms(""))
		}
		if got := p.requests(); got != 100 {
			t.Errorf("requests = %d, want 100", got)
		}
	})
}
