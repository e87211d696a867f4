package bizppuriotest

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// idleRule says when and how an idle connection ends.
type idleRule struct {
	d   time.Duration
	how End
}

// listener hands out connections that count and can misbehave.
type listener struct {
	net.Listener
	s *Server
}

func (l *listener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.s.newConn(raw), nil
}

// conn is a connection of the server, seen above TLS.
type conn struct {
	net.Conn // TLS, or TCP for plain HTTP
	raw      net.Conn
	s        *Server
	greeted  sync.Once
	left     sync.Once

	mu    sync.Mutex
	scan  refKeyScanner
	fresh bool   // the next byte read begins a request
	line  []byte // of the request line, until it is complete
	fault *Fault // for the request whose line was read
	idle  *time.Timer
	busy  bool // a request is being read or answered
	dead  bool // ended by the idle timer

	drip  time.Duration // pause before each byte written
	after *idleRule     // for the next idle time, in place of the server's
	stale *reply        // desynchronised: the answer that the next request gets
}

func (s *Server) newConn(raw net.Conn) *conn {
	c := &conn{Conn: raw, raw: raw, s: s, fresh: true}
	below := raw
	if s.opt.rtt > 0 {
		turns := &turnConn{Conn: raw, s: s, rtt: s.opt.rtt}
		turns.waits.Store(2) // one for TCP's own handshake
		below = turns
	}
	if s.opt.plain {
		c.Conn = below
	} else {
		c.Conn = tls.Server(below, s.tls)
	}
	s.ledger.opened()
	s.track(c)
	return c
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	c.greeted.Do(c.greet)
	n, err := c.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	early, dead := c.took(p[:n])
	switch {
	case dead:
		return 0, net.ErrClosed
	case early != nil:
		early(c)
		return 0, net.ErrClosed
	}
	return n, err
}

// greet shakes hands; the connection is idle from then on. A handshake that
// failed makes every Read fail.
func (c *conn) greet() {
	if t, ok := c.Conn.(*tls.Conn); ok {
		if t.HandshakeContext(context.Background()) != nil {
			return
		}
		state := t.ConnectionState()
		if state.DidResume {
			c.s.ledger.resume()
		}
		if state.NegotiatedProtocol == "h2" {
			c.s.ledger.violation("HTTP/2 was chosen in the TLS handshake")
			c.mu.Lock()
			c.dead = true
			c.mu.Unlock()
			_ = c.Close()
			return
		}
	}
	c.setIdle(true, c.s.opt.idle, c.s.opt.idleEnd)
}

// took notes bytes that came out of the connection. It returns what has to
// be done instead of giving them to the HTTP server, if anything.
func (c *conn) took(p []byte) (early func(*conn), dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scan.scan(p, c.s.ledger.saw)
	if c.dead {
		return nil, true
	}
	c.busy = true
	c.stopIdle()
	if !c.fresh {
		return nil, false
	}
	c.line = append(c.line, p...)
	end := bytes.IndexByte(c.line, '\n')
	if end < 0 && len(c.line) < 4096 {
		return nil, false
	}
	c.fresh = false
	path, ok := requestPath(c.line)
	c.line = c.line[:0]
	if !ok {
		return nil, false
	}
	if path, ok = strings.CutPrefix(path, c.s.opt.prefix); !ok {
		return nil, false
	}
	c.s.ledger.request(path)
	c.fault = c.s.faults.take(path)
	if c.fault != nil {
		return c.fault.early, false
	}
	return nil, false
}

// requestPath reads "POST /path HTTP/1.1".
func requestPath(b []byte) (string, bool) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) != 3 || !strings.HasPrefix(fields[2], "HTTP/1.") {
		return "", false
	}
	path, _, _ := strings.Cut(fields[1], "?")
	return path, true
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.fresh, c.line = true, c.line[:0]
	drip := c.drip
	c.mu.Unlock()
	if drip == 0 {
		return c.Conn.Write(p)
	}
	for i := range p {
		if !c.s.wait(drip, nil) {
			return i, net.ErrClosed
		}
		if _, err := c.Conn.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.gone()
	return err
}

// reset ends the connection with a TCP reset.
func (c *conn) reset() {
	if tcp, ok := c.raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.raw.Close()
	c.gone()
}

// gone lets go of the connection, once.
func (c *conn) gone() {
	c.left.Do(func() {
		c.mu.Lock()
		c.stopIdle()
		c.mu.Unlock()
		c.s.untrack(c)
		c.s.ledger.closed()
	})
}

// drain reads until the peer leaves or the server closes.
func (c *conn) drain() { _, _ = io.Copy(io.Discard, c.Conn) }

// takeFault returns the misbehaviour chosen for the request being served.
func (c *conn) takeFault() *Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.fault
	c.fault = nil
	return f
}

func (c *conn) setDrip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drip = d
}

// setIdle says that no request is being served, or that one is. d and how
// say after what time and how an idle connection ends; d 0: never.
func (c *conn) setIdle(idle bool, d time.Duration, how End) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopIdle()
	c.busy = !idle
	if !idle {
		return
	}
	c.drip = 0
	if d > 0 && !c.dead {
		c.idle = time.AfterFunc(d, func() { c.endIdle(how) })
	}
}

func (c *conn) stopIdle() {
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
}

// endIdle ends the connection unless a request came in between. From then on
// bytes that arrive are noted as seen and go no further.
func (c *conn) endIdle(how End) {
	c.mu.Lock()
	if c.busy {
		c.mu.Unlock()
		return
	}
	c.dead = true
	c.mu.Unlock()
	switch how {
	case RST:
		c.reset()
	case Push408:
		_, _ = c.Conn.Write([]byte("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		_ = c.Close()
	case FIN:
		_ = c.Close()
	}
}

// turnConn makes the peer wait one round trip whenever the conversation
// turns to it.
type turnConn struct {
	net.Conn
	s     *Server
	rtt   time.Duration
	waits atomic.Int32 // round trips due before the next bytes are read
}

func (t *turnConn) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if n > 0 {
		if due := t.waits.Swap(0); due > 0 {
			t.s.simulate(time.Duration(due)*t.rtt, nil)
		}
	}
	return n, err
}

func (t *turnConn) Write(p []byte) (int, error) {
	t.waits.Store(1)
	return t.Conn.Write(p)
}
