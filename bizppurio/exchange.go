package bizppurio

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/internal/wire"
	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// exchange is one request and its answer: one call of the engine, with a
// clock of its own, read to the end and classified.
func (c *call) exchange(tok token.Token) (v verdict) {
	ctx, cancel := context.WithTimeout(c.Context, c.client.cfg.AttemptTimeout)
	defer cancel()
	ctx, entered := c.waitForConn(ctx, cancel)
	defer entered()

	c.attempts++
	ctx, w := c.client.tel.watch(ctx, c)
	defer func() { c.client.tel.watched(ctx, w, c, v) }()
	resp, err := c.client.engine.RoundTrip(c.request(ctx, tok))
	if err == nil && (resp == nil || resp.Body == nil) {
		return unknown(send.BadResponse, errors.New("the engine returned neither an answer nor an error"))
	}
	if err != nil {
		return c.failed(ctx, err)
	}
	w.answered(resp)
	defer resp.Body.Close() // what is to be read was read
	body, err := c.read(resp)
	v = c.answered(ctx, resp, body, err)
	if d, ok := resp.Body.(interface{ Discard() }); ok && v.notOurs {
		d.Discard()
	}
	return v
}

// request makes the request of one attempt. net/http may still read the body
// when the engine has returned, so each has a reader of its own.
func (c *call) request(ctx context.Context, tok token.Token) *http.Request {
	auth := c.client.basic
	if c.op != opToken {
		auth = "Bearer " + tok.Value
	}
	values := []string{c.kind, userAgent, auth, "gzip"} // one allocation for all
	header := http.Header{"Content-Type": values[:1:1], "User-Agent": values[1:2:2], "Authorization": values[2:3:3]}
	if c.op.gzip {
		header["Accept-Encoding"] = values[3:]
	}
	req := &http.Request{
		Method: http.MethodPost, URL: c.client.target(c.op), Host: c.client.target(c.op).Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(c.body)),
		GetBody:       func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil },
		ContentLength: int64(len(c.body)),
	}
	if len(c.body) == 0 {
		req.Body, req.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
	}
	return req.WithContext(ctx)
}

var (
	errOversize = errors.New("the answer is longer than allowed")
	errEncoding = errors.New("the answer has a content encoding that was not asked for")
)

// read returns the whole body, through the operation's limit. The limit holds
// after inflation.
func (c *call) read(resp *http.Response) ([]byte, error) {
	var r io.Reader = resp.Body
	enc := resp.Header.Get("Content-Encoding")
	if c.op.gzip {
		enc = strings.ToLower(strings.TrimSpace(enc))
	}
	switch enc {
	case "", "identity":
	case "gzip", "x-gzip":
		if !c.op.gzip {
			return nil, errEncoding
		}
		zipped, err := gzip.NewReader(io.LimitReader(resp.Body, c.op.accept))
		if err != nil {
			return nil, err
		}
		r = zipped
	default:
		return nil, errEncoding
	}
	size := int64(512)
	if n := resp.ContentLength; n > 0 && n <= c.op.accept {
		size = n + bytes.MinRead // one read more finds the end without growing
	}
	buf := bytes.NewBuffer(make([]byte, 0, size))
	_, err := buf.ReadFrom(io.LimitReader(r, c.op.accept+1))
	if err == nil && int64(buf.Len()) > c.op.accept {
		err = errOversize
	}
	return buf.Bytes(), err
}

// answered classifies an answer of which at least the header arrived.
func (c *call) answered(ctx context.Context, resp *http.Response, body []byte, err error) verdict {
	limits := wire.ReadRateLimit(resp.Header, time.Now())
	if err != nil {
		c.held = c.client.limit.learn(c.number, resp.StatusCode == http.StatusTooManyRequests, limits)
		v := c.cut(ctx, resp.StatusCode, err)
		v.status = resp.StatusCode
		return v
	}
	v := classify(c.op, c.refkey, resp.StatusCode, body)
	if !v.notOurs { // an answer to another call, which was given long ago
		c.held = c.client.limit.learn(c.number, v.reason == send.RateLimited, limits)
	}
	if v.outcome == send.NotSent {
		v.retryAfter = limits.Reset
	}
	if v.reason == send.BadResponse || v.outcome != send.Accepted && !v.answer.HasCode {
		v.err = describe(resp, v)
	}
	return v
}

