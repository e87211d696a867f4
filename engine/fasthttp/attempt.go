package fasthttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// attempt is one request on its way. It belongs to the goroutine that called
// RoundTrip and then to the reader of the body; only kill comes from outside.
type attempt struct {
	e       *Engine
	req     *http.Request
	ctx     context.Context //nolint:containedctx // of the request
	trace   *httptrace.ClientTrace
	scratch *scratch
	stop    func() bool // keeps kill from being called
	phase   engine.Phase
	offered int // bytes handed to connections; the proof behind NotSent

	mu     sync.Mutex // guards what follows against kill
	conn   *conn
	body   io.Closer // of the request, until RoundTrip returns
	killed bool
}

// run carries the request. What it returns with an error is an [*engine.Error].
func (a *attempt) run() (*http.Response, error) {
	m, err := a.message()
	if err != nil {
		return nil, unsent(engine.Acquire, err)
	}
	a.trace = httptrace.ContextClientTrace(a.ctx)
	if a.scratch, err = a.e.acquire(a.ctx); err != nil {
		return nil, unsent(engine.Acquire, err)
	}
	if a.ctx.Done() != nil {
		a.stop = context.AfterFunc(a.ctx, a.kill)
	}
	answered := false
	defer func() {
		if !answered { // also when a hook of the caller panics
			a.finish(false)
		}
	}()
	resp, err := a.exchange(m)
	if err != nil {
		return nil, a.failure(err)
	}
	answered = true
	return resp, nil
}

// release closes the body of the request, which goes no further.
func (a *attempt) release() {
	a.mu.Lock()
	body := a.body
	a.body = nil
	a.mu.Unlock()
	if body != nil {
		body.Close() //nolint:gosec // what was to be read was read
	}
}

// exchange writes the request to a connection and reads the header of its
// answer. A connection on which nothing could be written is replaced.
func (a *attempt) exchange(m message) (*http.Response, error) {
	rest, err := a.scratch.begin(a.req, m)
	if err != nil {
		return nil, err
	}
	for {
		reused, err := a.connect(m.target)
		if err != nil {
			return nil, err
		}
		if err = a.write(a.scratch.b); err == nil {
			break
		}
		if !reused || a.offered > 0 || a.ctx.Err() != nil {
			a.wrote(err)
			return nil, err
		}
		c, _ := a.unbind()
		c.close()
	}
	if a.conn.used {
		a.e.reused.Add(1)
	}
	err = a.writeRest(rest)
	a.wrote(err)
	if err != nil {
		return nil, err
	}
	a.phase = engine.Wait
	return a.answer()
}

// connect binds a connection to the attempt: an idle one, or a new one.
func (a *attempt) connect(t target) (reused bool, err error) {
	if a.trace != nil && a.trace.GetConn != nil {
		a.trace.GetConn(t.addr)
	}
	c := a.e.take(t)
	info := httptrace.GotConnInfo{Reused: c != nil && c.used, WasIdle: c != nil}
	if c != nil {
		if a.trace != nil {
			info.IdleTime = time.Since(c.last)
		}
	} else {
		var failed *engine.Error
		if c, failed = a.e.open(a.ctx, t); failed != nil {
			return false, &dialError{failed}
		}
	}
	a.phase = engine.Write
	a.bind(c)
	if a.trace != nil && a.trace.GotConn != nil {
		info.Conn = c.top
		a.trace.GotConn(info)
	}
	return info.WasIdle, nil
}

// write hands b to the connection. It is the only place where bytes of a
// request are written: they are counted before, and taken back if the
// connection says that none of them went out.
func (a *attempt) write(b []byte) error {
	a.offered += len(b)
	n, err := a.conn.top.Write(b)
	if n == 0 && err != nil {
		a.offered -= len(b)
	}
	return err
}

// wrote tells the caller's trace.
func (a *attempt) wrote(err error) {
	if a.trace == nil {
		return
	}
	if err == nil && a.trace.WroteHeaders != nil {
		a.trace.WroteHeaders()
	}
	if a.trace.WroteRequest != nil {
		a.trace.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
}

// kill ends what the attempt does on its connection and with the request's
// body. It is called when the context ends.
func (a *attempt) kill() {
	a.mu.Lock()
	a.killed = true
	a.killLocked()
	body := a.body
	a.mu.Unlock()
	if body != nil {
		body.Close() //nolint:gosec // ends a read that blocks
	}
}

func (a *attempt) killLocked() {
	if a.killed && a.conn != nil {
		a.conn.socket.SetDeadline(time.Unix(1, 0)) //nolint:errcheck,gosec // a dead socket needs none
	}
}

func (a *attempt) bind(c *conn) {
	a.mu.Lock()
	a.conn = c
	a.killLocked()
	a.mu.Unlock()
}

// unbind takes the connection away from the attempt; nil if it has none. A
// killed one is of no further use.
func (a *attempt) unbind() (c *conn, killed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c = a.conn
	a.conn = nil
	return c, a.killed
}

// finish gives back connection and place, once. The connection stays open if
// it is of further use.
func (a *attempt) finish(reusable bool) {
	if a.scratch == nil {
		return
	}
	if a.stop != nil {
		a.stop()
	}
	if c, killed := a.unbind(); c != nil {
		switch {
		case killed:
			c.abort()
		case reusable:
			a.e.put(c, true)
		default:
			c.close()
		}
	}
	s := a.scratch
	a.scratch = nil
	a.e.slots <- s
}

// failure makes the error of the attempt.
func (a *attempt) failure(err error) *engine.Error {
	if d, ok := err.(*dialError); ok { //nolint:errorlint // our dialler's comes bare
		return d.failed
	}
	f := &engine.Error{Phase: a.phase, Unsent: a.offered == 0}
	f.Err = a.explain(err)
	return f
}

// explain puts the context's error in the place of what it caused.
func (a *attempt) explain(err error) error {
	if a.ctx.Err() != nil {
		return ctxError(a.ctx)
	}
	return notTheirs(err)
}

// abort makes the connection useless, so that a read of it ends.
func (a *attempt) abort() {
	a.mu.Lock()
	a.killed = true
	a.killLocked()
	a.mu.Unlock()
}
