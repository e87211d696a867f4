package engine_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPooled_warm(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			cfg := serverTLS()
			if scheme == "http" {
				cfg = nil
			}
			s := serve(t, cfg, answerAll)
			e := newEngine(t, engine.Config{IdleTimeout: time.Minute, MaxConns: 1})
			base := parse(t, scheme+"://"+s.addr+"/v3")
			for range 2 { // the second has nothing to do
				if err := e.Warm(t.Context(), base); err != nil {
					t.Fatalf("Warm() = %v, want nil", err)
				}
			}
			if got, want := e.Stats(), (engine.Stats{Opened: 1, Open: 1, Idle: 1}); got != want {
				t.Errorf("Stats() = %+v, want %+v", got, want)
			}
			mustExchange(t, e, post(t, scheme+"://"+s.addr+"/a"))
			mustExchange(t, e, post(t, scheme+"://"+s.addr+"/b"))
			if got, want := e.Stats(), (engine.Stats{Opened: 1, Open: 1, Idle: 1, Reused: 1}); got != want {
				t.Errorf("Stats() = %+v, want %+v", got, want)
			}
		})
	}
}

// A spare connection goes when it is too old, when the server closes it or
// speaks, and with Close.
func TestPooled_warmEnds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		idle   time.Duration
		script func(*peer)
		end    func(*engine.Pooled)
	}{
		{"too old", 50 * time.Millisecond, (*peer).hang, nil},
		{"closed by the server", time.Minute, func(*peer) {}, nil},
		{"spoken to", time.Minute, func(p *peer) { p.ok(); p.hang() }, nil},
		{"closed", time.Minute, (*peer).hang, func(e *engine.Pooled) { _ = e.Close() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, nil, row.script)
			e := newEngine(t, engine.Config{IdleTimeout: row.idle})
			if err := e.Warm(t.Context(), parse(t, "http://"+s.addr)); err != nil {
				t.Fatalf("Warm() = %v, want nil", err)
			}
			if row.end != nil {
				row.end(e)
			}
			eventually(t, "the spare goes", func() bool { return e.Stats() == engine.Stats{Opened: 1} })
		})
	}
}

// A spare counts in MaxConns, and makes room for another host.
func TestPooled_warmMakesRoom(t *testing.T) {
	t.Parallel()
	a, b := serve(t, nil, answerAll), serve(t, nil, answerAll)
	e := newEngine(t, engine.Config{MaxConns: 1, IdleTimeout: time.Minute})
	if err := e.Warm(t.Context(), parse(t, "http://"+a.addr)); err != nil {
		t.Fatal(err)
	}
	mustExchange(t, e, post(t, "http://"+b.addr+"/x"))
	if err := e.Warm(t.Context(), parse(t, "http://"+a.addr)); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Stats(), (engine.Stats{Opened: 2, Open: 1, Idle: 1}); got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
}

func TestPooled_warmFails(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		name  string
		base  *url.URL
		ctx   context.Context // nil: one that ends in the dial
		close bool
		phase engine.Phase
		want  error
	}{
		{"nil", nil, t.Context(), false, engine.Resolve, nil},
		{"scheme", parse(t, "ftp://host"), t.Context(), false, engine.Resolve, nil},
		{"no host", parse(t, "https:///x"), t.Context(), false, engine.Resolve, nil},
		{"ended", parse(t, "https://host"), ended, false, engine.Acquire, context.Canceled},
		{"closed", parse(t, "https://host"), t.Context(), true, engine.Acquire, engine.ErrClosed},
		{"deadline", parse(t, "http://host"), nil, false, engine.Dial, context.DeadlineExceeded},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Config{})
			e.SetDial(hang)
			if row.close {
				_ = e.Close()
			}
			ctx := row.ctx
			if ctx == nil {
				soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				ctx = soon
			}
			err := e.Warm(ctx, row.base)
			wantError(t, err, row.phase, true)
			if row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("Warm() = %v, want %v", err, row.want)
			}
		})
	}
	t.Run("closed meanwhile", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t, engine.Config{DialTimeout: patience})
		dialling := make(chan struct{})
		e.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
			close(dialling)
			return hang(ctx, network, addr)
		})
		go func() {
			<-dialling
			_ = e.Close()
		}()
		err := e.Warm(t.Context(), parse(t, "http://host"))
		wantError(t, err, engine.Acquire, true)
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Warm() = %v, want ErrClosed", err)
		}
	})
}
