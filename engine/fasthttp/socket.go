package fasthttp

import (
	"errors"
	"net"
	"time"
)

// nothing is what a probing read returns when there is nothing to read. TLS
// forgets it, because it is temporary.
type nothing struct{}

func (nothing) Error() string   { return "there is nothing to read" }
func (nothing) Timeout() bool   { return true }
func (nothing) Temporary() bool { return true }

// isNothing reports whether err says that a probing read found nothing.
func isNothing(err error) bool { return errors.Is(err, nothing{}) }

// socket is a connection below TLS that can be read without waiting.
type socket struct {
	net.Conn
	probing bool
	found   bool          // the latest probe has read something
	idle    time.Duration // while probing: how long nothing was read
	now     prober
}

func newSocket(c net.Conn) *socket {
	s := &socket{Conn: c}
	s.now.init(c)
	return s
}

// probe makes reads return at once until probed is called.
func (s *socket) probe(idle time.Duration) { s.probing, s.found, s.idle = true, false, idle }

func (s *socket) probed() { s.probing = false }

func (s *socket) Read(b []byte) (int, error) {
	if s.probing {
		n, err := s.now.read(s.Conn, b, s.idle)
		s.found = s.found || n > 0
		return n, err
	}
	return s.Conn.Read(b)
}
