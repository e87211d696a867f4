package engine

import (
	"context"
	"net"
	"time"
)

// SetDial replaces the function that opens sockets.
func (p *Pooled) SetDial(f func(ctx context.Context, network, addr string) (net.Conn, error)) {
	p.dialTCP = f
}

// Age makes every connection look idle for d longer than it was.
func (p *Pooled) Age(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.last = c.last.Add(-d)
	}
}

// Filled shows the defaults of a Config.
func (c Config) Filled() Config { return c.filled() }

// KeepAlive shows how a Keep-Alive header is read.
func KeepAlive(lines ...string) (time.Duration, bool) { return keepAlive(lines) }
