package engine_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// recorder notes the hooks that fire.
type recorder struct {
	mu    sync.Mutex
	fired []string
	conns []httptrace.GotConnInfo
}

func (r *recorder) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fired = append(r.fired, s)
}

func (r *recorder) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { r.note("GetConn") },
		GotConn: func(i httptrace.GotConnInfo) {
			r.note("GotConn")
			r.mu.Lock()
			r.conns = append(r.conns, i)
			r.mu.Unlock()
		},
		GotFirstResponseByte: func() { r.note("GotFirstResponseByte") },
		DNSStart:             func(httptrace.DNSStartInfo) { r.note("DNSStart") },
		DNSDone:              func(httptrace.DNSDoneInfo) { r.note("DNSDone") },
		ConnectStart:         func(_, _ string) { r.note("ConnectStart") },
		ConnectDone:          func(_, _ string, _ error) { r.note("ConnectDone") },
		TLSHandshakeStart:    func() { r.note("TLSHandshakeStart") },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { r.note("TLSHandshakeDone") },
		WroteHeaders:         func() { r.note("WroteHeaders") },
		WroteRequest:         func(httptrace.WroteRequestInfo) { r.note("WroteRequest") },
	})
}

func (r *recorder) once(t *testing.T, hooks ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range hooks {
		n := 0
		for _, f := range r.fired {
			if f == h {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s fired %d times, want once; all: %v", h, n, r.fired)
		}
	}
}

// The hooks of the caller fire although the dialling is the engine's.
func TestPooled_trace(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	e.SetDial(func(ctx context.Context, _, addr string) (net.Conn, error) {
		d := net.Dialer{Resolver: &net.Resolver{}}
		return d.DialContext(ctx, "tcp4", addr)
	})
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	url := "https://localhost:" + port
	first := new(recorder)
	mustExchange(t, e, post(t, url+"/a").WithContext(first.trace(t.Context())))
	first.once(t, "GetConn", "DNSStart", "DNSDone", "ConnectStart", "ConnectDone", "TLSHandshakeStart", "TLSHandshakeDone",
		"GotConn", "WroteHeaders", "WroteRequest", "GotFirstResponseByte")
	second := new(recorder)
	mustExchange(t, e, post(t, url+"/b").WithContext(second.trace(t.Context())))
	second.once(t, "GetConn", "GotConn", "WroteHeaders", "WroteRequest", "GotFirstResponseByte")
	if slices.Contains(second.fired, "ConnectStart") {
		t.Errorf("a reused connection was dialled: %v", second.fired)
	}
	if len(second.conns) != 1 || !second.conns[0].Reused || !second.conns[0].WasIdle {
		t.Errorf("GotConn = %+v, want one that was reused and idle", second.conns)
	}
	warm := new(recorder)
	third := newEngine(t, engine.Config{})
	if err := third.Warm(warm.trace(t.Context()), parse(t, s.url)); err != nil {
		t.Fatal(err)
	}
	warm.once(t, "ConnectStart", "ConnectDone", "TLSHandshakeStart", "TLSHandshakeDone")
}
