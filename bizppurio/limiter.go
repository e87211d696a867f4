package bizppurio

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/go-bizppurio/sdk/internal/wire"
)

// limiter is the one gate that all calls of a Client pass: our own rate, and
// the vendor's limit. Calls that have to wait form a queue. The first of it
// has the turn: it waits for its moment, goes, and hands the turn on. So calls
// leave a hold one by one, and a caller that gives up costs the others nothing.
type limiter struct {
	own  *rate.Limiter // nil: no rate of our own
	turn chan struct{} // full while somebody has the turn
	news chan struct{} // tells the one that has it of an answer

	mu     sync.Mutex
	queued int   // calls that wait for or have the turn
	eager  bool  // the one that has the turn waits for an answer
	quota  quota // the vendor's limit
}

const (
	// longestHold is the longest wait for the vendor's limit that a call sits
	// out; beyond it the call returns at once and says when to come back.
	longestHold = time.Minute
	// blindHold is the hold after a refusal that does not say how long.
	blindHold = 100 * time.Millisecond
)

func newLimiter(perSecond float64) *limiter {
	l := &limiter{turn: make(chan struct{}, 1), news: make(chan struct{}, 1)}
	if perSecond > 0 {
		l.own = rate.NewLimiter(rate.Limit(perSecond), int(max(1, math.Min(perSecond, 1<<30))))
	}
	return l
}

var errRate = errors.New("rate limit: the wait does not fit")

// wait returns when the call may go; its end must be told to leave, with the
// number returned. When the wait would outlast ctx it returns at once, with
// the time after which it is worth trying again.
func (l *limiter) wait(ctx context.Context) (number int, after time.Duration, err error) {
	return l.queue(ctx, false)
}

// rejoin is wait for a call that was let through, with that number, and then
// waited for something else: what was learned meanwhile holds it, too. Of our
// own rate it has its share already. If it fails, the call is over for the
// limiter.
func (l *limiter) rejoin(ctx context.Context, number int) (_ int, after time.Duration, err error) {
	l.leave(number)
	return l.queue(ctx, true)
}

// queue is wait; paid says that the call has its share of our own rate, and
// was let through before those that wait for theirs.
func (l *limiter) queue(ctx context.Context, paid bool) (number int, after time.Duration, err error) {
	l.mu.Lock()
	now := time.Now()
	d, soon := l.due(now, paid)
	if d == 0 && (paid || l.queued == 0) {
		defer l.mu.Unlock()
		return l.pass(now, paid), 0, nil
	}
	d += time.Duration(l.queued) * l.interval()
	if !soon && !l.sensible(ctx, d) {
		defer l.mu.Unlock()
		return 0, d, errRate
	}
	l.queued++
	l.mu.Unlock()
	defer l.unqueue()
	select {
	case l.turn <- struct{}{}: // first come, first served, but for those that paid
		defer func() { <-l.turn }()
		return l.first(ctx, paid)
	case <-ctx.Done():
		return 0, rest(d, now), ctx.Err()
	}
}

func (l *limiter) unqueue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queued--
}

// first waits with the turn in hand.
func (l *limiter) first(ctx context.Context, paid bool) (number int, after time.Duration, err error) {
	for {
		l.mu.Lock()
		now := time.Now()
		d, soon := l.due(now, paid)
		l.eager = soon
		switch {
		case d == 0:
			defer l.mu.Unlock()
			return l.pass(now, paid), 0, nil
		case !soon && !l.sensible(ctx, d):
			defer l.mu.Unlock()
			return 0, d, errRate
		}
		l.mu.Unlock()
		if err := sleepUntil(ctx, d, l.news); err != nil {
			return 0, rest(d, now), err
		}
	}
}

// jump is wait for the call that all others wait for: the token. It does not
// queue. It sits out a hold, and our own rate where that fits; where it does
// not, those behind pay: else a token, fetched within seconds, could not be
// had at a rate of a few calls a minute.
func (l *limiter) jump(ctx context.Context) (number int, after time.Duration, err error) {
	if l.own != nil {
		r := l.own.Reserve()
		if d := r.Delay(); d > 0 && fits(ctx, d) {
			if err := sleep(ctx, d); err != nil {
				r.Cancel() // gives the place back
				return 0, d, err
			}
		}
	}
	for {
		l.mu.Lock()
		d := time.Until(l.quota.held)
		switch {
		case d <= 0:
			defer l.mu.Unlock()
			l.quota.flying++
			return l.quota.number, 0, nil
		case !l.sensible(ctx, d):
			defer l.mu.Unlock()
			return 0, d, errRate
		}
		l.mu.Unlock()
		if err := sleep(ctx, d); err != nil {
			return 0, d, err
		}
	}
}

// due says how long the next call has to wait, 0 for not at all, and whether
// an answer may come before that and end the wait.
func (l *limiter) due(now time.Time, paid bool) (d time.Duration, soon bool) {
	if d, soon = l.quota.due(now, l.queued > 0); d > 0 || l.own == nil || paid {
		return d, soon
	}
	r := l.own.ReserveN(now, 1)
	d = r.DelayFrom(now)
	r.CancelAt(now)
	return d, false
}

// pass lets a call through that is due.
func (l *limiter) pass(now time.Time, paid bool) (number int) {
	if l.own != nil && !paid {
		l.own.AllowN(now, 1)
	}
	return l.quota.pass(now)
}

// interval is how far apart the calls of the queue leave.
func (l *limiter) interval() time.Duration {
	d := l.quota.interval()
	if l.own != nil {
		d = max(d, time.Duration(float64(time.Second)/float64(l.own.Limit())))
	}
	return d
}

// most is the rate that our own limit and the vendor's allow, 0 for unknown.
func (l *limiter) most() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	perSecond := l.quota.most()
	if l.own != nil && (perSecond == 0 || perSecond > float64(l.own.Limit())) {
		perSecond = float64(l.own.Limit())
	}
	return perSecond
}

// sensible says whether a wait of d makes sense.
func (l *limiter) sensible(ctx context.Context, d time.Duration) bool {
	return fits(ctx, d) && time.Until(l.quota.held) <= longestHold
}

// leave tells that a call is over. What its answer said was learned before.
func (l *limiter) leave(number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quota.leave(number)
	if l.eager {
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
}

// learn takes up what an answer says about the vendor's limit. number is that
// of the call's wait; refused means that the answer turned it away for the
// limit. When that begins a hold, learn returns how long it is.
func (l *limiter) learn(number int, refused bool, h wire.RateLimit) (hold time.Duration) {
	if !refused && h.Reset == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	defer l.quota.learn(h) // into the window that the answer may begin
	d := h.Reset
	switch {
	case d == 0:
		d = blindHold
	case refused || h.Exhausted:
	case h.Limit > 0 && h.Remaining > 0:
		l.quota.count(number, h.Remaining, now.Add(d))
		return 0
	default:
		return 0
	}
	if !now.Before(l.quota.held) { // else one of several that were under way
		hold = d
	}
	l.quota.hold(now.Add(d))
	return hold
}

// rest is what is left of a wait of d that was begun then.
func rest(d time.Duration, begun time.Time) time.Duration { return max(d-time.Since(begun), 0) }

func fits(ctx context.Context, d time.Duration) bool {
	deadline, limited := ctx.Deadline()
	return !limited || time.Until(deadline) > d
}

func sleep(ctx context.Context, d time.Duration) error { return sleepUntil(ctx, d, nil) }

// sleepUntil waits for d, or until there is news.
func sleepUntil(ctx context.Context, d time.Duration, news <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
