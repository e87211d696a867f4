//go:build !unix

package live

import "syscall"

// attempt never gets anything done here: every write waits, on a goroutine of
// its own.
type attempt struct{}

func (*attempt) write(syscall.RawConn, []byte) (int, error) { return 0, nil }

func (*attempt) drain(syscall.RawConn) (closed bool) { return false }
