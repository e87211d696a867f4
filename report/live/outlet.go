package live

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// outlet is where a reader's bytes go. One goroutine at a time calls write and
// close; abort may come from any other. A [socket] can do more.
type outlet interface {
	// write writes all of b and waits for it. After an error the connection is
	// of no more use.
	write(b []byte, deadline time.Time) error
	// close ends the connection in good order.
	close()
	// abort ends it at once; a write that waits fails.
	abort()
}

// newOutlet picks the outlet for a hijacked connection. Only the bare sockets
// of net are written to without waiting: any other type may do something with
// the bytes, as TLS does, where a write that was cut short cannot be resumed.
func newOutlet(c net.Conn) outlet {
	s := stream{conn: c}
	switch c := c.(type) {
	case *net.TCPConn:
		return newSocket(s, c)
	case *net.UnixConn:
		return newSocket(s, c)
	}
	return &s
}

// stream is a connection that can only be written to by waiting.
type stream struct{ conn net.Conn }

func (s *stream) write(b []byte, deadline time.Time) error {
	if err := s.conn.SetWriteDeadline(deadline); err != nil {
		return err
	}
	if _, err := s.conn.Write(b); err != nil {
		return err
	}
	return s.conn.SetWriteDeadline(time.Time{})
}

func (s *stream) close() { _ = s.conn.Close() }

func (s *stream) abort() {
	c := s.conn
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn() // tls.Conn.Close would wait to say goodbye
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // the kernel drops what it still has for a stalled client
	}
	_ = c.Close()
}

// socket is a plain connection, which takes what fits and says so.
type socket struct {
	stream

	raw syscall.RawConn
}

func newSocket(s stream, c syscall.Conn) outlet {
	raw, err := c.SyscallConn()
	if err != nil {
		return &s
	}
	return &socket{stream: s, raw: raw}
}

// offer writes as much of b as the connection takes without waiting.
func (s *socket) offer(a *attempt, b []byte) (int, error) { return a.write(s.raw, b) }

// gone reports whether the client has closed the connection, and drops what it
// has sent: nobody else reads that.
func (s *socket) gone(a *attempt) bool { return a.drain(s.raw) }

// response is a ResponseWriter that cannot be hijacked. Its handler does all
// the writing.
type response struct {
	w       http.ResponseWriter
	control *http.ResponseController
	aborted atomic.Bool
	endless bool // the ResponseWriter knows no deadlines
}

func (o *response) write(b []byte, deadline time.Time) error {
	if o.aborted.Load() {
		return os.ErrClosed
	}
	if err := o.deadline(deadline); err != nil {
		return err
	}
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	if err := o.control.Flush(); err != nil {
		return err
	}
	return o.deadline(time.Time{})
}

// deadline does without one where the ResponseWriter knows none.
func (o *response) deadline(t time.Time) error {
	err := o.control.SetWriteDeadline(t)
	if errors.Is(err, http.ErrNotSupported) {
		o.endless = true
		return nil
	}
	return err
}

func (*response) close() {} // that is its handler's return

func (o *response) abort() { o.aborted.Store(true) }
