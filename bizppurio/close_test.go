package bizppurio_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestClose_running is issue "Close lets running sends end": the request on
// the wire is answered, what comes later is refused, and all Closes wait.
func TestClose_running(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		s := bizppuriotest.NewServer(t)
		arrived, answer := make(chan struct{}), make(chan struct{})
		s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
			close(arrived)
			<-answer
			_, _ = w.Write([]byte(`{"code":1000,"messagekey":"k"}`))
		})
		c := newClient(t, s, func(cfg *bizppurio.Config) {
			if shared {
				e := engine.New(cfg.Pool)
				t.Cleanup(func() { _ = e.Close() })
				cfg.Engine, cfg.Pool = e, engine.Config{}
			}
		})
		sent := make(chan error, 1)
		go func() {
			_, err := c.Send(t.Context(), sms("r"))
			sent <- err
		}()
		<-arrived
		closed := make(chan struct{}, 3)
		for range 3 {
			go func() {
				_ = c.Close()
				closed <- struct{}{}
			}()
		}
		// New calls are refused while Close waits.
		var err error
		for send.OutcomeOf(err) == send.Accepted {
			if err = c.Warm(t.Context()); err == nil {
				continue // Close has not begun yet
			}
		}
		wantError(t, "while closing", err, send.NotSent, send.Closed)
		_, err = c.Send(t.Context(), sms("r2"))
		wantError(t, "while closing", err, send.NotSent, send.Closed)
		select {
		case <-closed:
			t.Fatal("Close returned before the send on the wire ended")
		default:
		}
		close(answer)
		if err := <-sent; err != nil {
			t.Errorf("the send on the wire = %v, want nil", err)
		}
		for range 3 {
			<-closed
		}
	}
}

// TestClose_waiting: what waits for a token, the rate limit, the next attempt
// or a connection ends at once as NotSent/Closed.
func TestClose_waiting(t *testing.T) {
	t.Parallel()
	busy := `{"code":3008}`
	tests := []struct {
		name   string
		config bizppurio.Config
		engine func(*http.Request) (*http.Response, error)
		sends  int
		taken  int // of these, before the rest waits
	}{
		{name: "token", sends: 1, engine: func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}},
		{
			name: "back-off", sends: 1, config: bizppurio.Config{Retry: engine.Retry{MinWait: time.Hour, MaxWait: time.Hour}},
			engine: vendor(func(*http.Request) string { return busy }),
		},
		{
			name: "rate", sends: 4, taken: 1, config: bizppurio.Config{Rate: 0.001},
			engine: vendor(func(*http.Request) string { return `{"code":1000}` }),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := tt.config
				cfg.Account, cfg.Password, cfg.From = "a", "p", "0212345678"
				cfg.Engine = engine.Wrap(roundTrip(tt.engine))
				c, err := bizppurio.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				var wg sync.WaitGroup
				for i := range tt.sends {
					wg.Go(func() {
						_, err := c.Send(t.Context(), sms(""))
						if i < tt.taken {
							wantError(t, tt.name, err, send.Accepted, "")
							return
						}
						wantError(t, tt.name, err, send.NotSent, send.Closed)
					})
					synctest.Wait()
				}
				begun := time.Now()
				if err := c.Close(); err != nil {
					t.Errorf("Close() = %v, want nil", err)
				}
				wg.Wait()
				if took := time.Since(begun); took != 0 {
					t.Errorf("Close took %v, want no time", took)
				}
			})
		})
	}
}

// vendor is an engine that gives tokens and answers sends.
func vendor(answer func(*http.Request) string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v1/token" {
			return respond(r, 200, `{"accesstoken":"t","type":"Bearer"}`), nil
		}
		return respond(r, 200, answer(r)), nil
	}
}

// TestClose_slot: a wait for a connection of a shared pool ends as well, and
// the pool is left alone.
func TestClose_slot(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	e := engine.New(engine.Config{TLS: s.TLSConfig(), MaxConns: 1, AcquireTimeout: time.Minute})
	t.Cleanup(func() { _ = e.Close() })
	shared := func(cfg *bizppurio.Config) { cfg.Engine, cfg.Pool = e, engine.Config{} }
	holder, waiter := newClient(t, s, shared), newClient(t, s, shared)
	for _, c := range []*bizppurio.Client{holder, waiter} {
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatalf("Send = %v", err)
		}
	}
	arrived, answer := make(chan struct{}), make(chan struct{})
	s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-answer
		_, _ = w.Write([]byte(`{"code":1000}`))
	})
	held := make(chan error, 1)
	go func() {
		_, err := holder.Send(t.Context(), sms("held"))
		held <- err
	}()
	<-arrived
	waited := make(chan error, 1)
	go func() {
		_, err := waiter.Send(t.Context(), sms("waiting"))
		waited <- err
	}()
	for e.Stats().Waiting == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nothing waits")
		}
	}
	if err := waiter.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	wantError(t, "waiting for a connection", <-waited, send.NotSent, send.Closed)
	close(answer)
	if err := <-held; err != nil {
		t.Errorf("the other client's send = %v, want nil", err)
	}
	s.Behave()
	if _, err := holder.Send(t.Context(), sms("after")); err != nil {
		t.Errorf("the other client's next send = %v, want nil", err)
	}
	if got := s.Seen("waiting"); got != 0 {
		t.Errorf("the refused message was seen %d times, want 0", got)
	}
}

// TestClose_leavesNothing covers cases 9 and 48.
func TestClose_leavesNothing(t *testing.T) { //nolint:paralleltest // counts goroutines
	before := goleak.IgnoreCurrent()
	s, err := bizppuriotest.Start()
	if err != nil {
		t.Fatal(err)
	}
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), From: "0212345678",
		Pool: engine.Config{TLS: s.TLSConfig()}, AttemptTimeout: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Misbehave(bizppuriotest.Stall().Times(3), bizppuriotest.Reset().Times(3), bizppuriotest.Drop().Times(3))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, _ = c.Send(ctx, sms(""))
		})
	}
	wg.Wait()
	if err := errors.Join(c.Close(), s.Close()); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	if s.OpenConns() != 0 {
		t.Errorf("open connections = %d, want 0", s.OpenConns())
	}
	goleak.VerifyNone(t, before)
}
