package engine

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"time"
)

// Warm dials a connection to the scheme and host of base ahead of the next
// request, and waits for it. It does nothing where an idle connection stands
// ready, or where MaxConns are open. The next dial takes the connection;
// until then it counts as idle, and goes after IdleTimeout or with
// [Pooled.Close]. Errors are as those of [Pooled.RoundTrip].
func (p *Pooled) Warm(ctx context.Context, base *url.URL) error {
	t, err := targetOf(base)
	switch {
	case err != nil:
		return &Error{Phase: Resolve, Unsent: true, Err: err}
	case ctx.Err() != nil:
		return &Error{Phase: Acquire, Unsent: true, Err: ctxError(ctx)}
	case p.life.Err() != nil:
		return &Error{Phase: Acquire, Unsent: true, Err: ErrClosed}
	case !p.wants(t):
		return nil
	}
	c, failed := p.open(ctx, t)
	if failed == nil {
		failed = p.keepSpare(c)
	}
	switch {
	case failed == nil:
		return nil
	case p.life.Err() != nil:
		return &Error{Phase: Acquire, Unsent: true, Err: ErrClosed}
	}
	return failed
}

// targetOf is the target of requests to u, spelt as net/http spells it.
func targetOf(u *url.URL) (target, error) {
	if u == nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return target{}, errNoHost
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return target{u.Scheme, net.JoinHostPort(u.Hostname(), port)}, nil
}

// wants reports whether a connection to t, dialled now, would be of use.
func (p *Pooled) wants(t target) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if c.target == t && c.user == nil && !c.retired && time.Since(c.last) < c.keep {
			return false
		}
	}
	return p.taken < p.cfg.MaxConns
}

// keepSpare makes c a spare connection, unless the engine was closed. A spare
// has a goroutine that reads from it, as net/http's idle connections have: it
// ends when the peer closes or speaks, when IdleTimeout is over, and when the
// connection is taken or closed.
func (p *Pooled) keepSpare(c *conn) *Error {
	err := c.SetReadDeadline(time.Now().Add(c.keep))
	p.mu.Lock()
	if err == nil {
		err = p.life.Err()
	}
	quiet := make(chan bool, 1)
	if err == nil {
		c.spare = quiet
	}
	p.mu.Unlock()
	if err != nil {
		c.shut()
		return &Error{Phase: Dial, Unsent: true, Err: notTheirs(err)}
	}
	go p.watchSpare(c, quiet)
	return nil
}

// watchSpare reads from c until it is of no use or taken, and tells then
// whether the peer kept quiet.
func (p *Pooled) watchSpare(c *conn, taken chan<- bool) {
	var b [1]byte
	n, err := c.Conn.Read(b[:])
	p.mu.Lock()
	kept := c.spare != nil && !c.retired
	c.retired = c.retired || kept
	p.mu.Unlock()
	if kept {
		c.shut() // too old, or the peer has closed it or spoken
	}
	taken <- n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// takeSpare returns a living spare connection to t, or nil.
func (p *Pooled) takeSpare(t target) *conn {
	for {
		p.mu.Lock()
		var c *conn
		var quiet chan bool
		for s := range p.conns {
			if s.spare != nil && s.target == t && !s.retired {
				c, quiet = s, s.spare
				s.spare = nil
				break
			}
		}
		p.mu.Unlock()
		if c == nil {
			return nil
		}
		err := c.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
		alive := <-quiet
		if err == nil && alive && c.SetReadDeadline(time.Time{}) == nil {
			return c
		}
		c.shut()
	}
}

// sparesLocked retires all spare connections, for the caller to close.
func (p *Pooled) sparesLocked() []*conn {
	var all []*conn
	for c := range p.conns {
		if c.spare != nil && !c.retired {
			c.retired = true
			all = append(all, c)
		}
	}
	return all
}
