package bizppurio

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// call is the record of one operation on its way through the stages. It
// travels as the context of the request that go-retryablehttp repeats, so
// that its policies find it; the engine gets the caller's own context.
type call struct {
	context.Context // the caller's

	client *Client
	op     *operation
	body   []byte
	kind   string // Content-Type of body
	refkey string // "" for calls that send no message
	ad     bool   // the ad window applies
	at     time.Time

	span     span
	number   int          // what the limiter gave at the end of the wait
	origin   token.Origin // of the token
	admitted bool         // counted in client.running
	tries    int          // attempts, of which the renewal of a token is part
	attempts int          // requests handed to the engine
	verdict  verdict
	heard    verdict       // the last one that an answer brought
	pause    time.Duration // before the next attempt
	held     time.Duration // the vendor's hold that the last answer began; 0: none

	merge   sync.Once
	waiting context.Context // ends with the caller's context or with Close
	stop    func()
	over    atomic.Bool // the call ended
}

// Done is closed when the caller's context ends or the Client closes: what
// waits, waits on it. A request on the wire does not.
func (c *call) Done() <-chan struct{} {
	c.merge.Do(func() {
		ctx, cancel := context.WithCancel(c.Context)
		unhook := context.AfterFunc(c.client.closing, cancel)
		c.waiting, c.stop = ctx, func() { unhook(); cancel() }
	})
	return c.waiting.Done()
}

// begin lets a call in, if the Client is open and ctx alive, and starts its
// span. Every call that was begun is ended, let in or not.
func (c *Client) begin(ctx context.Context, op *operation, channel string) (l *call, ok bool) {
	l = &call{Context: ctx, client: c, op: op, kind: jsonType}
	switch {
	case c == nil || c.engine == nil:
		l.client = nil
		l.verdict = notSent(send.Closed, errors.New("the client was not made by New"))
		return l, false
	case ctx == nil:
		l.client = nil
		l.verdict = notSent(send.Canceled, errors.New("the context is nil"))
		return l, false
	}
	c.tel.begin(l, channel)
	c.gate.RLock()
	defer c.gate.RUnlock()
	switch {
	case c.closing.Err() != nil:
		l.verdict = notSent(send.Closed, errClosed)
	case ctx.Err() != nil:
		l.verdict = notSent(send.Canceled, ended(ctx))
	default:
		c.running.Add(1)
		l.admitted = true
	}
	return l, l.admitted
}

// end lets go of everything the call holds.
func (c *call) end() {
	if c.client == nil {
		return
	}
	c.over.Store(true)
	if c.stop != nil {
		c.stop()
	}
	if c.admitted {
		defer c.client.running.Done()
	}
	c.client.tel.end(c)
}

// error is the verdict as the caller sees it.
func (c *call) error() error { return c.verdict.error(c.refkey) }

// Err is the caller's, or context.Canceled once the Client closes. It is never
// nil when Done is closed: package context panics over such a parent.
func (c *call) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	if c.over.Load() {
		return context.Canceled
	}
	return c.client.closing.Err()
}

// run takes the call through all its attempts. The verdict is final then.
func (c *call) run() {
	// The request only drives the attempts; the real one, with a fresh reader
	// of the body, is made below for each of them.
	driven := (&http.Request{Method: http.MethodPost, URL: c.client.target(c.op), Header: http.Header{}}).WithContext(c)
	resp, err := c.client.retry.Do(&retryablehttp.Request{Request: driven})
	if err == nil {
		_ = resp.Body.Close() // empty: the attempt read the real one
		return
	}
	// Only the wait between two attempts ends like this: the last answer said
	// that the message was not taken.
	c.settle(c.abandoned(c.verdict.reason, c.verdict.err))
}

