package fasthttp

import (
	"errors"
	"net"
	"os"
	"time"
)

const (
	// brief is how long a read waits where there is none without waiting.
	brief = time.Millisecond

	// lately is how long such a connection must have been idle to be worth
	// that wait: a server hardly closes one sooner.
	lately = 100 * time.Millisecond
)

// briefly reads from a connection that cannot be read without waiting.
func briefly(c net.Conn, b []byte, idle time.Duration) (int, error) {
	if idle < lately {
		return 0, nothing{}
	}
	if err := c.SetReadDeadline(time.Now().Add(brief)); err != nil {
		return 0, err
	}
	n, err := c.Read(b)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		err = nothing{}
	}
	if reset := c.SetReadDeadline(time.Time{}); reset != nil && isNothing(err) {
		err = reset
	}
	return n, err
}
