package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestCalls_leaveNothing covers cases 40 to 42: calls of every kind that are
// answered with every class of status stay on one connection and leave no
// goroutine.
func TestCalls_leaveNothing(t *testing.T) { //nolint:paralleltest // counts goroutines
	before := goleak.IgnoreCurrent()
	s, err := bizppuriotest.Start()
	if err != nil {
		t.Fatal(err)
	}
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), From: "0212345678",
		Pool: engine.Config{TLS: s.TLSConfig(), IdleTimeout: time.Hour}, Breaker: engine.Breaker{Failures: 1 << 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		bizppuriotest.PathMessage: func() error { _, err := c.Send(t.Context(), sms("")); return err },
		bizppuriotest.PathFile: func() error {
			_, err := c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg())})
			return err
		},
		bizppuriotest.PathReport:  func() error { return c.RequestReport(t.Context(), "k") },
		bizppuriotest.PathPoll:    func() error { _, err := c.Poll(t.Context()); return err },
		bizppuriotest.PathConfirm: func() error { return c.Confirm(t.Context(), []string{"m"}) },
	}
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := bytes.Repeat([]byte("<p>not JSON</p>"), 200)
	goroutines := 0
	for path, call := range calls {
		n := 50
		if path == bizppuriotest.PathMessage {
			n = 1000
		}
		for _, status := range []int{200, 204, 302, 400, 404, 500, 503} {
			body := page
			if status == 204 {
				body = nil
			}
			s.Misbehave(bizppuriotest.Reply(bizppuriotest.Answer{Status: status, Body: body}).On(path).Times(n))
			for range n {
				if err := call(); send.OutcomeOf(err) != send.Unknown {
					t.Fatalf("%s, status %d: %v, want unknown", path, status, err)
				}
			}
			if goroutines == 0 {
				goroutines = runtime.NumGoroutine()
			}
			if got := runtime.NumGoroutine(); got > goroutines+5 {
				t.Fatalf("%s, status %d: %d goroutines, were %d", path, status, got, goroutines)
			}
		}
	}
	if got := s.Conns(); got > 2 {
		t.Errorf("connections = %d, want 1", got)
	}
	if err := errors.Join(c.Close(), s.Close()); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	goleak.VerifyNone(t, before)
}

// TestClient_sharedEngine is case 43: two clients of one engine share its
// connections, and closing one leaves the other alone.
func TestClient_sharedEngine(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	e := engine.New(engine.Config{TLS: s.TLSConfig(), IdleTimeout: time.Hour})
	t.Cleanup(func() { _ = e.Close() })
	shared := func(cfg *bizppurio.Config) { cfg.Engine, cfg.Pool = e, engine.Config{} }
	a, b := newClient(t, s, shared), newClient(t, s, shared)
	for i := range 20 {
		for _, c := range []*bizppurio.Client{a, b} {
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Fatalf("Send %d = %v, want nil", i, err)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Send(t.Context(), sms("")); err != nil {
		t.Errorf("Send after the other's Close = %v, want nil", err)
	}
	if got := s.Conns(); got != 1 {
		t.Errorf("connections = %d, want 1", got)
	}
}

// TestSend_tinyDeadlines is case 47: callers in a hurry do not pile up
// connections, and those that they left behind go.
func TestSend_tinyDeadlines(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	e := engine.New(engine.Config{TLS: s.TLSConfig(), MaxConns: 4, IdleTimeout: 100 * time.Millisecond})
	t.Cleanup(func() { _ = e.Close() })
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Engine, cfg.Pool = e, engine.Config{} })
	var wg sync.WaitGroup
	var most atomic.Int64
	for range 50 {
		wg.Go(func() {
			for range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				_, _ = c.Send(ctx, sms(""))
				cancel()
				for open := int64(e.Stats().Open); ; {
					old := most.Load()
					if open <= old || most.CompareAndSwap(old, open) {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	if most.Load() > 4 || s.MaxOpenConns() > 8 { // the server hears late of those that closed
		t.Errorf("connections at once = %d, the server saw %d, want at most 4", most.Load(), s.MaxOpenConns())
	}
	eventually(t, "idle connections go", func() bool { return e.Stats().Open == 0 && s.OpenConns() == 0 })
	if d := s.Duplicates(); len(d) > 0 {
		t.Errorf("duplicates: %v", d)
	}
}

// TestSend_hangingVendor is case 63: callers do not pile up behind a vendor
// that hangs, and an open breaker lets one probe through.
func TestSend_hangingVendor(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	var now, most atomic.Int64
	s.Respond(bizppuriotest.PathMessage, func(_ http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-r.Context().Done()
	})
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.Pool.MaxConns, cfg.Pool.AcquireTimeout = 4, time.Minute
		cfg.Tokens, cfg.AttemptTimeout = tokenOf(t, s), 500*time.Millisecond
		cfg.Breaker.Cooldown = time.Hour
	})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			for {
				_, err := c.Send(t.Context(), sms(""))
				switch {
				case errors.Is(err, send.CircuitOpen):
					return
				case !errors.Is(err, send.Timeout) && !errors.Is(err, send.PoolTimeout):
					t.Errorf("Send = %v, want timeout, pool_timeout or circuit_open", err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := most.Load(); got > 8 { // the server hears late of those that were given up
		t.Errorf("requests at once = %d, want about 4", got)
	}
	_, err := c.Send(t.Context(), sms(""))
	wantError(t, "afterwards", err, send.NotSent, send.CircuitOpen)
}
