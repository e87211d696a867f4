package engine_test

import (
	"context"
	"errors"
	"io"
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
