package token

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

const (
	// sure is how long before its expiry a token must be asked for with the
	// clock in hand: far more than a timer is ever late.
	sure = time.Minute

	// step is how often the timer compares with the wall clock, which may
	// jump, and goes on while the machine sleeps.
	step = time.Minute

	minBackoff = 5 * time.Second
	maxBackoff = time.Minute
)

// entry is the token in the cache, with what a hit must know about its time.
type entry struct {
	tok     Token
	expires time.Time // without monotonic reading: the wall clock counts
	clocked atomic.Bool

	// refresh is the instant of the next early refresh; nil while one is under
	// way, or when there is none to come.
	refresh atomic.Pointer[time.Time]
	backoff time.Duration // guarded by Cache.mu

	calm  time.Time   // until then clocked is false
	timer *time.Timer // nil: clocked from the start, or never
}

// newEntry takes in t at now, which [Token.usable] has found good.
func newEntry(t Token, now time.Time, early time.Duration) *entry {
	e := &entry{tok: t, expires: t.Expires.Round(0), backoff: minBackoff}
	if t.Expires.IsZero() {
		return e
	}
	life := e.expires.Sub(now.Round(0))
	early = max(min(early, life/10), 0)
	refresh := e.expires.Add(-early + jitter(early))
	e.refresh.Store(&refresh)

	if life < 10*sure {
		e.clocked.Store(true)
		return e
	}
	e.calm = e.expires.Add(-max(early, sure))
	e.timer = time.AfterFunc(life, e.watch)
	e.watch()
	return e
}

// watch sets clocked when its time has come, and else comes back.
func (e *entry) watch() {
	if wait := time.Until(e.calm); wait > 0 && !e.clocked.Load() {
		e.timer.Reset(min(wait, step))
		return
	}
	e.clocked.Store(true)
}

// stop ends the timer. A watch that runs at the same time may come back once.
func (e *entry) stop() {
	e.clocked.Store(true)
	if e.timer != nil {
		e.timer.Stop()
	}
}

// live reports whether the token is good at now.
func (e *entry) live(now time.Time) bool { return e.tok.usable(now.Round(0)) }

// claim reports whether an early refresh is due at now, to one caller only.
func (e *entry) claim(now time.Time) bool {
	at := e.refresh.Load()
	return at != nil && !now.Before(*at) && e.refresh.CompareAndSwap(at, nil)
}

// postpone sets the next early refresh after one that failed at now. The
// caller holds Cache.mu.
func (e *entry) postpone(now time.Time) {
	at := now.Round(0).Add(e.backoff + jitter(e.backoff))
	e.backoff = min(2*e.backoff, maxBackoff)
	e.refresh.Store(&at)
}

// jitter returns up to a fifth of d, so that processes with the same token do
// not all refresh at the same instant.
func jitter(d time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(d)/5 + 1)) //nolint:gosec // spreads load, guards nothing
}
