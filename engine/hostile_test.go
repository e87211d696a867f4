package engine_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// Answers without end are cut off, whatever the caller's trace hooks.
func TestPooled_floods(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"informational answers": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
		"continue":              "HTTP/1.1 100 Continue\r\n\r\n",
		"status line":           strings.Repeat("x", 1000),
		"header lines":          "X-A: " + strings.Repeat("b", 100) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := make(chan int, 1)
			s := serve(t, serverTLS(), func(p *peer) {
				n := 0
				defer func() { sent <- n }()
				if _, err := p.next(); err != nil {
					return
				}
				if name == "header lines" {
					p.say("HTTP/1.1 200 OK\r\n")
				}
				for range 200_000 {
					m, err := io.WriteString(p.Conn, unit)
					if n += m; err != nil {
						return
					}
				}
			})
			e := newEngine(t, engine.Config{})
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(int, textproto.MIMEHeader) error { return nil },
			})
			_, err := exchange(e, post(t, s.url+"/a").WithContext(ctx))
			wantError(t, err, engine.Wait, false)
			if !errors.Is(err, engine.ErrMalformed) {
				t.Errorf("exchange = %v, want ErrMalformed in it", err)
			}
			if n := <-sent; n == 200_000*len(unit) {
				t.Errorf("the server got rid of all %d bytes", n)
			}
		})
	}
}

// cork holds back what is written while it is in.
type cork struct {
	net.Conn
	in   bool
	held []byte
}

func (c *cork) Write(b []byte) (int, error) {
	if c.in {
		c.held = append(c.held, b...)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// lastWords makes a script that answers each connection's first request with s
// and the end of the connection in one piece, which TLS 1.2 reports together.
func lastWords(s string) func(*peer) {
	return func(p *peer) {
		cfg := serverTLS()
		cfg.MaxVersion = tls.VersionTLS12
		corked := &cork{Conn: p.raw}
		secure := tls.Server(corked, cfg)
		p.Conn = secure
		if _, err := p.next(); err != nil {
			return
		}
		corked.in = true
		p.say(s)
		_ = secure.CloseWrite()
		_ = p.raw.SetWriteDeadline(time.Time{}) // CloseWrite lets no later write pass
		_, _ = p.raw.Write(corked.held)
	}
}

// Whether an answer is malformed depends on its bytes, not on when the
// connection ends. More rows, for both engines, are in engine/fasthttp.
func TestPooled_malformed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer string
		want   bool
	}{
		{"garbage", "canary\r\n\r\n", true},
		{"garbage without a line's end", "canary", true},
		{"frames of HTTP/2", "\x00\x00\x00\x04\x00\x00\x00\x00\x00", true},
		{"another version", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok", true},
		{"bad status", "HTTP/1.1 20 OK\r\n", true},
		{"bad header", "HTTP/1.1 200 OK\r\ncanary\r\n\r\n", true},
		{"nothing", "", false},
		{"version cut", "HTTP/1", false},
		{"status cut", "HTTP/1.1 20", false},
		{"name cut", "HTTP/1.1 200 OK\r\nX-Can", false},
		{"header cut", "HTTP/1.1 200 OK\r\nX: y\r\n", false},
	} {
		for ending, script := range map[string]func(*peer){
			"close at once": lastWords(row.answer),
			"close": func(p *peer) {
				p.Conn = tls.Server(p.raw, serverTLS())
				if _, err := p.next(); err == nil {
					p.say(row.answer)
				}
			},
			"stay": func(p *peer) {
				p.Conn = tls.Server(p.raw, serverTLS())
				if _, err := p.next(); err == nil {
					p.say(row.answer)
					p.hang()
				}
			},
		} {
			if ending == "stay" && !row.want {
				continue // nothing ends that but the context
			}
			t.Run(row.name+"/"+ending, func(t *testing.T) {
				t.Parallel()
				s := serve(t, nil, script)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := exchange(newEngine(t, engine.Config{}), post(t, s.url+"/a").WithContext(ctx))
				wantError(t, err, engine.Wait, false)
				if got := errors.Is(err, engine.ErrMalformed); got != row.want {
					t.Errorf("exchange = %v, ErrMalformed in it: %t, want %t", err, got, row.want)
				}
			})
		}
	}
}

// The engine gives up a request in the middle when it is answered with
// garbage; that the rest of it cannot be written is its own doing.
func TestPooled_malformedEarly(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), func(p *peer) {
		if _, err := http.ReadRequest(p.r); err == nil {
			p.say("canary\r\n\r\n")
			<-p.s.done()
		}
	})
	e := newEngine(t, engine.Config{})
	req := post(t, s.url+"/a")
	body := strings.Repeat("x", 32<<20) // more than the sockets take
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	_, err := exchange(e, req)
	var got *engine.Error
	if !errors.As(err, &got) || got.Unsent || !errors.Is(err, engine.ErrMalformed) {
		t.Errorf("exchange = %v, want ErrMalformed in an *engine.Error that proves nothing", err)
	}
}

// A connection that ends together with its answer carries no further request,
// and no request fails for it.
func TestPooled_lastWords(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, lastWords("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
	e := newEngine(t, engine.Config{})
	for n := range 20 {
		mustExchange(t, e, post(t, s.url+"/a"))
		if got := s.connections(); got != n+1 {
			t.Fatalf("%d connections after %d requests", got, n+1)
		}
	}
}

func TestPooled_drip(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"header": "HTTP/1.1 200 OK\r\nX-A: ",
		"body":   "HTTP/1.1 200 OK\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				if _, err := p.next(); err != nil {
					return
				}
				p.say(head)
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-tick.C:
						if _, err := io.WriteString(p.Conn, "a"); err != nil {
							return
						}
					case <-p.s.done():
						return
					}
				}
			})
			e := newEngine(t, engine.Config{})
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := exchange(e, post(t, s.url+"/a").WithContext(ctx))
			var got *engine.Error
			if !errors.As(err, &got) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("exchange = %v, want *engine.Error with the context's", err)
			}
			eventually(t, "the connection goes", func() bool { return e.Stats().Open == 0 })
		})
	}
}

// Nobody asked for another protocol, and no context would bound it.
func TestPooled_switchingProtocols(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), func(p *peer) {
		if _, err := p.next(); err != nil {
			return
		}
		p.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		p.hang()
	})
	e := newEngine(t, engine.Config{})
	status, err := exchange(e, post(t, s.url+"/a"))
	if status != http.StatusSwitchingProtocols || err != nil {
		t.Errorf("exchange = %d, %v, want 101, nil", status, err)
	}
	eventually(t, "the connection goes", func() bool { return e.Stats() == engine.Stats{Opened: 1} })
}

// Nothing is inflated that nobody asked to be deflated.
func TestPooled_asksForNoCompression(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := serve(t, serverTLS(), func(p *peer) {
		req, err := p.next()
		if err != nil {
			return
		}
		asked <- req.Header.Get("Accept-Encoding")
		p.ok()
	})
	mustExchange(t, newEngine(t, engine.Config{}), post(t, s.url+"/a"))
	if got := <-asked; got != "" {
		t.Errorf("Accept-Encoding = %q, want none", got)
	}
}
