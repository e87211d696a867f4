package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
	"github.com/go-bizppurio/sdk/token"
)

// TestToken_renewed is case 35: a refused token is renewed once, for all.
func TestToken_renewed(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, once)
	if _, err := c.Send(t.Context(), sms("before")); err != nil {
		t.Fatal(err)
	}
	s.RevokeTokens()
	r, err := c.Send(t.Context(), sms("after"))
	if err != nil || r.Attempts != 2 {
		t.Errorf("Send = %+v, %v, want 2 attempts and nil", r, err)
	}
	if got := s.Accepted("after"); got != 1 {
		t.Errorf("accepted = %d, want 1", got)
	}
	s.RevokeTokens()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for {
				_, err := c.Send(ctx, sms(fmt.Sprintf("r-%d", i)))
				if !errors.Is(err, send.PoolTimeout) {
					if err != nil {
						t.Errorf("Send %d = %v, want nil", i, err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	if got := s.Requests(bizppuriotest.PathToken); got != 3 {
		t.Errorf("token calls = %d, want 3", got)
	}
	if d := s.Duplicates(); len(d) > 0 {
		t.Errorf("duplicates: %v", d)
	}
}

// TestToken_refused: a wrong password is one token call, and rejects.
func TestToken_refused(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Password = "wrong" })
	for range 50 {
		_, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "wrong password", err, send.Rejected, send.Refused)
		if e.Code != 3007 || !send.AccountRefused(err) {
			t.Fatalf("code = %d, AccountRefused = %v, want 3007, true", e.Code, send.AccountRefused(err))
		}
	}
	if got := s.Requests(bizppuriotest.PathToken); got != 1 {
		t.Errorf("token calls = %d, want 1", got)
	}
}

// TestToken_text: what became of the token call is part of the error's text,
// in which the name of the package stands once.
func TestToken_text(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			vendor func(*http.Request) (*http.Response, error)
			want   string
		}{
			{status(400, `{"code":3007}`), "bizppurio: rejected: refused (code 3007, status 400): token call: rejected: refused (code 3007, status 400)"},
			{fails(errUnsent), "bizppurio: not_sent: token_unavailable (decided here): token call: not_sent: unreachable (decided here): engine: dial failed, nothing was sent"},
		} {
			c := stubbed(t, oneAttempt(), tt.vendor)
			if _, err := c.Send(t.Context(), sms("r")); err == nil || err.Error() != tt.want {
				t.Errorf("Send = %v, want %s", err, tt.want)
			}
		}
	})
}

// TestToken_shared is case 31: two clients with one Store fetch once.
func TestToken_shared(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	store := &memory{saved: make(chan struct{}, 1)}
	with := func(cfg *bizppurio.Config) { cfg.Tokens = store }
	a, b := newClient(t, s, with), newClient(t, s, with)
	if _, err := a.Send(t.Context(), sms("a")); err != nil {
		t.Fatal(err)
	}
	<-store.saved
	if _, err := b.Send(t.Context(), sms("b")); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests(bizppuriotest.PathToken); got != 1 {
		t.Errorf("token calls = %d, want 1", got)
	}
}

// TestToken_garbage: a token out of a Store that cannot stand in a header
// would fail in net/http before any connection, for its whole life.
func TestToken_garbage(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"bad\ntoken", "bad token", "\x00", "한글"} {
		s := bizppuriotest.NewServer(t)
		store := fixedStore(token.Token{Value: value, Expires: time.Now().Add(time.Hour)})
		c := newClient(t, s, once, func(cfg *bizppurio.Config) { cfg.Tokens = store })
		if _, err := c.Send(t.Context(), sms("r")); err != nil {
			t.Errorf("Send with %q in the Store = %v, want nil", value, err)
		}
	}
}

// fixedStore holds the same token for ever.
type fixedStore token.Token

func (s fixedStore) Load(context.Context, string) (token.Token, error) { return token.Token(s), nil }
func (fixedStore) Save(context.Context, string, token.Token) error     { return nil }

