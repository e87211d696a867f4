package fasthttp_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/go-bizppurio/sdk/engine"
)

// proxy forwards CONNECT to any host, and tells what it was asked.
func proxy(t *testing.T, cfg *tls.Config) (addr string, asked chan *http.Request) {
	t.Helper()
	asked = make(chan *http.Request, 10)
	s := serve(t, cfg, func(p *peer) {
		req, err := http.ReadRequest(bufio.NewReaderSize(p, 16))
		if err != nil {
			return
		}
		asked <- req
		up, err := net.Dial("tcp", req.Host)
		if err != nil {
			return
		}
		p.say("HTTP/1.1 200 Connection established\r\n\r\n")
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = io.Copy(up, p.Conn)
			_ = up.Close()
		})
		_, _ = io.Copy(p.Conn, up)
		_ = p.Close()
		wg.Wait()
	})
	return s.addr, asked
}

// Case 77 in part: a tunnel through a proxy of either scheme is a connection
// like any other: counted above TLS, reused, and looked at while idle.
func TestEngine_proxy(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		scheme string
		cfg    *tls.Config
	}{{"http", nil}, {"https", serverTLS()}} {
		t.Run(row.scheme, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					req, err := p.next()
					if err != nil {
						return
					}
					p.ok()
					if req.URL.Path == "/last" {
						return
					}
				}
			})
			addr, asked := proxy(t, row.cfg)
			e := newEngine(t, engine.Config{Proxy: func(req *http.Request) (*url.URL, error) {
				if req.URL.Scheme+"://"+req.URL.Host != s.url || req.URL.Path != "" {
					t.Errorf("Proxy was asked for %v, want %s", req.URL, s.url)
				}
				return &url.URL{Scheme: row.scheme, Host: addr, User: url.UserPassword("user", "secret")}, nil
			}})
			mustExchange(t, e, post(t, s.url+"/a"))
			mustExchange(t, e, post(t, s.url+"/last"))
			eventually(t, "the server closes", func() bool { _, open := s.conns(); return open == 0 })
			eventually(t, "the end comes through the tunnel", func() bool {
				mustExchange(t, e, post(t, s.url+"/b"))
				return e.Stats().Opened > 1
			})
			if n := len(asked); n != 2 {
				t.Errorf("the proxy was asked %d times, want 2", n)
			}
			req := <-asked
			if user, password, ok := parseBasic(req); req.Method != http.MethodConnect || req.Host != s.addr || !ok || user != "user" || password != "secret" {
				t.Errorf("the proxy was asked %s %s as %s, want CONNECT %s as user", req.Method, req.Host, user, s.addr)
			}
		})
	}
}

func parseBasic(req *http.Request) (user, password string, ok bool) {
	return (&http.Request{Header: http.Header{"Authorization": req.Header["Proxy-Authorization"]}}).BasicAuth()
}

func TestEngine_proxyFails(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	for _, row := range []struct {
		name string
		via  *url.URL
		err  error
	}{
		{"refused", &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, nil},
		{"kind", &url.URL{Scheme: "socks5", Host: "127.0.0.1:1"}, nil},
		{"no host", &url.URL{Scheme: "http"}, nil},
		{"error", nil, errors.New("no proxy today")},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Config{Proxy: func(*http.Request) (*url.URL, error) { return row.via, row.err }})
			_, err := exchange(e, post(t, s.url+"/a"))
			var got *engine.Error
			if !errors.As(err, &got) || !got.Unsent || got.Phase != engine.Dial {
				t.Errorf("exchange = %v, want an unsent *engine.Error of the phase dial", err)
			}
		})
	}
}
