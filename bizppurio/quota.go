package bizppurio

import (
	"time"

	"github.com/go-bizppurio/sdk/internal/wire"
)

// quota keeps account of the vendor's limit, which counts calls in windows of
// time (spec 5). Of the calls that were left when the vendor answered last,
// those under way may be taken: beyond the rest, calls wait for an answer or
// for the next window. The limiter's lock guards it.
type quota struct {
	limit   int           // calls in a window; 0: the vendor has not said
	longest time.Duration // the longest reset seen in the present window
	before  time.Duration // and in the one before it
	least   time.Duration // the shortest in the present window; 0: none
	counted bool          // the present window told how many calls are left, not just that none is

	number int       // of the present window
	ends   time.Time // of the present window; zero: not known
	left   int       // calls in it, as of the latest answer
	flying int       // calls let through in it that are not over

	held   time.Time // no call before this; zero: none is held
	short  bool      // calls had to wait for the next window
	pacing bool      // calls leave one by one, since more came than the limit
	next   time.Time // while pacing: no call before this
}

const (
	// slowestPace bounds how far calls are spread after a hold.
	slowestPace = 50 * time.Millisecond
	// usualPace is used when the vendor does not say its limit.
	usualPace = 5 * time.Millisecond
	// lag is how late calls may be and still catch up with the pace.
	lag = 20 * time.Millisecond
)

// due says how long the next call has to wait, 0 for not at all, and whether
// an answer may come before that and end the wait. queue says that others
// wait, too.
func (q *quota) due(now time.Time, queue bool) (d time.Duration, soon bool) {
	switch {
	case now.Before(q.held):
		return q.held.Sub(now), false
	case !q.held.IsZero():
		q.held, q.short = time.Time{}, true
		q.renew(now)
	case !q.ends.IsZero() && !now.Before(q.ends):
		q.renew(now)
	}
	if !q.ends.IsZero() && q.left <= q.flying {
		q.short = true
		return q.ends.Sub(now), true
	}
	if q.pacing && !queue && now.Sub(q.next) > lag {
		q.pacing = false // nobody came for a while: the rush is over
	}
	if q.pacing && now.Before(q.next) {
		return q.next.Sub(now), false
	}
	return 0, false
}

// renew begins a window of which the vendor has said nothing yet.
func (q *quota) renew(now time.Time) {
	q.another()
	q.ends = time.Time{}
	if q.limit > 0 {
		q.left, q.ends = q.limit, now.Add(q.length())
	}
	if q.short {
		q.short, q.pacing, q.next = false, true, now
	}
}

// another leaves the present window behind.
func (q *quota) another() {
	q.number++
	q.flying = 0
	if q.counted && q.least <= q.longest/2 { // else its resets are those of a window that was nearly over
		q.before, q.longest, q.counted = q.longest, 0, false
	}
	q.least = 0
}

// pass lets a call through that is due.
func (q *quota) pass(now time.Time) (number int) {
	q.flying++
	if q.pacing {
		if late := now.Add(-lag); q.next.Before(late) {
			q.next = late
		}
		q.next = q.next.Add(q.pace())
	}
	return q.number
}

func (q *quota) leave(number int) {
	if number == q.number && q.flying > 0 {
		q.flying--
	}
}

// learn takes up the shape of the windows.
func (q *quota) learn(h wire.RateLimit) {
	if h.Limit > 0 { // else a gateway's Retry-After
		q.limit, q.longest = h.Limit, max(q.longest, h.Reset)
		if q.least == 0 || h.Reset < q.least {
			q.least = h.Reset
		}
	}
}

// length is how long a window is, 0 for unknown: the longest reset of late, so
// that a wrong one is forgotten.
func (q *quota) length() time.Duration { return max(q.longest, q.before) }

// most is the vendor's limit in calls a second, 0 for unknown.
func (q *quota) most() float64 {
	if q.length() == 0 {
		return 0
	}
	return float64(q.limit) / q.length().Seconds()
}

// hold stops all calls until then.
func (q *quota) hold(until time.Time) {
	if until.After(q.held) {
		q.held = until
	}
}

// count takes up how many calls an answer leaves until the window ends. More
// than before are left in a new window only: else the answer was overtaken.
// number is the window in which the call was let through.
func (q *quota) count(number, left int, ends time.Time) {
	switch {
	case number != q.number && q.ends.Sub(ends) > q.length()/2:
		return // of a window that is over
	case q.ends.IsZero(), left <= q.left:
	case ends.Sub(q.ends) > q.length()/2:
		q.another()
	default:
		return
	}
	q.left, q.ends, q.counted = left, ends, true
}

// interval is how far apart calls leave now.
func (q *quota) interval() time.Duration {
	if q.pacing || q.short || !q.held.IsZero() {
		return q.pace()
	}
	return 0
}

// pace is how far apart calls leave after a hold, so that it does not end in
// a rush.
func (q *quota) pace() time.Duration {
	if q.length() == 0 {
		return usualPace
	}
	return min(q.length()/time.Duration(q.limit), slowestPace)
}