// newRetry sets go-retryablehttp up so that it repeats what the record
// allows, and nothing else: its own policies repeat a POST after any failure,
// close the shared pool and wait for as long as an answer asks.
func newRetry(attempts int, transport http.RoundTripper) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax: attempts - 1,
		CheckRetry: func(ctx context.Context, _ *http.Response, _ error) (bool, error) {
			c, ok := ctx.(*call)
			return ok && c.again(), nil
		},
		Backoff: func(_, _ time.Duration, _ int, resp *http.Response) time.Duration {
			c, _ := resp.Request.Context().(*call)
			return c.pause
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// bracket is the RoundTripper below go-retryablehttp: one call is one attempt,
// and it never fails, because the verdict is in the record.
type bracket struct{}

func (bracket) RoundTrip(req *http.Request) (*http.Response, error) {
	c, ok := req.Context().(*call)
	if !ok {
		return nil, errors.New("bizppurio: request without a record")
	}
	c.attempt()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// again decides whether the last verdict allows another attempt that fits
// into the time left, and how long to wait for it.
func (c *call) again() bool {
	cfg := &c.client.cfg.Retry
	if c.tries >= cfg.Attempts || !c.op.again(c.verdict) || c.Err() != nil {
		return false
	}
	c.pause = c.verdict.retryAfter
	if c.pause == 0 {
		c.pause = backoff(cfg.MinWait, cfg.MaxWait, c.tries)
	}
	if c.pause > cfg.MaxWait {
		return false
	}
	deadline, limited := c.Deadline()
	return !limited || time.Until(deadline) > c.pause
}

// backoff is MinWait doubled for each attempt after the first, at most
// MaxWait, and anywhere between half of that and all of it.
func backoff(least, most time.Duration, tries int) time.Duration {
	d := least << min(max(tries-1, 0), 16)
	if d <= 0 || d > most {
		d = most
	}
	return d/2 + rand.N(d/2+1) //nolint:gosec // jitter
}

// attempt is the bracket: [ad window → rate → token → breaker{ engine → read
// → classify }], and once more after the vendor refused the token.
func (c *call) attempt() {
	c.tries++
	v, tok := c.once()
	if v.tokenRefused {
		c.client.tokens.Invalidate(tok)
		c.heard = v
		v, _ = c.once()
	}
	c.settle(v)
}

// settle takes v as the verdict. Where v had no answer of its own, what an
// earlier request was answered stays visible beside it.
func (c *call) settle(v verdict) {
	if v.status != 0 {
		c.heard = v
	} else if v.outcome == send.NotSent && v.code == 0 {
		v.code, v.status = c.heard.code, c.heard.status
	}
	c.verdict = v
}

func (c *call) once() (verdict, token.Token) {
	if c.Err() != nil {
		return c.abandoned(send.Canceled, nil), token.Token{}
	}
	if v, closed := c.outsideWindow(); closed {
		return v, token.Token{}
	}
	if v, ok := c.waitForRate(); !ok {
		return v, token.Token{}
	}
	defer func() { c.client.limit.leave(c.number) }()
	tok, v, ok := c.authorise()
	if !ok {
		return v, token.Token{}
	}
	if c.op != opToken && c.origin != token.OriginCache { // that took a while
		if v, ok := c.waitForRateAgain(); !ok {
			return v, token.Token{}
		}
	}
	// The waits may have carried an advertisement over the edge.
	if v, closed := c.outsideWindow(); closed {
		return v, token.Token{}
	}
	v = c.guarded(tok)
	c.logHold()
	return v, tok
}

// outsideWindow refuses an advertisement outside the hours in which it may
// leave.
func (c *call) outsideWindow() (verdict, bool) {
	if !c.ad {
		return verdict{}, false
	}
	now := time.Now()
	due := now
	if c.at.After(now) {
		due = c.at
	}
	if c.client.cfg.AdWindow.Contains(due) {
		return verdict{}, false
	}
	if due.After(now) {
		return notSent(send.OutsideWindow, nil), true
	}
	return c.untilOpen(now), true
}

// untilOpen refuses an advertisement until the window opens.
func (c *call) untilOpen(now time.Time) verdict {
	v := notSent(send.OutsideWindow, nil)
	v.retryAfter = c.client.cfg.AdWindow.Next(now).Sub(now)
	return v
}

// windowEnd is when an advertisement that leaves now must have left, zero for
// never.
func (c *call) windowEnd() time.Time {
	now := time.Now()
	if !c.ad || c.at.After(now) {
		return time.Time{}
	}
	return c.client.cfg.AdWindow.Until(now)
}

// waitForRate waits until the rate limits let the call through. Its end must
// be told to the limiter then.
func (c *call) waitForRate() (v verdict, ok bool) {
	wait := c.client.limit.wait
	if c.op == opToken {
		wait = c.client.limit.jump
	}
	number, after, err := wait(c)
	if err != nil {
		return c.heldUp(after, err), false
	}
	c.number = number
	return verdict{}, true
}

// waitForRateAgain is for a call that waitForRate let through, and that waited
// for its token then: many may have, and the token's answer may have begun a
// hold.
func (c *call) waitForRateAgain() (v verdict, ok bool) {
	number, after, err := c.client.limit.rejoin(c, c.number)
	if err != nil {
		c.number = -1 // of no window
		return c.heldUp(after, err), false
	}
	c.number = number
	return verdict{}, true
}

// heldUp is the verdict of a call that the rate limits did not let through.
// That the caller's time was over before is their doing, too.
func (c *call) heldUp(after time.Duration, err error) verdict {
	switch {
	case errors.Is(c.Context.Err(), context.DeadlineExceeded):
		err = ended(c.Context, err)
	case c.Err() != nil:
		return c.abandoned(send.RateLimited, err)
	}
	v := notSent(send.RateLimited, err)
	v.retryAfter = after
	return v
}

// authorise returns the token for the next request. Token calls carry the
// account's own credentials instead.
func (c *call) authorise() (token.Token, verdict, bool) {
	if c.op == opToken {
		return token.Token{}, verdict{}, true
	}
	tok, origin, err := c.client.tokens.Get(c)
	c.origin = origin
	if err == nil {
		return tok, verdict{}, true
	}
	if c.Err() != nil || errors.Is(err, token.ErrClosed) {
		return tok, c.abandoned(send.TokenUnavailable, err), false
	}
	return tok, tokenVerdict(err), false
}

// abandoned is the verdict of a call that ended while it waited: by the
// caller, by the Client's Close, or, where neither, for reason.
func (c *call) abandoned(reason send.Reason, err error) verdict {
	switch {
	case c.Context.Err() != nil:
		reason, err = send.Canceled, ended(c.Context, err)
	case c.client.closing.Err() != nil:
		reason, err = send.Closed, errClosed
	}
	v := notSent(reason, err)
	v.retryAfter = c.verdict.retryAfter
	return v
}
