package bizppuriotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// ending is a way in which a context ends.
type ending struct {
	what string
	make func(context.Context) (ctx context.Context, end func())
	want func(cause error) []error
}

// endings are all ways in which contexts end. Those with a deadline end by
// themselves.
func endings(cause error) []ending {
	const soon = 150 * time.Millisecond
	is := func(errs ...error) func(error) []error { return func(error) []error { return errs } }
	all := []ending{
		{"cancelled", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		}, is(context.Canceled)},
		{"cancelled with a cause", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(cause) }
		}, is(context.Canceled, cause)},
		{"past its deadline", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, soon)
			context.AfterFunc(ctx, cancel)
			return ctx, func() {}
		}, is(context.DeadlineExceeded)},
		{"past its deadline with a cause", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeoutCause(ctx, soon, cause)
			context.AfterFunc(ctx, cancel)
			return ctx, func() {}
		}, is(context.DeadlineExceeded, cause)},
	}
	for what, lie := range lies() {
		all = append(all, ending{"cancelled with " + what, func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(lie) }
		}, is(context.Canceled, lie)})
	}
	return all
}

// lies are errors about another request, of which nothing was sent. They reach
// an engine as the cause of a context, as errgroup makes it of a failed call,
// and out of the body of a request.
func lies() map[string]error {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	proof := &engine.Error{Phase: engine.Acquire, Unsent: true, Err: engine.ErrClosed}
	return map[string]error{
		"a failed dial of another":          dial,
		"a proof of another":                proof,
		"a failed dial of another, wrapped": fmt.Errorf("elsewhere: %w", dial),
		"proofs of others, joined":          errors.Join(dial, proof),
	}
}

// stage is a point at which a call is caught by the end of its context.
type stage struct {
	what   string
	unsent bool // nothing can have been sent
	kind   string
	wire   func(reached func(), over <-chan struct{}) *wire
}

// stages are the points before the header of the answer.
func (c *engineCheck) stages() []stage {
	return []stage{
		{"in the TLS handshake", true, "victim", func(reached func(), _ <-chan struct{}) *wire {
			return c.wireWith(nil, func(wc *wireConn) bool { reached(); return wc.silence() }, nil)
		}},
		{"while the request is written", false, "unread", func(reached func(), over <-chan struct{}) *wire {
			return c.wire(map[string]wireHandler{"unread": func(wc *wireConn, _ *wireRequest) bool {
				reached()
				select {
				case <-over:
				case <-wc.w.closed:
				}
				_, _ = io.Copy(io.Discard, wc.r)
				return false
			}})
		}},
		{"while the answer is waited for", false, "victim", func(reached func(), _ <-chan struct{}) *wire {
			return c.wire(map[string]wireHandler{"victim": func(wc *wireConn, _ *wireRequest) bool { reached(); return wc.hang() }})
		}},
		{"in the header of the answer", false, "victim", func(reached func(), _ <-chan struct{}) *wire {
			return c.wire(map[string]wireHandler{"victim": func(wc *wireConn, _ *wireRequest) bool {
				wc.say("HTTP/1.1 200 OK\r\nContent-")
				reached()
				return wc.hang()
			}})
		}},
	}
}

// contextEnds: when its context ends, a call ends soon, with an error in
// which the context's error and its cause are found.
func (c *engineCheck) contextEnds() {
	cause := errors.New("the cause")
	for _, s := range c.stages() {
		for _, end := range endings(cause) {
			what := "a context that is " + end.what + " " + s.what
			reached, over := make(chan struct{}, 1), make(chan struct{})
			w := s.wire(sync.OnceFunc(func() { close(reached) }), over)
			e := c.engine(engine.Config{MaxConns: 2})
			ctx, stop := end.make(c.ctx)
			req := c.post(w, s.kind).WithContext(ctx)
			if s.kind == "unread" {
				req.Body, req.GetBody, req.ContentLength = io.NopCloser(zeros{}), nil, 1<<30
			}
			ch := c.begin(e, req)
			select {
			case <-reached:
			case <-ctx.Done(): // a slow machine
			}
			stop()
			r := c.wait(ch)
			close(over)
			if r.err == nil {
				c.broke("%s: status %d, want an error", what, r.status)
			}
			c.wantErrors(what, r, end.want(cause))
			switch {
			case s.unsent:
				c.wantNotSent(what, r)
			case w.saw(req.URL.Path): // or the deadline came before a byte did
				c.wantMaybeSent(what, r)
			}
			c.closeEngine(e)
		}
	}
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// contextEndsBody: a body is read while the context lives, and not longer.
func (c *engineCheck) contextEndsBody() {
	cause := errors.New("the cause")
	for _, end := range endings(cause) {
		what := "a context that is " + end.what + " in the body of the answer"
		reached := make(chan struct{}, 1)
		w := c.wire(map[string]wireHandler{"victim": func(wc *wireConn, _ *wireRequest) bool {
			wc.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			reached <- struct{}{}
			return wc.hang()
		}})
		e := c.engine(engine.Config{MaxConns: 1})
		ctx, stop := end.make(c.ctx)
		req := c.post(w, "victim").WithContext(ctx)
		ch := c.begin(e, req)
		select {
		case <-reached:
		case <-ctx.Done(): // a slow machine
		}
		stop()
		r := c.wait(ch)
		if r.err == nil {
			c.broke("%s: no error", what)
		}
		c.wantErrors(what, r, end.want(cause))
		if w.saw(req.URL.Path) {
			c.wantMaybeSent(what, r)
		}
		c.wantOK("the request after "+what, c.do(e, c.post(w, "next")))
		c.closeEngine(e)
	}
}
