package report

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrUntracked is what [Tracker.Wait] returns for a RefKey that was never
// begun, was forgotten, or is too old.
var ErrUntracked = errors.New("report: refkey is not tracked")

// Defaults of [TrackerConfig]. The vendor keeps a result that nobody fetched
// for 3 days (spec 1.7).
const (
	defaultMax  = 100_000
	defaultKeep = 72 * time.Hour
)

// TrackerConfig bounds the memory of a [Tracker]; a RefKey takes about half a
// kilobyte.
type TrackerConfig struct {
	Max  int           // RefKeys at most, the oldest goes first; 0 or less means 100,000
	Keep time.Duration // how long a RefKey is tracked after Begin; 0 or less means 72 h; give more for reservations
}

// Tracker collects delivery reports by RefKey and tells what became of each
// message. This is how an Unknown outcome of a send is settled: Begin before
// the send, Add each report as it comes, then Wait or look at what Add said.
//
// It lives in this process's memory only. It is safe for concurrent use, and
// starts no goroutine. The zero value is ready and has the default limits.
type Tracker struct {
	config TrackerConfig

	mu   sync.Mutex
	keys map[string]*list.Element
	ages list.List // of *tracked, by Begin: the oldest first
}

// tracked is one RefKey. All fields are guarded by the mutex of the Tracker.
type tracked struct {
	refKey  string
	expires time.Time
	heard   tally
	gone    bool          // forgotten, expired or pushed out
	changed chan struct{} // closed when settled or gone; nil while nobody waits
}

// NewTracker returns an empty Tracker.
func NewTracker(c TrackerConfig) *Tracker { return &Tracker{config: c} }

// Begin starts to track a message with that many channels: one plus its
// fallbacks, below 1 counts as 1. Call it before the send, since a report may
// be faster than the answer. Beginning again keeps what was heard and who
// waits, starts Keep anew, and the larger number of channels holds. An empty
// refKey is not tracked.
func (t *Tracker) Begin(refKey string, channels int) {
	if refKey == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.expire(now)
	if el, ok := t.keys[refKey]; ok {
		e := entry(el)
		e.expires = now.Add(positive(t.config.Keep, defaultKeep))
		e.heard.channels = max(e.heard.channels, channels)
		t.ages.MoveToBack(el)
		return
	}
	if t.keys == nil {
		t.keys = make(map[string]*list.Element)
	}
	e := &tracked{refKey: refKey, expires: now.Add(positive(t.config.Keep, defaultKeep)), heard: tally{channels: channels}}
	t.keys[refKey] = t.ages.PushBack(e)
	for len(t.keys) > positive(t.config.Max, defaultMax) {
		t.drop(t.ages.Front())
	}
}

// Add takes a report and returns what is known of its message by now, as
// [Settle] decides. For a RefKey that is not tracked it returns the status of
// this one record and known is false, and remembers nothing: reports carry no
// signature, so one about a RefKey that you never used may be anybody's.
func (t *Tracker) Add(r Report) (s Status, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire(time.Now())
	el, ok := t.keys[r.RefKey]
	if !ok {
		return r.Status(), false
	}
	e := entry(el)
	e.heard.add(r)
	s = e.heard.status()
	if s != Uncertain {
		e.wake()
	}
	return s, true
}

// Wait returns as soon as the message is settled: Delivered, or Failed in
// every channel. A Delivered that comes after Failed shows in the next Wait.
// Any number of callers may wait for one RefKey.
//
// The error is [ErrUntracked] at once for a RefKey that is not tracked, and
// for one that ceases to be while waiting; when ctx ends it is ctx.Err(), with
// the cause if there is another. Beside an error the Status is Uncertain: no
// report is not a failure.
func (t *Tracker) Wait(ctx context.Context, refKey string) (Status, error) {
	e := t.find(refKey)
	if e == nil {
		return Uncertain, ErrUntracked
	}
	for {
		s, changed, left := t.look(e)
		switch {
		case s != Uncertain:
			return s, nil
		case changed == nil:
			return Uncertain, ErrUntracked
		}
		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Uncertain, contextError(ctx)
		}
		timer.Stop()
	}
}

// Forget ends the tracking of a RefKey; who waits for it gets [ErrUntracked].
func (t *Tracker) Forget(refKey string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire(time.Now())
	if el, ok := t.keys[refKey]; ok {
		t.drop(el)
	}
}

func (t *Tracker) find(refKey string) *tracked {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire(time.Now())
	if el, ok := t.keys[refKey]; ok {
		return entry(el)
	}
	return nil
}

// look returns the status of e and, while it is Uncertain, what to wait for:
// changed is nil when nothing can come any more.
func (t *Tracker) look(e *tracked) (s Status, changed <-chan struct{}, left time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.expire(now)
	s = e.heard.status()
	if s != Uncertain || e.gone {
		return s, nil, 0
	}
	if e.changed == nil {
		e.changed = make(chan struct{})
	}
	return s, e.changed, e.expires.Sub(now)
}

// expire drops what is too old. The list is in the order of expiry, because
// Keep is the same for all.
func (t *Tracker) expire(now time.Time) {
	for el := t.ages.Front(); el != nil && !now.Before(entry(el).expires); el = t.ages.Front() {
		t.drop(el)
	}
}

func (t *Tracker) drop(el *list.Element) {
	e := entry(el)
	t.ages.Remove(el)
	delete(t.keys, e.refKey)
	e.gone = true
	e.wake()
}

func (e *tracked) wake() {
	if e.changed != nil {
		close(e.changed)
		e.changed = nil
	}
}

func entry(el *list.Element) *tracked {
	e, _ := el.Value.(*tracked)
	return e
}

// contextError is ctx.Err(), which a cause must not hide.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return errors.Join(err, cause)
}
