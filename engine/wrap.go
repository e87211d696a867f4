package engine

import (
	"io"
	"net"
	"net/http"
)

// Wrap makes an [Engine] of any RoundTripper: a company's transport, or one
// that answers tests. It uses rt as it is and changes nothing in it; who made
// rt closes it.
//
// Wrap cannot count bytes, so it says that nothing was sent only where the
// error of rt says so itself, by a method NotSent() bool, or where the dial
// failed. For that to be true, rt must send a request at most once: no
// retries, no redirects, no second try with other credentials. With a nil rt
// every request fails unsent.
func Wrap(rt http.RoundTripper) Engine { return &wrapped{rt} }

type wrapped struct{ rt http.RoundTripper }

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
	resp, err := w.rt.RoundTrip(req)
	if err != nil {
		if resp != nil && resp.Body != nil {
			resp.Body.Close() //nolint:gosec // the error counts
		}
		return nil, judge(req, err)
	}
	if resp == nil {
		return nil, &Error{Phase: Wait, Err: errNoAnswer}
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
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

// judge turns an error of a foreign RoundTripper into one of ours.
func judge(req *http.Request, err error) *Error {
	e := &Error{Phase: Wait, Err: err}
	if own, ok := err.(*Error); ok { //nolint:errorlint // a wrapped one may stand beside others
		*e = *own
	} else {
		e.Phase, e.Unsent = verdict(err)
	}
	if ctx := req.Context(); ctx.Err() != nil {
		e.Err = ctxError(ctx)
	}
	return e
}

// verdict follows the chain of err. Where the chain forks, the errors may be
// those of several attempts, and nothing is proven.
func verdict(err error) (ph Phase, unsent bool) {
	for err != nil {
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
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
	return Wait, false
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
