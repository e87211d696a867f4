package token

// WithLock calls f while the lock of c is held.
func WithLock(c *Cache, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// ReadsClock reports whether a hit reads the clock.
func ReadsClock(c *Cache) bool { return c.cur.Load().clocked.Load() }
