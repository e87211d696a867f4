package token

import (
	"context"
	"errors"
	"runtime/debug"
	"time"
)

// flight is one shared fetch. tok and err are set before done is closed.
type flight struct {
	done   chan struct{}
	cancel context.CancelFunc
	tok    Token
	err    error
}

// landed returns a flight that is over.
func landed(t Token, err error) *flight {
	f := &flight{done: make(chan struct{}), tok: t, err: err}
	close(f.done)
	return f
}

// begin starts a flight with the values of ctx, but not its end. The caller
// holds mu and has seen that there is no flight and no Close.
func (c *Cache) begin(ctx context.Context) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{done: make(chan struct{}), cancel: cancel}
	c.flight = f
	c.flights.Go(func() { c.fly(ctx, f) })
	return f
}

// fly gets a token, hands it to those who wait and then to the Store. The
// flight lands whatever the user's code does: return, panic or end the
// goroutine.
func (c *Cache) fly(ctx context.Context, f *flight) {
	defer f.cancel()

	var t Token
	var fetched, remember bool
	err := errExited
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		c.mu.Lock()
		if c.flight == f { // else Close has landed it
			c.land(f, t, err, remember)
		}
		c.mu.Unlock()
		if err == nil && fetched {
			c.save(context.WithoutCancel(ctx), t)
		}
	}()
	t, fetched, err = c.obtain(ctx)
	remember = permanent(err) || errors.Is(err, ErrUnusable)
}

// land ends c.flight, which is f, and wakes its waiters. remember says that err
// is the answer for the next while. The caller holds mu.
func (c *Cache) land(f *flight, t Token, err error, remember bool) {
	now := time.Now()
	c.flight = nil
	if remember {
		c.failed, c.failedUntil = err, now.Add(failureMemory)
	}
	if err == nil {
		c.keep(newEntry(t, now, c.early))
		if d := c.dropped; d != nil {
			c.dropped = &Token{Value: d.Value} // t is the measure from now on
		}
	} else if e := c.cur.Load(); e != nil {
		e.postpone(now)
	}
	f.tok, f.err = t, err
	close(f.done)
}

// obtain takes a token from the Store or fetches it. fetched says which.
func (c *Cache) obtain(ctx context.Context) (t Token, fetched bool, err error) {
	if c.store != nil {
		if t, err := c.store.load(ctx); err == nil && c.newer(t) {
			return t, false, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for range 2 { // a token that is no good on arrival: once more, never a loop
		t, err := c.fetch(ctx)
		if err != nil {
			return Token{}, false, detach(err)
		}
		if t.usable(time.Now().Round(0)) {
			return t, true, nil
		}
	}
	return Token{}, false, ErrUnusable
}

// newer reports whether a token out of the Store is worth more than a fetch:
// good now, not the one last invalidated nor, until it has been replaced,
// older than it, and expiring later than the one we have.
func (c *Cache) newer(t Token) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Expires.IsZero() || !t.usable(time.Now().Round(0)) {
		return false
	}
	if d := c.dropped; d != nil && (t.Value == d.Value || t.Expires.Before(d.Expires)) {
		return false
	}
	e := c.cur.Load()
	return e == nil || t.Value != e.tok.Value && t.Expires.After(e.tok.Expires)
}

// save gives t to the Store. Calls are one at a time, so that a slow one never
// overwrites a newer token; while one is under way, the newest waits for it.
func (c *Cache) save(ctx context.Context, t Token) {
	if c.store == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaved = &t
	if c.saving {
		return
	}
	c.saving = true
	for c.unsaved != nil {
		t := *c.unsaved
		c.unsaved = nil
		c.mu.Unlock()
		_ = c.store.save(ctx, t) // a broken Store changes nothing
		c.mu.Lock()
	}
	c.saving = false
}
