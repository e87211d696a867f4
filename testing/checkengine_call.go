package bizppuriotest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/go-bizppurio/sdk/engine"
)

// trackedBody notes that it was closed.
type trackedBody struct {
	io.Reader
	closed atomic.Bool
}

func (b *trackedBody) Close() error {
	b.closed.Store(true)
	return nil
}

// engineResult is how a call ended.
type engineResult struct {
	path    string
	line    string       // path as it stands in the request line
	body    *trackedBody // of the request; may be nil
	done    bool         // the call returned
	excused bool         // an answer to what the server did not see is judged by the rule itself
	status  int
	header  http.Header
	text    []byte // body of the answer
	err     error  // of RoundTrip or of the body
	inBody  bool   // err is the body's
	notSent bool
}

// request makes a request of the given kind, with a path that no other has.
func (c *engineCheck) request(ctx context.Context, base, kind string) *http.Request {
	c.mu.Lock()
	c.n++
	n := c.n
	c.mu.Unlock()
	path := "/" + kind + "/" + strconv.Itoa(n) + "/end"
	body := []byte(`{"refkey":"` + strconv.Itoa(n) + `"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		c.stop("no request could be made: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if n%2 == 0 { // engines may treat known types of bodies in their own way
		req.Body = &trackedBody{Reader: bytes.NewReader(body)}
	}
	return req
}

func (c *engineCheck) post(w *wire, kind string) *http.Request {
	return c.request(c.ctx, w.url(), kind)
}

// do makes a call and reads its answer to the end, or to 1 MiB.
func (c *engineCheck) do(e engine.Engine, req *http.Request) engineResult {
	return c.wait(c.begin(e, req))
}

// begin makes a call on a goroutine of its own.
func (c *engineCheck) begin(e engine.Engine, req *http.Request) <-chan engineResult {
	kept := &engineResult{path: req.URL.Path, line: req.URL.EscapedPath()}
	kept.body, _ = req.Body.(*trackedBody)
	kept.excused = kindOf(req.URL.Path) == "raced"
	c.mu.Lock()
	c.results = append(c.results, kept)
	c.mu.Unlock()
	ch := make(chan engineResult, 1)
	c.calls.Go(func() {
		r := c.call(e, req)
		c.mu.Lock()
		defer c.mu.Unlock()
		r.path, r.line, r.body, r.excused, r.done = kept.path, kept.line, kept.body, kept.excused, true
		*kept = r
		ch <- r
	})
	return ch
}

// wait waits for a call, which must end.
func (c *engineCheck) wait(ch <-chan engineResult) engineResult {
	return receive(c, ch, "a call does not return")
}

func (c *engineCheck) call(e engine.Engine, req *http.Request) (r engineResult) {
	defer func() {
		if p := recover(); p != nil {
			c.broke("RoundTrip panicked: %v", p)
			r.err = errors.New("panicked")
		}
	}()
	resp, err := e.RoundTrip(req)
	switch {
	case err != nil && resp != nil:
		c.broke("RoundTrip returned an answer and an error")
	case err == nil && (resp == nil || resp.Body == nil):
		c.broke("RoundTrip returned neither an answer with a body nor an error")
		err = errors.New("no answer")
	}
	if err != nil {
		r.err, r.notSent = err, engine.NotSent(req.Context(), err)
		return r
	}
	r.status, r.header = resp.StatusCode, resp.Header
	r.text, r.err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	r.inBody = r.err != nil
	r.notSent = r.inBody && engine.NotSent(req.Context(), r.err)
	_ = resp.Body.Close()
	if of := resp.Header.Get(forHeader); of != "" && of != req.URL.Path {
		c.broke("a call got the answer of another")
	}
	return r
}

// wantOK checks that a call was answered by [wireConn.ok].
func (c *engineCheck) wantOK(what string, r engineResult) bool {
	switch {
	case r.err != nil:
		c.broke("%s failed: %w", what, r.err)
	case r.status != http.StatusOK:
		c.broke("%s was answered with status %d, want 200", what, r.status)
	case string(r.text) != "answer for "+r.path:
		c.broke("%s has the wrong body", what)
	default:
		return true
	}
	return false
}

// wantNotSent checks that a call failed and says that nothing was sent.
func (c *engineCheck) wantNotSent(what string, r engineResult) {
	switch {
	case r.err == nil:
		c.broke("%s: status %d, want an error", what, r.status)
	case !r.notSent:
		c.broke("%s: the error does not say NotSent: %w", what, r.err)
	}
}

// wantMaybeSent checks that a call failed and does not say so.
func (c *engineCheck) wantMaybeSent(what string, r engineResult) {
	switch {
	case r.err == nil:
		c.broke("%s: status %d, want an error", what, r.status)
	case r.notSent:
		c.broke("%s: the error says NotSent: %w", what, r.err)
	}
}

// wantMalformed checks that a call failed and whether it blames the answer.
func (c *engineCheck) wantMalformed(what string, r engineResult, want bool) {
	c.wantMaybeSent(what, r)
	switch got := errors.Is(r.err, engine.ErrMalformed); {
	case r.err == nil || got == want:
	case want:
		c.broke("%s: errors.Is does not find engine.ErrMalformed in the error: %w", what, r.err)
	default:
		c.broke("%s: errors.Is finds engine.ErrMalformed in the error: %w", what, r.err)
	}
}

// wantNoContextError checks that no context is blamed while it lives.
func (c *engineCheck) wantNoContextError(what string, r engineResult) {
	if errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded) {
		c.broke("%s: the error is a context error, although the request's context lives", what)
	}
}

// fill makes n connections, which are idle when it returns.
func (c *engineCheck) fill(e engine.Engine, w *wire, n int) {
	calls := make([]<-chan engineResult, n)
	for i := range calls {
		calls[i] = c.begin(e, c.post(w, "hold"))
	}
	for range calls {
		receive(c, w.arrived, "requests at once, no more than MaxConns, do not all arrive")
	}
	w.letGo()
	for _, ch := range calls {
		c.wantOK("one of several requests at once", c.wait(ch))
	}
}
