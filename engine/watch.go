package engine

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Watch has closed called for each connection that ends, with how long it was
// open, until stop is called. It runs on the goroutine that closed the
// connection, and must not wait for anything.
//
// Those who share a Pooled and report about it to the same place name that
// place by an equal key, which must be comparable: a second watch with it is
// refused while the first lasts, so that nothing is reported twice.
func (p *Pooled) Watch(key any, closed func(open time.Duration)) (stop func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.watches[key]; taken {
		return func() {}, false
	}
	if p.watches == nil {
		p.watches = make(map[any]func(time.Duration))
	}
	p.watches[key] = closed
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, key)
	}), true
}

// gone tells those who watch that c was closed.
func (c *conn) gone() {
	open := time.Since(c.since)
	c.pool.mu.Lock()
	watches := slices.Collect(maps.Values(c.pool.watches))
	c.pool.mu.Unlock()
	for _, closed := range watches {
		closed(open)
	}
}
