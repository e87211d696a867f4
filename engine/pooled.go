package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// maxHeader bounds the header of an answer, informational (1xx) answers
// before it included. The vendor's have a few hundred bytes.
const maxHeader = 64 << 10

// Pooled is the default engine: one pool of HTTP/1.1 connections on net/http.
//
// Give requests a GetBody, as [http.NewRequest] does for a bytes.Reader: a
// request that meets a stale connection is then moved to a new one, which is
// harmless because nothing of it was written. Without GetBody it fails with
// an [*Error] that says so. The body of an answer has the method Discard(),
// after which the connection that brought it carries no further request.
//
// The context of a request is its only clock, besides AcquireTimeout and
// DialTimeout. An httptrace.ClientTrace in it is honoured, except for
// Got1xxResponse, with which net/http would read informational answers
// without end.
type Pooled struct {
	cfg       Config
	transport *http.Transport
	dialTCP   func(ctx context.Context, network, addr string) (net.Conn, error)
	slots     chan struct{} // holds one token for each request on its way
	life      context.Context
	end       context.CancelFunc // ends life

	mu    sync.Mutex // guards what follows, and the fields of conn and attempt
	conns map[*conn]struct{}
	taken int     // connections open and being opened, at most MaxConns
	turns []*turn // dials that wait until taken falls
	stats Stats

	watches map[any]func(open time.Duration) // see watch.go
}

// New returns an engine that keeps its connections for later requests. It
// does no I/O.
func New(cfg Config) *Pooled {
	cfg = cfg.filled()
	p := &Pooled{
		cfg:     cfg,
		dialTCP: new(net.Dialer).DialContext,
		slots:   make(chan struct{}, cfg.MaxConns),
		conns:   make(map[*conn]struct{}),
	}
	p.life, p.end = context.WithCancel(context.Background())
	p.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return p.dial(ctx, target{"http", addr})
		},
		DialTLSContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return p.dial(ctx, target{"https", addr})
		},
		Protocols:              new(http.Protocols),
		DisableCompression:     true,
		MaxConnsPerHost:        cfg.MaxConns,
		MaxIdleConns:           cfg.MaxConns,
		MaxIdleConnsPerHost:    cfg.MaxConns,
		IdleConnTimeout:        cfg.IdleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
	p.transport.Protocols.SetHTTP1(true)
	return p
}

// Format writes the name of the type. The fields of a Pooled change while it
// is used, and hold what the application configured.
func (*Pooled) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "engine.Pooled") }

// RoundTrip sends one request and returns its answer, of any status. Every
// error is an [*Error]. The request's place in the pool is free again when
// the answer's body was read to its end or closed.
func (p *Pooled) RoundTrip(req *http.Request) (*http.Response, error) {
	if req == nil {
		return nil, &Error{Phase: Acquire, Unsent: true, Err: errNoRequest}
	}
	if err := p.acquire(req.Context()); err != nil {
		closeBody(req)
		return nil, &Error{Phase: Acquire, Unsent: true, Err: err}
	}
	a := newAttempt(p, req)
	answered := false
	defer func() {
		if !answered { // also when a hook of the caller panics
			a.finish()
		}
	}()
	resp, err := p.transport.RoundTrip(req.WithContext(a)) //nolint:contextcheck // a is a child of the request's
	for err != nil {
		e := a.failure(err)
		next, moved := a.again(req)
		if next == nil {
			return nil, e
		}
		a = next
		resp, err = p.transport.RoundTrip(moved.WithContext(a)) //nolint:contextcheck // as above
	}
	if a.seal(onlyUnsent) {
		resp.Body.Close() //nolint:gosec // the answer is nobody's
		return nil, &Error{Phase: Wait, Unsent: true, Err: errUnasked}
	}
	answered = true
	a.deliver(resp)
	resp.Request = req
	return resp, nil
}

// acquire waits for a slot.
func (p *Pooled) acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctxError(ctx)
	}
	if p.life.Err() != nil {
		return ErrClosed
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	p.waiting(1)
	defer p.waiting(-1)
	timer := time.NewTimer(p.cfg.AcquireTimeout)
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctxError(ctx)
	case <-p.life.Done():
		return ErrClosed
	case <-timer.C:
		return os.ErrDeadlineExceeded
	}
}

// Close refuses later requests, ends the waits for a free connection and the
// dials under way, and lets go of idle connections. Requests that have a
// connection end by themselves; with the last of them the last connection
// goes. Close may be called more than once and returns nil.
func (p *Pooled) Close() error {
	p.mu.Lock()
	p.end()
	spares := p.sparesLocked()
	p.mu.Unlock()
	for _, c := range spares {
		c.Close() //nolint:errcheck,gosec // an unused connection has nothing to lose
		<-c.spare
	}
	p.transport.CloseIdleConnections()
	return nil
}

// closeBody closes the body of a request that goes no further, as
// [http.RoundTripper] demands.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close() //nolint:gosec // the request failed already
	}
}

// failure makes the error of an attempt whose RoundTrip ended with err.
func (a *attempt) failure(err error) *Error {
	e := &Error{Unsent: a.seal(always), Phase: a.reached()}
	if d, ok := err.(*dialError); ok { //nolint:errorlint // our dialler's comes bare
		e.Phase, err = d.failed.Phase, d.failed.Err
	}
	if a.Err() != nil {
		e.Err = ctxError(a.Context)
	} else {
		e.Err = notTheirs(err)
		if a.misheard() {
			e.Err = fmt.Errorf("%w: %w", ErrMalformed, e.Err)
		}
	}
	return e
}
