//go:build unix

package live

import (
	"errors"
	"syscall"
)

// attempt is a read or write that does not wait. A shard has one and uses it
// for all its readers, because a function literal for each write would be an
// allocation for each write. The zero value is ready.
type attempt struct {
	buf       []byte
	n         int
	err       error
	writer    func(fd uintptr) bool
	reader    func(fd uintptr) bool
	throwaway [512]byte
}

// write writes as much of b as the socket has room for.
func (a *attempt) write(c syscall.RawConn, b []byte) (int, error) {
	if a.writer == nil {
		a.writer = a.doWrite
	}
	a.buf, a.n, a.err = b, 0, nil
	err := c.Write(a.writer)
	a.buf = nil
	return a.n, errors.Join(err, a.err)
}

func (a *attempt) doWrite(fd uintptr) bool {
	for a.n < len(a.buf) {
		n, err := syscall.Write(int(fd), a.buf[a.n:])
		switch {
		case n > 0:
			a.n += n
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return true
		default:
			a.err = err
			return true
		}
	}
	return true
}

// drain drops what the client has sent and reports whether it has closed its
// side.
func (a *attempt) drain(c syscall.RawConn) (closed bool) {
	if a.reader == nil {
		a.reader = a.doRead
	}
	a.err = nil
	err := c.Read(a.reader)
	return err != nil || a.err != nil
}

func (a *attempt) doRead(fd uintptr) bool {
	for range 64 { // a client that never stops sending must not hold the shard
		n, err := syscall.Read(int(fd), a.throwaway[:])
		switch {
		case n > 0, errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return true
		case err == nil:
			a.err = syscall.EPIPE // end of file
			return true
		default:
			a.err = err
			return true
		}
	}
	return true
}
