//go:build unix

package fasthttp

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// prober reads from a socket without waiting.
type prober struct {
	raw syscall.RawConn // nil: the connection is none of the system's
	try func(fd uintptr) bool
	b   []byte
	n   int
	err error
}

func (p *prober) init(c net.Conn) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return
	}
	p.raw = raw
	p.try = func(fd uintptr) bool {
		for {
			p.n, p.err = syscall.Read(int(fd), p.b) // a file descriptor is an int
			if !errors.Is(p.err, syscall.EINTR) {
				return true
			}
		}
	}
}

func (p *prober) read(c net.Conn, b []byte, idle time.Duration) (int, error) {
	if p.raw == nil {
		return briefly(c, b, idle)
	}
	p.b = b
	err := p.raw.Read(p.try)
	p.b = nil
	switch {
	case err != nil:
		return 0, err
	case errors.Is(p.err, syscall.EAGAIN):
		return 0, nothing{}
	case p.err != nil:
		return 0, p.err
	case p.n == 0 && len(b) > 0:
		return 0, io.EOF
	default:
		return p.n, nil
	}
}
