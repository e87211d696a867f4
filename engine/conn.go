package engine

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// conn stands above TLS, where bytes are the request's and nothing else. It
// promotes only net.Conn: a ReadFrom would let bytes pass uncounted.
type conn struct {
	net.Conn
	pool   *Pooled
	target target
	state  *tls.ConnectionState // nil without TLS
	since  time.Time            // when it was established
	once   sync.Once            // for Close
	spare  chan bool            // see warm.go; nil for a connection in net/http's hands; guarded by pool.mu

	// Guarded by pool.mu.
	user    *attempt      // the request it carries; nil while idle
	dialled *attempt      // the request for which it was dialled, until it carries one
	reused  bool          // net/http took it from its pool, and would redial
	sent    bool          // bytes of user were offered to it
	used    bool          // it carried a request before
	retired bool          // it takes no first byte any more
	begun   int           // how much of beginning the answer has brought
	last    time.Time     // the latest of its creation, read and write
	keep    time.Duration // idle longer than this, it is stale
}

// attachLocked hands the connection to a, which net/http chose for it.
func (c *conn) attachLocked(a *attempt, reused bool) {
	if _, open := c.pool.conns[c]; open && c.user == nil {
		c.pool.stats.InUse++
	}
	c.user, c.dialled, c.reused, c.sent, c.begun = a, nil, reused, false, 0
}

// detachLocked ends the use by a, unless another request has it already.
func (c *conn) detachLocked(a *attempt, now time.Time) {
	if c.user != a {
		return
	}
	if _, open := c.pool.conns[c]; open {
		c.pool.stats.InUse--
	}
	c.user, c.sent, c.used, c.last = nil, false, true, now
}

// Write lets bytes pass that an attempt may still send. A refusal writes
// nothing, upon which net/http takes a new connection if this one was reused.
func (c *conn) Write(b []byte) (int, error) {
	a, err := c.offer(len(b), time.Now())
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.pool.mu.Lock()
	a.wroteLocked(len(b), n, err)
	c.last = time.Now()
	c.pool.mu.Unlock()
	return n, err
}

func (c *conn) offer(n int, now time.Time) (*attempt, error) {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	a := c.user
	if a == nil {
		return nil, errSealed
	}
	a.phase = Write
	if !c.sent {
		if !c.retired && c.reused && now.Sub(c.last) > c.keep {
			c.retired = true
			p.stats.Stale++
			return nil, errStale
		}
		if c.retired {
			p.stats.Stale++
			return nil, errRetired
		}
	}
	if err := a.offerLocked(c, n); err != nil {
		return nil, err
	}
	if !c.sent && c.reused {
		p.stats.Reused++
	}
	c.sent = true
	return a, nil
}

// beginning is how every answer begins.
const beginning = "HTTP/1."

// Read drops what arrives before a request was written: it answers nothing,
// and net/http would take it for the answer or print it.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.pool.mu.Lock()
	asked := c.sent
	if n > 0 {
		if err != nil {
			// TLS tells the end of the connection together with its last bytes,
			// and again with the next read: only if net/http asks for that one
			// did the end cut off the answer.
			err, c.retired = nil, true
		}
		c.last = time.Now()
		c.retired = c.retired || !asked
		if asked && !c.beginsLocked(b[:n]) {
			n = copy(b, "\n") // is refused at once, where net/http might wait for a line's end
		}
	}
	if a := c.user; a != nil {
		a.heard, a.broke = a.heard || n > 0 && asked, a.broke || err != nil
	}
	c.pool.mu.Unlock()
	if n > 0 && !asked {
		return 0, errUnasked
	}
	return n, err
}

// beginsLocked reports whether the answer, of which b comes next, begins as one.
func (c *conn) beginsLocked(b []byte) bool {
	n := min(len(b), len(beginning)-c.begun)
	if string(b[:n]) != beginning[c.begun:c.begun+n] {
		return false
	}
	c.begun += n
	return true
}

// Close closes the connection, once, and makes room for another.
func (c *conn) Close() error {
	var err error
	c.once.Do(func() {
		err = c.Conn.Close()
		c.pool.removed(c)
		c.gone()
	})
	return err
}

// shut closes an idle connection that lost its place. It may be nil.
func (c *conn) shut() {
	if c != nil {
		c.Close() //nolint:errcheck,gosec // it carries nothing
	}
}

// retire makes the connection refuse the next request.
func (c *conn) retire() {
	c.pool.mu.Lock()
	c.retired = true
	c.pool.mu.Unlock()
}
