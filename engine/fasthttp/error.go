package fasthttp

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-bizppurio/sdk/engine"
)

// reason is an error of our own making. Its text quotes nothing.
type reason string

func (r reason) Error() string { return string(r) }

const (
	errNoRequest   reason = "there is no request"
	errNoHost      reason = "the address has no host or a scheme other than http and https"
	errBadRequest  reason = "method, address or header hold what they must not"
	errTrailer     reason = "trailers are not supported"
	errLength      reason = "the body is longer or shorter than its ContentLength"
	errProxyPick   reason = "the function Proxy failed"
	errProxyKind   reason = "the proxy has no host or a scheme other than http and https"
	errProxyTalk   reason = "the proxy did not answer as a proxy"
	errHeaderSize  reason = "the header of the answer is too large"
	errInformation reason = "too many informational answers"
	errTrailerSize reason = "the trailer of the answer is too large"
	errBodyClosed  reason = "the body is closed"
)

// ctxError is ctx.Err() with its cause, for a ctx that has ended.
func ctxError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// notTheirs takes context errors out of err, which happened while the
// caller's context was alive.
func notTheirs(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return os.ErrDeadlineExceeded
	case errors.Is(err, context.Canceled):
		return reason("canceled")
	default:
		return err
	}
}

// dialError carries the error of a dial. Nobody else makes one: an [engine.Error]
// by itself may be what the body of the request failed with, and then it is
// about another request.
type dialError struct{ failed *engine.Error }

func (e *dialError) Error() string { return e.failed.Error() }

// unsent is the error of a request for which nothing was written.
func unsent(ph engine.Phase, err error) *engine.Error {
	return &engine.Error{Phase: ph, Unsent: true, Err: err}
}

// malformed is the error of an answer that is no HTTP for the given reason.
func malformed(why reason) error { return fmt.Errorf("%w: %w", engine.ErrMalformed, why) }
