package bizppuriotest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// engineCheck tries one rule.
type engineCheck struct {
	ctx       context.Context //nolint:containedctx // as that of a testing.T
	rule      string
	ca        *authority
	newEngine func(engine.Config) engine.Engine
	patience  time.Duration // with what takes milliseconds
	calls     sync.WaitGroup

	mu       sync.Mutex
	broken   []error
	said     map[string]bool
	n        int // requests made
	wires    []*wire
	engines  []engine.Engine
	results  []*engineResult
	cleanups []func()
}

// run tries the rule on a goroutine of its own, which [engineCheck.stop] ends.
func (c *engineCheck) run(ctx context.Context, try func(*engineCheck)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.ctx = ctx
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				c.broke("panicked: %v", p)
			}
		}()
		try(c)
	}()
	<-done
	c.finish(cancel)
	return errors.Join(c.broken...)
}

// broke notes what is wrong, once for each wording.
func (c *engineCheck) broke(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := fmt.Errorf("engine rule %q: "+format, append([]any{c.rule}, args...)...)
	if c.ctx.Err() != nil || c.said[err.Error()] {
		return // what an ended check sees means nothing
	}
	c.said[err.Error()] = true
	c.broken = append(c.broken, err)
}

// stop notes what is wrong and ends the goroutine that calls it.
func (c *engineCheck) stop(format string, args ...any) {
	c.broke(format, args...)
	runtime.Goexit()
}

// whole reports whether nothing is broken yet.
func (c *engineCheck) whole() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.broken) == 0
}

// limit bounds a wait. Where a rule is broken already, the wait is short.
func (c *engineCheck) limit() time.Duration {
	if !c.whole() {
		return c.patience / 10
	}
	return c.patience
}

// finish closes everything and compares what the engine said with what the
// servers saw.
func (c *engineCheck) finish(cancel func()) {
	c.mu.Lock()
	wires, engines := c.wires, c.engines
	c.mu.Unlock()
	for _, e := range engines {
		c.closeEngine(e)
	}
	if c.whole() && !c.within(func() bool {
		for _, w := range wires {
			if _, open := w.conns(); open > 0 {
				return false
			}
		}
		return true
	}) {
		c.broke("connections are open after Close, with no request on its way")
	}
	for _, w := range wires {
		w.close() // which ends calls that hang
	}
	for _, f := range c.cleanups {
		f()
	}
	c.checkResults()
	cancel()
	if !c.waitFor(c.calls.Wait) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.broken = append(c.broken, fmt.Errorf("engine rule %q: a call does not end when context and server have", c.rule))
	}
}

// checkResults holds every call against the two laws that nothing excuses.
func (c *engineCheck) checkResults() {
	c.mu.Lock()
	results := make([]engineResult, len(c.results)) // copies: calls may still run
	for i, r := range c.results {
		results[i] = *r
	}
	c.mu.Unlock()
	for _, r := range results {
		times, saw := 0, false
		for _, w := range c.wires {
			times += w.times(r.path)
			saw = saw || w.saw(r.line)
		}
		if times > 1 {
			c.broke("one call put its request on the wire more than once")
		}
		switch {
		case !r.done:
		case r.err == nil && !saw && !r.excused:
			c.broke("an answer was returned for a request of which the server saw nothing")
		case r.notSent && saw:
			c.broke("an error says NotSent, and the server has seen the request")
		}
	}
	for _, r := range results {
		if r.body != nil && r.done && !c.within(r.body.closed.Load) {
			c.broke("the body of a request was not closed")
			return
		}
	}
}

// within waits until ok holds, which needs nothing more to be done.
func (c *engineCheck) within(ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(c.limit())
	defer end.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end.C:
			return false
		case <-c.ctx.Done():
			return false
		}
	}
	return true
}

// waitFor reports whether f returned in time.
func (c *engineCheck) waitFor(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(c.limit())
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// pause lets time pass.
func (c *engineCheck) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ctx.Done():
	}
}

// receive takes a value that must come.
func receive[T any](c *engineCheck, ch <-chan T, what string) T {
	timer := time.NewTimer(c.limit())
	defer timer.Stop()
	select {
	case v := <-ch:
		return v
	case <-timer.C:
	case <-c.ctx.Done():
	}
	c.stop("%s", what)
	panic("not reached")
}

// serverTLS is the configuration of an ordinary server.
func (c *engineCheck) serverTLS() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c.ca.leaf}, MinVersion: tls.VersionTLS12}
}

// wire starts a server.
func (c *engineCheck) wire(on map[string]wireHandler) *wire {
	return c.wireWith(c.serverTLS(), nil, on)
}

func (c *engineCheck) wireWith(cfg *tls.Config, greet func(*wireConn) bool, on map[string]wireHandler) *wire {
	w, err := newWire(cfg)
	if err != nil {
		c.stop("no server could be started: %w", err)
	}
	w.greet = greet
	w.on["hold"] = (*wireConn).hold
	maps.Copy(w.on, on)
	w.start()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wires = append(c.wires, w)
	return w
}

// clientTLS trusts the servers of the check.
func (c *engineCheck) clientTLS() *tls.Config {
	return &tls.Config{RootCAs: c.ca.pool, MinVersion: tls.VersionTLS12}
}

// engine makes an engine that trusts the servers of the check, knows no
// proxy and keeps idle connections, where cfg says nothing else.
func (c *engineCheck) engine(cfg engine.Config) engine.Engine {
	if cfg.TLS == nil {
		cfg.TLS = c.clientTLS()
	}
	if cfg.Proxy == nil {
		cfg.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } //nolint:nilnil // no proxy
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = time.Minute
	}
	if cfg.AcquireTimeout == 0 {
		cfg.AcquireTimeout = enginePatience
	}
	if cfg.DialTimeout == 0 {
		cfg.DialTimeout = enginePatience / 2
	}
	e := c.newEngine(cfg)
	if e == nil {
		c.stop("newEngine returned nil")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.engines = append(c.engines, e)
	return e
}

// closeEngine calls Close, which must return.
func (c *engineCheck) closeEngine(e engine.Engine) {
	errs := make(chan error, 1)
	if !c.waitFor(func() { errs <- e.Close() }) {
		c.broke("Close does not return")
		return
	}
	if err := <-errs; err != nil {
		c.broke("Close failed: %w", err)
	}
}
