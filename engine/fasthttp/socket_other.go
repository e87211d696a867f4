//go:build !unix

package fasthttp

import (
	"net"
	"time"
)

// prober reads from a connection and waits very little.
type prober struct{}

func (*prober) init(net.Conn) {}

func (*prober) read(c net.Conn, b []byte, idle time.Duration) (int, error) {
	return briefly(c, b, idle)
}
