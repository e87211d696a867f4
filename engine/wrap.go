package engine

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"sync/atomic"
)

// Wrap makes an [Engine] of any RoundTripper: a company's transport, or one
// that answers tests. It uses rt as it is and changes nothing in it; who made
// rt closes it.
//
// Wrap cannot count bytes, so it says that nothing was sent only where the
// error of rt says so itself, by a method NotSent() bool, or where the dial
// failed; what [NotSent] says of causes holds here as well. For that to be
// true, rt must send a request at most once: no retries, no redirects, no
// second try with other credentials.
//
// HTTP/2 has to be off in rt: an [http.Transport] that negotiates it sends a
// POST again by itself after the server has read it (REFUSED_STREAM, GOAWAY),
// and the message twice. Set its Protocols to HTTP/1 alone:
//
//	t := &http.Transport{Protocols: new(http.Protocols)}
//	t.Protocols.SetHTTP1(true)
//
// With a nil rt every request fails unsent.
func Wrap(rt http.RoundTripper) Engine { return &wrapped{rt} }

type wrapped struct{ rt http.RoundTripper }

// Format writes what made it: the RoundTripper may change meanwhile.
func (*wrapped) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "engine.Wrap") }

func (w *wrapped) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req == nil:
		return nil, &Error{Phase: Acquire, Unsent: true, Err: errNoRequest}
	case w.rt == nil:
		closeBody(req)
		return nil, &Error{Phase: Acquire, Unsent: true, Err: errNoCarrier}
	case req.Context().Err() != nil:
		closeBody(req)
		return nil, &Error{Phase: Acquire, Unsent: true, Err: ctxError(req.Context())}
	}
	watched, source := watch(req)
	resp, err := w.rt.RoundTrip(watched)
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close() //nolint:gosec // the error counts
		}
		return nil, judge(req, err, source.failure())
	}
	if resp == nil {
		return nil, &Error{Phase: Wait, Err: errNoAnswer}
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if resp.Request == watched {
		resp.Request = req
	}
	b := &foreignBody{resp.Body, req}
	if d, ok := resp.Body.(interface{ Discard() }); ok {
		resp.Body = &discardableBody{b, d}
	} else {
		resp.Body = b
	}
	return resp, nil
}

// Close does nothing.
func (w *wrapped) Close() error { return nil }

// judge turns an error of a foreign RoundTripper into one of ours. source is
// what the body of the request failed with, or nil.
func judge(req *http.Request, err, source error) *Error {
	ctx := req.Context()
	e := &Error{Err: err}
	e.Phase, e.Unsent = verdict(chain(err, context.Cause(ctx), source))
	if own, ok := err.(*Error); ok && !holds(source, own) { //nolint:errorlint // a wrapped one may stand beside others
		e.Err = own.Err
	}
	if ctx.Err() != nil {
		e.Err = ctxError(ctx)
	}
	return e
}

// verdict looks for the first error that says how far the request got.
func verdict(errs iter.Seq[error]) (ph Phase, unsent bool) {
	for err := range errs {
		switch e := err.(type) { //nolint:errorlint // this is the walk
		case *Error:
			return e.Phase, e.Unsent
		case interface{ NotSent() bool }:
			if e.NotSent() {
				return Acquire, true
			}
			return Wait, false
		case *net.OpError:
			if e.Op == "dial" {
				return Dial, true
			}
		}
	}
	return Wait, false
}

// watchedBody is the body of a request, and notes what it failed with. A
// transport returns that as its own error, and it proves nothing: a body may
// come over a network of its own.
type watchedBody struct {
	io.ReadCloser
	failed atomic.Pointer[error]
}

// watch watches the body of req. One that can be had again is taken to be in
// memory, as [http.NewRequest] makes them, where it cannot fail; transports
// know these types.
func watch(req *http.Request) (*http.Request, *watchedBody) {
	if req.Body == nil || req.Body == http.NoBody || req.GetBody != nil {
		return req, nil
	}
	b := &watchedBody{ReadCloser: req.Body}
	watched := *req
	watched.Body = b
	return &watched, b
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.failed.Store(&err)
	}
	return n, err
}

// failure is what the body failed with, or nil.
func (b *watchedBody) failure() error {
	if b == nil {
		return nil
	}
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// foreignBody gives the errors of a body the form of ours.
type foreignBody struct {
	io.ReadCloser
	req *http.Request
}

func (b *foreignBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	e := &Error{Phase: Read, Err: err}
	if ctx := b.req.Context(); ctx.Err() != nil {
		e.Err = ctxError(ctx)
	}
	return n, e
}

// discardableBody passes Discard on.
type discardableBody struct {
	*foreignBody
	inner interface{ Discard() }
}

func (b *discardableBody) Discard() { b.inner.Discard() }
