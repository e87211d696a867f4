package bizppurio

import (
	"math"
	"sync"
	"time"
)

// Capacity estimates how many messages this Client can still send until then,
// and the rate that it counts on, in messages a second: for the plan of a
// campaign that must end in time. The zero until means the moment at which
// Config.AdWindow closes. A window that is closed leaves 0, and one that never
// closes math.MaxInt.
//
// The rate is that of the recent sends, over some ten seconds in which there
// was at least one under way; pauses do not count, nor do sends that ended as
// NotSent or were refused before they left. Waits for a rate limit do. It is
// as good as the load was: sends one after the other show less than the same
// in parallel. It is never more than Config.Rate, nor than the vendor's limit
// where the vendor has told it. Before the first send it is 0, for unknown,
// and n is 0 as well.
//
// Capacity may be called at any time; it costs a send nothing to speak of.
func (c *Client) Capacity(until time.Time) (n int, perSecond float64) {
	if c == nil || c.engine == nil {
		return 0, 0
	}
	perSecond = c.throughput.rate()
	if own := c.limit.most(); own > 0 {
		perSecond = min(perSecond, own)
	}
	now := time.Now()
	if until.IsZero() {
		if until = c.cfg.AdWindow.Until(now); until.IsZero() {
			return math.MaxInt, perSecond
		}
	}
	left := perSecond * max(until.Sub(now), 0).Seconds()
	if left >= math.MaxInt {
		return math.MaxInt, perSecond
	}
	return int(left), perSecond
}

// throughput measures how fast messages go while there are any. The zero
// value is ready.
type throughput struct {
	mu      sync.Mutex
	running int           // sends under way
	since   time.Time     // up to which busy is counted
	busy    time.Duration // with sends under way
	done    float64       // messages in it
}

// horizon is the time over which the rate is taken, at most; half of it is
// forgotten at once then.
const horizon = 10 * time.Second

// begin counts a send that is under way from now on.
func (t *throughput) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(time.Now())
	t.running++
}

// end counts it off; done says that it was one more message.
func (t *throughput) end(done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(time.Now())
	t.running--
	if done {
		t.done++
	}
}

func (t *throughput) advance(now time.Time) {
	if more := now.Sub(t.since); t.running > 0 && more > 0 {
		if t.busy > horizon { // here, where all that was done in it is counted
			t.busy /= 2
			t.done /= 2
		}
		t.busy += more
	}
	t.since = now
}

func (t *throughput) rate() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running > 0 {
		t.advance(time.Now())
	}
	if t.done == 0 || t.busy <= 0 {
		return 0
	}
	return t.done / t.busy.Seconds()
}