// TestToken_callersValues: a token call is nobody's, so what is in the context
// of the call that began it, hooks above all, has no part in it; but its span.
func TestToken_callersValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		cfg := bizppurio.Config{}
		w.watch(&cfg)
		type key struct{}
		hooks := 0
		c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
			login := r.URL.Path == "/v1/token"
			if got := r.Context().Value(key{}) == nil; got != login {
				t.Errorf("%s without the caller's values = %v, want %v", r.URL.Path, got, login)
			}
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
			if login {
				advance(2 * time.Second)
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			return respond(r, 200, accepted), nil
		})
		ctx := httptrace.WithClientTrace(context.WithValue(t.Context(), key{}, "v"), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { hooks++ },
		})
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := c.Send(short, sms("r"))
		wantError(t, "no token in time", err, send.NotSent, send.Canceled)
		advance(time.Minute)
		if hooks != 0 {
			t.Errorf("the token call ran %d hooks of its first caller, want none", hooks)
		}
		want := `bizppurio.send internal error error.type=canceled outcome=not_sent attempts=0` + tokenTree + "\n"
		if got := w.tree(); got != want {
			t.Errorf("trace = %s, want %s", got, want)
		}
		if _, err := c.Send(ctx, sms("r")); err != nil || hooks != 1 {
			t.Errorf("Send = %v with %d hooks, want nil with that of the message", err, hooks)
		}
	})
}

// memory is a Store in memory.
type memory struct {
	mu    sync.Mutex
	tok   map[string]token.Token
	saved chan struct{}
}

func (m *memory) Load(_ context.Context, key string) (token.Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.tok[key]; ok {
		return t, nil
	}
	return token.Token{}, token.ErrNone
}

func (m *memory) Save(_ context.Context, key string, t token.Token) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tok = map[string]token.Token{key: t}
	select {
	case m.saved <- struct{}{}:
	default:
	}
	return nil
}

// TestToken_outage is case 66: the token endpoint is down, the cached token
// lives: sends go on, with a breaker of their own.
func TestToken_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := false
		var tokens atomic.Int32
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != "/v1/token" {
				return respond(r, 200, `{"code":1000}`), nil
			}
			tokens.Add(1)
			if down {
				return respond(r, 503, ""), nil
			}
			return respond(r, 200, `{"accesstoken":"t","expired":"`+time.Now().Add(2*time.Hour).In(time.FixedZone("", 9*3600)).Format("20060102150405")+`"}`), nil
		})
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
		down = true
		for range 115 {
			advance(time.Minute)
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Fatalf("Send while the old token lives = %v, want nil", err)
			}
		}
		if tokens.Load() < 2 {
			t.Error("no early refresh was tried")
		}
		advance(10 * time.Minute)
		_, err := c.Send(t.Context(), sms(""))
		wantError(t, "past the expiry", err, send.NotSent, send.TokenUnavailable)
		down = false
		advance(time.Minute)
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Errorf("Send after the outage = %v, want nil", err)
		}
	})
}

// TestToken_slow: the fetch's own clock is not the caller's.
func TestToken_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begun := time.Now()
		_, err := c.Send(t.Context(), sms(""))
		wantError(t, "slow token", err, send.NotSent, send.TokenUnavailable)
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("our own clock looks like the caller's: %v", err)
		}
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("Send took %v, want the fetch's 10 s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Send(ctx, sms(""))
		wantError(t, "deadline while waiting", err, send.NotSent, send.Canceled)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("errors.Is(%v, DeadlineExceeded) = false, want true", err)
		}
	})
}

// stubbed makes a client of an engine without a network.
func stubbed(t *testing.T, cfg bizppurio.Config, rt func(*http.Request) (*http.Response, error)) *bizppurio.Client {
	t.Helper()
	cfg.Account, cfg.Password, cfg.From = "acct01", "pw", "0212345678"
	cfg.Engine = engine.Wrap(roundTrip(rt))
	c, err := bizppurio.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
