package bizppurio

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/go-bizppurio/sdk/internal/wire"
	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// nobodys is the context of a token call: it ends as the fetch does, and has
// no values. Those of the call that began the fetch are not for one that others
// share, and that may outlive it: hooks in them (httptrace) would run after
// Send returned.
type nobodys struct{ context.Context }

func (nobodys) Value(any) any { return nil }

// login fetches a token (spec 1.2). The cache calls it, once for all who
// wait, with a context of its own. Of the call that began it only the span
// stays.
func (c *Client) login(ctx context.Context) (t token.Token, err error) {
	ctx = trace.ContextWithSpan(nobodys{ctx}, trace.SpanFromContext(ctx))
	l := &call{Context: ctx, client: c, op: opToken, kind: jsonType}
	c.tel.begin(l, "", c.ahead(ctx)...)
	usable := false
	defer func() {
		l.end()
		c.logTokens(l.Context, l.verdict, usable)
	}()
	l.run()
	if l.verdict.outcome != send.Accepted {
		return token.Token{}, &loginError{l.verdict}
	}
	now := time.Now()
	expires, read := wire.Expiry(l.verdict.answer.Expired, now)
	if !read {
		c.log.WarnContext(ctx, "bizppurio: the token's expiry cannot be read, assuming a short life", "life", wire.FallbackTokenLife)
	}
	usable = expires.After(now)
	return token.Token{Value: l.verdict.answer.Token, Expires: expires}, nil
}

// ahead gives a fetch that no call waits for, because the old token still
// lives, a trace of its own with a link to the call that caused it.
func (c *Client) ahead(ctx context.Context) []trace.SpanStartOption {
	if !c.tel.traced() {
		return nil
	}
	over, end := context.WithCancel(ctx)
	end()
	if _, _, err := c.tokens.Get(over); err != nil { // does not wait: over is
		return nil
	}
	return []trace.SpanStartOption{trace.WithNewRoot(), trace.WithLinks(trace.LinkFromContext(ctx))}
}

// loginError is a token call that brought no token.
type loginError struct{ verdict verdict }

func (e *loginError) Error() string {
	text := (&send.Error{
		Outcome: e.verdict.outcome, Reason: e.verdict.reason,
		Code: e.verdict.code, Status: e.verdict.status, Err: e.verdict.err,
	}).Error()
	return "token call: " + strings.TrimPrefix(text, "bizppurio: ") // stands at the outermost error
}

// GoString is Error: the fields hold what the vendor answered.
func (e *loginError) GoString() string { return e.Error() }

func (e *loginError) Unwrap() error { return e.verdict.err }

// Permanent reports whether the vendor refused the credentials or the
// address, which asking again does not mend.
func (e *loginError) Permanent() bool {
	switch e.verdict.answer.Code {
	case 3000, 3001, 3003, 3004, 3006, 3007, 3009, 3010:
		return e.verdict.outcome == send.Rejected
	}
	return false
}

// tokenVerdict is what a missing token means for the call that needs it:
// nothing was sent.
func tokenVerdict(err error) verdict {
	v := notSent(send.TokenUnavailable, hush("no token", err))
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		// The fetch's own clock: a context error would look like the caller's.
		v.err = hush("no token in time", os.ErrDeadlineExceeded)
		return v
	}
	var l *loginError
	if !errors.As(err, &l) {
		return v
	}
	v.err = err
	v.code, v.status, v.retryAfter = l.verdict.code, l.verdict.status, l.verdict.retryAfter
	if l.Permanent() {
		v.outcome, v.reason = send.Rejected, send.Refused
	}
	return v
}
