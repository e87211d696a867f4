package fasthttp_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// newClient returns a client on the engine, which speaks to s.
func newClient(t *testing.T, s *bizppuriotest.Server, e engine.Engine) *bizppurio.Client {
	t.Helper()
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), From: "0200000000", Engine: e,
		Breaker: engine.Breaker{Failures: 1 << 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	})
	return c
}

func letter(i int) send.Message {
	return send.Message{To: "01000000000", RefKey: fmt.Sprintf("order-%06d", i), Content: send.SMS{Text: "안녕하세요"}}
}

// Cases 43, 44: a token and 1,050 sends, one after the other: one connection.
func TestClient_oneConnection(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithHTTP2Offered())
	e := newEngine(t, engine.Config{TLS: s.TLSConfig()})
	c := newClient(t, s, e)
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	const n = 1050
	for i := range n {
		if r, err := c.Send(t.Context(), letter(i)); err != nil || r.Attempts != 1 {
			t.Fatalf("Send(%d) = %+v, %v, want 1 attempt, nil", i, r, err)
		}
	}
	for i := range n {
		if got := s.Accepted(letter(i).RefKey); got != 1 {
			t.Errorf("Accepted(%d) = %d, want 1", i, got)
		}
	}
	if got := s.Conns(); got != 1 {
		t.Errorf("Conns() = %d, want 1", got)
	}
}

// 30 callers and 10 connections: no more are opened, and nobody gets the
// answer of another.
func TestClient_manyCallers(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, newEngine(t, engine.Config{TLS: s.TLSConfig(), MaxConns: 10, AcquireTimeout: patience}))
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			for j := range 20 {
				m := letter(100*i + j)
				if _, err := c.Send(t.Context(), m); err != nil || s.Accepted(m.RefKey) != 1 {
					t.Errorf("Send = %v, accepted %d times, want nil, 1", err, s.Accepted(m.RefKey))
				}
			}
		})
	}
	wg.Wait()
	if got := s.Conns(); got > 10 {
		t.Errorf("Conns() = %d, want at most 10", got)
	}
}

// A server closes idle connections just when the engine would use them again.
// What became of a request that met the end on its way cannot be known, but
// most find a fresh connection, none is lost without a word, none sent twice.
func TestClient_idleClose(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithIdleClose(10*time.Millisecond, bizppuriotest.FIN))
	c := newClient(t, s, newEngine(t, engine.Config{TLS: s.TLSConfig()}))
	const n = 20
	accepted := 0
	for i := range n {
		m := letter(i)
		_, err := c.Send(t.Context(), m)
		switch got := s.Accepted(m.RefKey); {
		case err == nil && got == 1:
			accepted++
		case send.OutcomeOf(err) == send.Unknown && got <= 1:
		default:
			t.Errorf("Send(%d) = %v, accepted %d times", i, err, got)
		}
		eventually(t, "the server closes", func() bool { return s.OpenConns() == 0 })
	}
	if accepted < n/2 || s.Conns() < n/2 {
		t.Errorf("%d of %d were accepted, on %d connections", accepted, n, s.Conns())
	}
}

// An answer that is no HTTP is a bad answer, not a connection that broke.
func TestClient_malformed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault bizppuriotest.Fault
		want  send.Reason
	}{
		"garbage":               {bizppuriotest.Garbage(), send.BadResponse},
		"garbage when accepted": {bizppuriotest.Garbage().AfterAccepting(), send.BadResponse},
		"header flood":          {bizppuriotest.HeaderFlood(), send.BadResponse},
		"informational answers": {bizppuriotest.Informational(), send.BadResponse},
		"closed":                {bizppuriotest.Drop(), send.ConnectionLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			c := newClient(t, s, newEngine(t, engine.Config{TLS: s.TLSConfig()}))
			s.Misbehave(row.fault)
			_, err := c.Send(t.Context(), letter(1))
			if send.OutcomeOf(err) != send.Unknown || !errors.Is(err, row.want) {
				t.Errorf("Send = %v, want Unknown, %v", err, row.want)
			}
		})
	}
}

// Where nobody listens, the message was not sent, and the client says so.
func TestClient_unreachable(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	e := newEngine(t, engine.Config{TLS: s.TLSConfig()})
	c := newClient(t, s, e)
	if _, err := c.Send(t.Context(), letter(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Send(t.Context(), letter(2))
	if send.OutcomeOf(err) != send.NotSent || !errors.Is(err, send.Unreachable) {
		t.Errorf("Send = %v, want NotSent, Unreachable", err)
	}
}

var _ http.RoundTripper = (*fasthttp.Engine)(nil)
