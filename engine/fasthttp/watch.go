package fasthttp

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
// Those who share an Engine and report about it to the same place name that
// place by an equal key, which must be comparable: a second watch with it is
// refused while the first lasts, so that nothing is reported twice.
func (e *Engine) Watch(key any, closed func(open time.Duration)) (stop func(), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, taken := e.watches[key]; taken {
		return func() {}, false
	}
	if e.watches == nil {
		e.watches = make(map[any]func(time.Duration))
	}
	e.watches[key] = closed
	return sync.OnceFunc(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.watches, key)
	}), true
}

// gone tells those who watch that c was closed.
func (c *conn) gone() {
	open := time.Since(c.since)
	c.e.mu.Lock()
	watches := slices.Collect(maps.Values(c.e.watches))
	c.e.mu.Unlock()
	for _, closed := range watches {
		closed(open)
	}
}
