package fasthttp

import (
	"slices"
	"time"
)

// take returns a living idle connection to t, the youngest, or nil. Those
// that are too old, closed by the server or spoken to unasked are closed.
func (e *Engine) take(t target) *conn {
	for {
		now := time.Now()
		var c, stale *conn
		e.mu.Lock()
		for i, young := range slices.Backward(e.idle) {
			if young.target != t {
				continue
			}
			c = young
			e.removeLocked(i)
			if c.retired || now.Sub(c.last) > c.keep {
				e.stats.Stale++
				c, stale = nil, c
			}
			break
		}
		e.mu.Unlock()
		switch {
		case stale != nil:
			stale.close()
		case c == nil:
			return nil
		case c.alive(now):
			return c
		default:
			c.close()
		}
	}
}

// removeLocked takes a connection out of the idle ones.
func (e *Engine) removeLocked(i int) {
	copy(e.idle[i:], e.idle[i+1:])
	e.idle[len(e.idle)-1] = nil
	e.idle = e.idle[:len(e.idle)-1]
}

// put makes c idle. used says that it has carried a request.
func (e *Engine) put(c *conn, used bool) {
	e.mu.Lock()
	keep := !e.ended && !c.retired
	if keep {
		c.used = c.used || used
		c.last = time.Now()
		e.idle = append(e.idle, c)
		e.sweepAfterLocked(c.keep)
	}
	e.mu.Unlock()
	if !keep {
		c.close()
	}
}

// sweepAfterLocked sees to it that idle connections are looked at in d.
func (e *Engine) sweepAfterLocked(d time.Duration) {
	if e.sweep == nil {
		e.sweep = time.AfterFunc(d, e.clean)
		e.sweepAt = time.Now().Add(d)
		return
	}
	if at := time.Now().Add(d); e.sweepAt.IsZero() || at.Before(e.sweepAt) {
		e.sweepAt = at
		e.sweep.Reset(d)
	}
}

// clean closes the connections that have been idle too long.
func (e *Engine) clean() {
	now := time.Now()
	var old []*conn
	e.mu.Lock()
	e.sweepAt = time.Time{}
	next := time.Duration(-1)
	for i, c := range slices.Backward(e.idle) {
		left := c.keep - now.Sub(c.last)
		switch {
		case left <= 0:
			e.removeLocked(i)
			old = append(old, c)
		case next < 0 || left < next:
			next = left
		}
	}
	if next >= 0 && !e.ended {
		e.sweepAfterLocked(next)
	}
	e.mu.Unlock()
	for _, c := range old {
		c.close()
	}
}

// makeRoom closes an idle connection if MaxConns are open. The caller holds
// a place, so that one is idle then.
func (e *Engine) makeRoom() {
	for {
		e.mu.Lock()
		var c *conn
		if e.opening+len(e.conns) >= e.cfg.MaxConns && len(e.idle) > 0 {
			c = e.idle[0]
			e.removeLocked(0)
		} else {
			e.opening++
		}
		e.mu.Unlock()
		if c == nil {
			return
		}
		c.close()
	}
}

// opened counts the connection for which room was made, or nil if none came.
func (e *Engine) opened(c *conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opening--
	if c != nil {
		e.conns[c] = struct{}{}
		e.stats.Opened++
	}
}
