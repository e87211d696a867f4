package bizppurio_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestFaults_network: the network, the proxy or the vendor ends each phase
// (cases 2, 18, 22 and 25). What is proven unsent is tried three times, all else once.
func TestFaults_network(t *testing.T) {
	t.Parallel()
	at := func(serve func(*front, *net.TCPConn)) func(*stage) {
		return func(st *stage) { st.cfg.BaseURL = "https://" + newFront(st.tb, serve).addr }
	}
	proxied := func(answer string, then func(*net.TCPConn)) func(*stage) {
		return func(st *stage) { st.through(newFront(st.tb, proxyThat(func() {}, answer, then))) }
	}
	writing := func(end func(*net.TCPConn)) func(*stage) {
		return func(st *stage) {
			st.huge()
			to := strings.TrimPrefix(st.server.URL(), "https://")
			st.cfg.BaseURL = "https://" + newFront(st.tb, relay(to, 64<<10, func(_ *front, c *net.TCPConn) { end(c) })).addr
		}
	}
	fault := func(f bizppuriotest.Fault) func(*stage) {
		return func(st *stage) { st.server.Misbehave(f.Always()) }
	}
	saying := func(answer string, then func(net.Conn)) func(*stage) {
		return func(st *stage) { st.server.Respond(bizppuriotest.PathMessage, say(st.tb, answer, then)) }
	}
	trusting := func(change func(*tls.Config)) func(*stage) {
		return func(st *stage) {
			st.pool.TLS = st.server.TLSConfig()
			change(st.pool.TLS)
		}
	}
	leave := func(*net.TCPConn) {}
	cut := func(net.Conn) {}
	rst := func(c net.Conn) {
		if below, ok := c.(interface{ NetConn() net.Conn }); ok { // of TLS
			c = below.NetConn()
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	const (
		partOfHeader = "HTTP/1.1 200 OK\r\nContent-Le"
		partOfBody   = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + `{"code":1000}`
	)
	rows := []struct {
		name     string
		lay      func(*stage)
		phase    engine.Phase
		reason   send.Reason // Unreachable is NotSent, the others are Unknown
		accepted int
	}{
		{"dns, no such host", func(st *stage) { st.cfg.BaseURL = "https://missing.invalid" }, engine.Resolve, send.Unreachable, 0},
		{"dial, refused", func(st *stage) {
			f := newFront(st.tb, nil)
			f.close()
			st.cfg.BaseURL = "https://" + f.addr
		}, engine.Dial, send.Unreachable, 0},
		{"proxy, refused", func(st *stage) {
			f := newFront(st.tb, nil)
			f.close()
			st.through(f)
		}, engine.Dial, send.Unreachable, 0},
		{"proxy, 403", proxied("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, 407", proxied("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, 502", proxied("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, FIN", proxied("", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, RST", proxied("", reset), engine.Dial, send.Unreachable, 0},
		{"proxy, answer cut", proxied("HTTP/1.1 200 OK\r\nX-A", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, garbage", proxied("\x16\x03\x01\r\n\r\n", leave), engine.Dial, send.Unreachable, 0},
		{"proxy, nothing behind it", proxied("HTTP/1.1 200 OK\r\n\r\n", leave), engine.TLS, send.Unreachable, 0},
		{"tls, FIN", at(func(_ *front, c *net.TCPConn) { _, _ = c.Read(make([]byte, 4096)) }), engine.TLS, send.Unreachable, 0},
		{"tls, RST", at(func(_ *front, c *net.TCPConn) { _, _ = c.Read(make([]byte, 1)); reset(c) }), engine.TLS, send.Unreachable, 0},
		{"tls, plain HTTP", at(func(_ *front, c *net.TCPConn) {
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			drain(c)
		}), engine.TLS, send.Unreachable, 0},
		{"tls, unknown authority", trusting(func(c *tls.Config) { c.RootCAs = nil }), engine.TLS, send.Unreachable, 0},
		{"tls, other host", trusting(func(c *tls.Config) { c.ServerName = "elsewhere.test" }), engine.TLS, send.Unreachable, 0},
		{"tls, expired", trusting(func(c *tls.Config) { c.Time = func() time.Time { return time.Now().AddDate(10, 0, 0) } }), engine.TLS, send.Unreachable, 0},
		{"write, RST", writing(reset), "", send.ConnectionLost, 0},
		{"write, FIN", writing(func(c *net.TCPConn) { _ = c.Close() }), "", send.ConnectionLost, 0},
		{"wait, FIN unread", fault(bizppuriotest.DropUnread()), engine.Wait, send.ConnectionLost, 0},
		{"wait, RST unread", fault(bizppuriotest.ResetUnread()), engine.Wait, send.ConnectionLost, 0},
		{"wait, FIN", fault(bizppuriotest.Drop()), engine.Wait, send.ConnectionLost, 0},
		{"wait, RST", fault(bizppuriotest.Reset()), engine.Wait, send.ConnectionLost, 0},
		{"wait, FIN when accepted", fault(bizppuriotest.Drop().AfterAccepting()), engine.Wait, send.ConnectionLost, 1},
		{"wait, RST when accepted", fault(bizppuriotest.Reset().AfterAccepting()), engine.Wait, send.ConnectionLost, 1},
		{"headers, FIN", saying(partOfHeader, cut), engine.Wait, send.ConnectionLost, 0},
		{"headers, RST", saying(partOfHeader, rst), engine.Wait, send.ConnectionLost, 0},
		{"body, FIN", fault(bizppuriotest.CutBody()), engine.Read, send.BadResponse, 1},
		{"body, FIN in a chunk", fault(bizppuriotest.CutChunk()), engine.Read, send.BadResponse, 1},
		{"body, FIN where nothing tells its length", fault(bizppuriotest.CutClose()), "", send.BadResponse, 1},
		{"body, FIN behind the code", saying(partOfBody, cut), engine.Read, send.BadResponse, 0},
		{"body, RST behind the code", saying(partOfBody, rst), engine.Read, send.BadResponse, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t)
			row.lay(st)
			r, _, err := st.run(t.Context())
			outcome, attempts := send.Unknown, 1
			if row.reason == send.Unreachable {
				outcome, attempts = send.NotSent, 3
			}
			e := wantError(t, row.name, err, outcome, row.reason)
			if r.Attempts != attempts {
				t.Errorf("attempts = %d, want %d", r.Attempts, attempts)
			}
			if row.reason == send.BadResponse && e.Status != http.StatusOK {
				t.Errorf("status = %d, want 200", e.Status)
			}
			if row.phase != "" {
				wantPhase(t, err, row.phase)
			}
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("%v looks like the caller's own context", err)
			}
			st.verify(outcome == send.NotSent)
			if got := st.server.Accepted("the-message"); got != row.accepted {
				t.Errorf("accepted = %d, want %d", got, row.accepted)
			}
			for _, shown := range []string{fmt.Sprintf("%v %+v %#v", err, err, err)} {
				if strings.Contains(shown, "127.0.0.1") || strings.Contains(shown, "1234") || strings.Contains(shown, "invalid") {
					t.Errorf("the error shows what it must not: %s", shown)
				}
			}
		})
	}
}
