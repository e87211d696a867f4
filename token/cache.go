package token

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	defaultEarly   = 10 * time.Minute

	// failureMemory is how long a refusal of the credentials, or ErrUnusable,
	// is answered from memory, so that a wrong password or clock is not one
	// token call per message.
	failureMemory = 5 * time.Second
)

// Options says how a [Cache] fetches. The zero value is a sound default.
type Options struct {
	// Key is the name of the token in the Store: host + "/" + account.
	Key string

	// Store is asked before each fetch, and given each token fetched. Nil
	// means that the token stays in this Cache.
	Store Store

	// Timeout bounds one fetch, with its repetition when the token arrives
	// already expired, but without the Store. 0 means 10 s.
	Timeout time.Duration

	// Early is how long before its expiry a token is refreshed, less up to a
	// fifth of that at random. It is never more than a tenth of the life that
	// the token had left when it arrived. 0 means 10 min.
	Early time.Duration
}

// Cache is a [Source] that keeps the token it fetched. It is safe for
// concurrent use. Make one with [NewCache] and end it with [Cache.Close].
type Cache struct {
	fetch   func(context.Context) (Token, error)
	store   *guardedStore // nil: none
	timeout time.Duration
	early   time.Duration

	cur     atomic.Pointer[entry] // nil: no token; written under mu
	flights sync.WaitGroup

	mu          sync.Mutex // never held over fetch, Store or a wait
	closed      bool
	flight      *flight // the fetch under way, nil: none
	dropped     *Token  // the last one invalidated; without Expires once it was replaced
	failed      error   // the last failure worth remembering
	failedUntil time.Time
	unsaved     *Token // for the Store, nil: none
	saving      bool   // a goroutine is emptying unsaved
}

var _ Source = (*Cache)(nil)

// NewCache returns a Cache that gets its tokens from fetch. It does nothing
// until it is asked for a token.
//
// fetch is called by one goroutine at a time and must return when its context
// ends. It may repeat its request as it sees fit. An error with a method
// Permanent() bool that returns true, found with errors.As, is a refusal of
// the credentials: for 5 s it is the answer to every call, without a fetch.
// [ErrUnusable] is remembered in the same way, other errors are not.
func NewCache(fetch func(context.Context) (Token, error), o Options) *Cache {
	c := &Cache{fetch: fetch, timeout: o.Timeout, early: o.Early}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.early <= 0 {
		c.early = defaultEarly
	}
	if o.Store != nil {
		c.store = &guardedStore{store: o.Store, key: o.Key}
	}
	return c
}

// Token returns the token in memory, or waits for the one fetch that all
// callers share. It returns
//   - ctx.Err(), joined with the context's cause where that differs, when ctx
//     ends first; a token in memory is handed out whatever the state of ctx;
//   - the error of fetch, to all who waited for it. A context error in it is
//     not the caller's and not found by errors.Is; a deadline is
//     [os.ErrDeadlineExceeded];
//   - [ErrUnusable], [ErrClosed] or a [*PanicError].
func (c *Cache) Token(ctx context.Context) (Token, error) {
	t, _, err := c.Get(ctx)
	return t, err
}

// Get is [Cache.Token] and says besides where the answer came from.
func (c *Cache) Get(ctx context.Context) (Token, Origin, error) {
	if e := c.cur.Load(); e != nil && !e.clocked.Load() {
		return e.tok, OriginCache, nil
	}
	return c.get(ctx)
}

// get is Get with the clock in hand.
func (c *Cache) get(ctx context.Context) (Token, Origin, error) {
	now := time.Now()
	if e := c.cur.Load(); e != nil && e.live(now) {
		if e.claim(now) {
			c.refresh(ctx, e)
		}
		return e.tok, OriginCache, nil
	}
	f, origin := c.join(ctx)
	select {
	case <-f.done:
	case <-ctx.Done():
		select {
		case <-f.done: // both at once: the answer says more
		default:
			return Token{}, origin, ended(ctx)
		}
	}
	return f.tok, origin, f.err
}

// join returns the flight under way, a new one, or one that has landed with
// what memory has to say.
func (c *Cache) join(ctx context.Context) (*flight, Origin) {
	c.mu.Lock()
	defer c.mu.Unlock()

	now := time.Now()
	if c.closed {
		return landed(Token{}, ErrClosed), OriginCache
	}
	if e := c.cur.Load(); e != nil && e.live(now) {
		return landed(e.tok, nil), OriginCache
	}
	if c.failed != nil && now.Before(c.failedUntil) {
		return landed(Token{}, c.failed), OriginCache
	}
	if c.flight != nil {
		return c.flight, OriginShared
	}
	if ctx.Err() != nil {
		return landed(Token{}, ended(ctx)), OriginCache
	}
	return c.begin(ctx), OriginFetch
}

// refresh begins a flight to replace e, if nothing has changed meanwhile.
func (c *Cache) refresh(ctx context.Context, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.flight == nil && c.cur.Load() == e {
		c.begin(ctx)
	}
}

// Invalidate forgets t, after the server refused it, if it is the token in
// memory (compared by Value): of 100 calls that were refused together the
// first has an effect. The next call of [Cache.Token] waits for a new one. The
// Store is not touched, but t is not taken from it again.
func (c *Cache) Invalidate(t Token) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.cur.Load(); e != nil && e.tok.Value == t.Value {
		c.dropped = &e.tok
		c.keep(nil)
	}
}

// Format writes the name of the type. The fields of a Cache change while it
// prints, and say things that should not be printed.
func (*Cache) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "token.Cache") }

// keep makes e the current entry. The caller holds mu.
func (c *Cache) keep(e *entry) {
	if old := c.cur.Swap(e); old != nil {
		old.stop()
	}
}

// Close forgets the token, ends the fetch under way and waits until it has
// returned; a token on its way to the Store gets there, within 1 s. Whoever
// waits for a token gets [ErrClosed] at once, and so does every later call.
// Close may be called more than once and never returns an error. It must not
// be called from within fetch.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	c.keep(nil)
	if f := c.flight; f != nil {
		f.cancel()
		c.land(f, Token{}, ErrClosed, false)
	}
	c.mu.Unlock()

	c.flights.Wait()
	return nil
}
