package fasthttp_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
)

// opaque is a connection that cannot be read without waiting.
type opaque struct{ net.Conn }

func dialOpaque(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return opaque{c}, nil
}

// A server has ended an idle connection, or said something unasked: the next
// request goes over a fresh one. What the engine sees of it must not depend
// on where the bytes are: in the socket, or read ahead of their time by TLS.
func TestEngine_idle(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	const tooMany = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale"
	for _, row := range []struct {
		name  string
		tls   bool
		first func(*peer)
	}{
		{"close", true, func(p *peer) { p.say(ok) }},
		{"bare close", true, func(p *peer) { p.say(ok); _ = p.raw.Close() }},
		{"reset", true, func(p *peer) { p.say(ok); p.reset() }},
		{"408", true, func(p *peer) {
			p.say(ok)
			p.say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
			_, _ = io.Copy(io.Discard, p)
		}},
		{"another answer", true, func(p *peer) { p.say(ok); p.say(tooMany); _, _ = io.Copy(io.Discard, p) }},
		{"another answer in the same record", true, func(p *peer) { p.say(ok + tooMany); _, _ = io.Copy(io.Discard, p) }},
		{"close, plain", false, func(p *peer) { p.say(ok) }},
		{"another answer, plain", false, func(p *peer) { p.say(ok + tooMany); _, _ = io.Copy(io.Discard, p) }},
	} {
		for _, dial := range []struct {
			name string
			f    dialFunc
		}{{"socket", new(net.Dialer).DialContext}, {"opaque", dialOpaque}} {
			t.Run(row.name+", "+dial.name, func(t *testing.T) {
				t.Parallel()
				cfg := serverTLS()
				if !row.tls {
					cfg = nil
				}
				said := make(chan struct{}, 10)
				s := serve(t, cfg, func(p *peer) {
					req, err := p.next()
					if err != nil {
						return
					}
					if req.URL.Path == "/first" {
						row.first(&peer{Conn: notify{p.Conn, said}, raw: p.raw, s: p.s, r: p.r})
						return
					}
					p.ok()
					answerAll(p)
				})
				e := newEngine(t, engine.Config{})
				e.SetDial(dial.f)
				mustExchange(t, e, post(t, s.url+"/first"))
				if row.name == "close" || row.name == "close, plain" || row.name == "bare close" || row.name == "reset" {
					eventually(t, "the server has closed", func() bool { _, open := s.conns(); return open == 0 })
				}
				for range map[string]int{"408": 2, "another answer": 2}[row.name] {
					<-said
				}
				e.Age(fasthttp.Lately)
				mustExchange(t, e, post(t, s.url+"/second"))
				if n, _ := s.conns(); n != 2 || s.seen("/second") != 1 {
					t.Errorf("connections = %d, seen %d times, want 2, 1", n, s.seen("/second"))
				}
			})
		}
	}
}

// notify tells when something was said.
type notify struct {
	net.Conn
	said chan<- struct{}
}

func (n notify) Write(b []byte) (int, error) {
	defer func() { n.said <- struct{}{} }()
	return n.Conn.Write(b)
}

// A connection that cannot be read without waiting is still reused, whether
// it is looked at or not.
func TestEngine_opaque(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	e.SetDial(dialOpaque)
	for range 10 {
		mustExchange(t, e, post(t, s.url+"/a"))
		e.Age(fasthttp.Lately)
		mustExchange(t, e, post(t, s.url+"/b"))
	}
	if n, _ := s.conns(); n != 1 {
		t.Errorf("connections = %d, want 1", n)
	}
}

// What is too old carries nothing: by IdleTimeout, or by what the server
// announced.
func TestEngine_stale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, header string
		age          time.Duration
		conns        int
	}{
		{"young", "", 59 * time.Second, 1},
		{"old", "", 61 * time.Second, 2},
		{"young for the server", "Keep-Alive: timeout=10\r\n", 9 * time.Second, 1},
		{"old for the server", "Keep-Alive: timeout=10\r\n", 10 * time.Second, 2},
		{"old for the engine", "Keep-Alive: timeout=1000\r\n", 61 * time.Second, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					if _, err := p.next(); err != nil {
						return
					}
					p.say("HTTP/1.1 200 OK\r\n" + row.header + "Content-Length: 2\r\n\r\nok")
				}
			})
			e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
			mustExchange(t, e, post(t, s.url+"/a"))
			e.Age(row.age)
			mustExchange(t, e, post(t, s.url+"/b"))
			n, _ := s.conns()
			if st := e.Stats(); n != row.conns || int(st.Stale) != row.conns-1 {
				t.Errorf("connections = %d, Stats() = %+v, want %d, %d stale", n, st, row.conns, row.conns-1)
			}
		})
	}
}

func TestEngine_discard(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	for _, late := range []bool{false, true} {
		resp, err := e.RoundTrip(post(t, s.url+"/first"))
		if err != nil {
			t.Fatal(err)
		}
		d, ok := resp.Body.(interface{ Discard() })
		if !ok {
			t.Fatalf("Body = %T, want one with Discard()", resp.Body)
		}
		if late {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		d.Discard()
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	mustExchange(t, e, post(t, s.url+"/second"))
	if n, _ := s.conns(); n != 3 {
		t.Errorf("connections = %d, want 3", n)
	}
}