// cut is the verdict on a body that could not be read to its end.
func (c *call) cut(ctx context.Context, status int, err error) verdict {
	switch {
	case c.Context.Err() != nil:
		return unknown(send.Interrupted, ended(c.Context, err))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return unknown(send.Timeout, &timeoutError{c.client.cfg.AttemptTimeout, engine.Read})
	case status >= 500:
		return unknown(send.VendorFault, hush("the answer broke off", notTheirs(err)))
	case errors.Is(err, errOversize) || errors.Is(err, errEncoding):
		return unknown(send.BadResponse, err)
	}
	return unknown(send.BadResponse, hush("the answer broke off", notTheirs(err)))
}

// failed is the verdict on a call of the engine that brought no answer.
// Whether a byte may have left, the engine says; whose clock it was, the
// caller's context; the error's text says nothing.
func (c *call) failed(ctx context.Context, err error) verdict {
	unsent, phase, cause := engine.NotSent(ctx, err), phaseOf(err), transport(err)
	overdue := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if overdue {
		cause = &timeoutError{c.client.cfg.AttemptTimeout, phase}
	}
	switch {
	case c.Context.Err() != nil && unsent:
		return notSent(send.Canceled, ended(c.Context, err))
	case c.Context.Err() != nil:
		return unknown(send.Interrupted, ended(c.Context, err))
	case unsent && (c.client.closing.Err() != nil || errors.Is(err, engine.ErrClosed)):
		return notSent(send.Closed, cause)
	case unsent && errors.Is(ctx.Err(), context.Canceled): // by waitForConn
		return c.untilOpen(time.Now())
	case unsent && phase == engine.Acquire:
		return notSent(send.PoolTimeout, cause)
	case unsent:
		return notSent(send.Unreachable, cause)
	case overdue:
		return unknown(send.Timeout, cause)
	case errors.Is(err, engine.ErrMalformed):
		return unknown(send.BadResponse, cause)
	}
	return unknown(send.ConnectionLost, cause)
}

// describe says what kind of answer could not be believed, without quoting it.
func describe(resp *http.Response, v verdict) error {
	switch {
	case v.notOurs:
		return errors.New("the answer belongs to another message")
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return errors.New("a redirect, which is not followed")
	case v.answer.HasCode && v.code == 1000:
		return errors.New("a success that contradicts its status, or lacks what it must hold")
	case v.answer.HasCode:
		return errors.New("an unknown code")
	}
	return errors.New("an answer without a readable code, " + kindOf(resp.Header.Get("Content-Type")))
}

// kindOf names the content types that occur and nothing else: a header is the
// sender's text.
func kindOf(contentType string) string {
	for _, kind := range []string{"application/json", "text/html", "text/plain", "application/xml", "text/xml"} {
		if len(contentType) >= len(kind) && contentType[:len(kind)] == kind {
			return "content type " + kind
		}
	}
	if contentType == "" {
		return "no content type"
	}
	return "another content type"
}

// waitForConn lets Close end the wait for a connection of a pool, and the end
// of the ad window that of an advertisement, and only that: once a connection
// is there, the request runs to its end. Without an advertisement, a pool of
// the Client's own needs nothing: its Close does the same by itself. An engine
// that tells nothing of its connections is left alone.
func (c *call) waitForConn(ctx context.Context, cancel context.CancelFunc) (_ context.Context, entered func()) {
	closes := c.windowEnd()
	if !c.client.pooled || c.client.owned && closes.IsZero() {
		return ctx, func() {}
	}
	over, end := c.client.closing, func() {}
	if !closes.IsZero() {
		over, end = context.WithDeadline(over, closes)
	}
	w := &connWait{over: over, cancel: cancel}
	w.begin()
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { w.begin() }, // once more where the first one was dead
			GotConn: func(httptrace.GotConnInfo) { w.pause() },
		}), func() {
			w.end()
			end()
		}
}

// connWait cancels a request when over ends, while it waits for a connection.
type connWait struct {
	over   context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	stop  func() bool // nil: it does not wait
	ended bool
}

func (w *connWait) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil && !w.ended {
		w.stop = context.AfterFunc(w.over, w.cancel)
	}
}

func (w *connWait) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *connWait) end() {
	w.pause()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}
