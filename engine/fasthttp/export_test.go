package fasthttp

import (
	"context"
	"net"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// SetDial replaces the function that opens sockets.
func (e *Engine) SetDial(f func(ctx context.Context, network, addr string) (net.Conn, error)) {
	e.dialTCP = f
}

// Age makes idle connections look idle for d longer than they were.
func (e *Engine) Age(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.idle {
		c.last = c.last.Add(-d)
	}
}

// Filled shows the defaults of a Config.
func Filled(c engine.Config) engine.Config { return filled(c) }

// KeepAlive shows how Keep-Alive lines are read.
func KeepAlive(lines ...string) (time.Duration, bool) { return keepAlive(lines) }

// Lately is how long a connection must have been idle to be looked at where
// that takes time.
const Lately = lately
