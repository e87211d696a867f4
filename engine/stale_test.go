package engine_test

import (
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// Case 22: a stale connection is refused before its first byte, and the
// request moves to a new one.
func TestPooled_stale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		idle      time.Duration
		keepAlive string
		age       time.Duration
		stale     uint64
	}{
		{"young", time.Minute, "", 59 * time.Second, 0},
		{"old", time.Minute, "", 61 * time.Second, 1},
		{"the server's limit", time.Minute, "timeout=10", 10 * time.Second, 1},
		{"within the server's limit", time.Minute, "timeout=30, max=5", 9 * time.Second, 0},
		{"a longer limit of the server", time.Minute, "timeout=600", 61 * time.Second, 1},
		{"no time at all", time.Minute, "timeout=0", 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					if _, err := p.next(); err != nil {
						return
					}
					line := ""
					if row.keepAlive != "" {
						line = "Keep-Alive: " + row.keepAlive + "\r\n"
					}
					p.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + line + "\r\nok")
				}
			})
			e := newEngine(t, engine.Config{IdleTimeout: row.idle})
			mustExchange(t, e, post(t, s.url+"/first"))
			e.Age(row.age)
			mustExchange(t, e, post(t, s.url+"/second"))
			if got := e.Stats(); got.Stale != row.stale || got.Opened != 1+row.stale || got.Reused != 1-row.stale {
				t.Errorf("Stats() = %+v, want %d stale, %d opened", got, row.stale, 1+row.stale)
			}
			if n := s.times("second"); n != 1 {
				t.Errorf("the server read the request %d times, want 1", n)
			}
		})
	}
}

// Without GetBody the request cannot move, but it is proven unsent.
func TestPooled_staleWithoutGetBody(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	mustExchange(t, e, post(t, s.url+"/first"))
	e.Age(time.Hour)
	req := post(t, s.url+"/second")
	req.GetBody = nil
	_, err := exchange(e, req)
	wantError(t, err, engine.Write, true)
	if !strings.Contains(err.Error(), "idle too long") {
		t.Errorf("Error() = %q, want the reason", err)
	}
	if s.saw("second") {
		t.Error("the server saw a request that is said to be unsent")
	}
}

func TestPooled_allStale(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	var held []func()
	for range 10 {
		held = append(held, holdOpen(t, e, s.url+"/first"))
	}
	for _, free := range held {
		free()
	}
	e.Age(time.Hour)
	mustExchange(t, e, post(t, s.url+"/second"))
	if got := e.Stats(); got.Stale != 10 || s.times("second") != 1 {
		t.Errorf("stale = %d, read %d times, want 10 and 1", got.Stale, s.times("second"))
	}
}

// Case 22: the server closed the idle connection long before.
func TestPooled_idleClose(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*peer){
		"FIN": func(*peer) {},
		"RST": (*peer).reset,
		"408": func(p *peer) { p.say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				if p.n > 1 {
					answerAll(p)
					return
				}
				if _, err := p.next(); err == nil {
					p.ok()
					end(p)
				}
			})
			e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
			mustExchange(t, e, post(t, s.url+"/first"))
			eventually(t, "the close is noticed", func() bool { return e.Stats().Open == 0 })
			mustExchange(t, e, post(t, s.url+"/second"))
			if s.times("second") != 1 || s.connections() != 2 {
				t.Errorf("read %d times on %d connections, want 1 on 2", s.times("second"), s.connections())
			}
		})
	}
}

// A write that fails with nothing out on a reused connection.
func TestPooled_deadOnWrite(t *testing.T) {
	t.Parallel()
	for _, movable := range []bool{true, false} {
		t.Run("GetBody "+strconv.FormatBool(movable), func(t *testing.T) {
			t.Parallel()
			s := serve(t, nil, answerAll)
			e := newEngine(t, engine.Config{})
			e.SetDial(failWrite(0, 1))
			mustExchange(t, e, post(t, "http://"+s.addr+"/first"))
			req := post(t, "http://"+s.addr+"/second")
			if movable {
				mustExchange(t, e, req)
			} else {
				req.GetBody = nil
				_, err := exchange(e, req)
				wantError(t, err, engine.Write, true)
			}
			if got := s.times("second"); got == 1 != movable {
				t.Errorf("the server read the request %d times, movable = %t", got, movable)
			}
		})
	}
}

// An answer that arrives before the request is nobody's.
func TestPooled_answerBeforeRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), func(p *peer) {
		p.say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
		p.hang()
	})
	e := newEngine(t, engine.Config{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		eventually(t, "the answer is dropped", func() bool { return e.Stats().Open == 0 })
	}})
	_, err := exchange(e, post(t, s.url+"/a").WithContext(ctx))
	wantError(t, err, engine.Write, true)
	if s.saw("POST") {
		t.Error("the server saw a request that is said to be unsent")
	}
}

func TestPooled_discard(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	resp, err := e.RoundTrip(post(t, s.url+"/first"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	d, ok := resp.Body.(interface{ Discard() })
	if !ok {
		t.Fatalf("Body = %T, want one with Discard()", resp.Body)
	}
	d.Discard()
	resp.Body.Close()
	mustExchange(t, e, post(t, s.url+"/second"))
	if st := e.Stats(); s.connections() != 2 || st.Stale != 1 || s.times("second") != 1 {
		t.Errorf("connections = %d, Stats() = %+v, want 2 connections, 1 stale", s.connections(), st)
	}
}

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		lines []string
		want  time.Duration
		ok    bool
	}{
		{nil, 0, false},
		{[]string{"timeout=5"}, 5 * time.Second, true},
		{[]string{"max=100, Timeout = 7"}, 7 * time.Second, true},
		{[]string{"max=100", `timeout="3"`}, 3 * time.Second, true},
		{[]string{"timeout=-1"}, 0, false},
		{[]string{"timeout"}, 0, false},
		{[]string{"timeout=0"}, 0, true},
		{[]string{"timeout=99999999999999999999"}, (1 << 31) * time.Second, true},
	} {
		if got, ok := engine.KeepAlive(row.lines...); got != row.want || ok != row.ok {
			t.Errorf("keepAlive(%q) = %v, %t, want %v, %t", row.lines, got, ok, row.want, row.ok)
		}
	}
}

// The connection promotes nothing that lets bytes pass uncounted.
func TestPooled_connection(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, answerAll)
	e := newEngine(t, engine.Config{})
	var c net.Conn
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { c = i.Conn }})
	mustExchange(t, e, post(t, "http://"+s.addr+"/a").WithContext(ctx))
	if _, ok := c.(io.ReaderFrom); ok {
		t.Errorf("%T has ReadFrom", c)
	}
	if n, err := c.Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("Write outside of a request = %d, %v, want 0 and an error", n, err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("Close() twice = %v, want nil", err)
	}
}
