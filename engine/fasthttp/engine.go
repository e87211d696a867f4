package fasthttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// Engine is a pool of HTTP/1.1 connections that carries requests. It is safe
// for concurrent use and implements [engine.Engine].
//
// The context of a request is its only clock, besides AcquireTimeout and
// DialTimeout. An httptrace.ClientTrace in it is honoured, except for
// Got1xxResponse. The body of an answer has the method Discard(), after which
// the connection that brought it carries no further request.
type Engine struct {
	cfg     engine.Config
	dialTCP func(ctx context.Context, network, addr string) (net.Conn, error)
	slots   chan *scratch // MaxConns of them; a request holds one
	life    context.Context
	end     context.CancelFunc // ends life
	reused  atomic.Uint64

	mu      sync.Mutex // guards what follows, and some fields of conn
	ended   bool
	conns   map[*conn]struct{}
	idle    []*conn // the youngest last
	sweep   *time.Timer
	sweepAt time.Time // zero: the timer does not run
	opening int       // connections being dialled
	stats   engine.Stats
	watches map[any]func(open time.Duration) // see watch.go
}

var _ engine.Engine = (*Engine)(nil)

// New returns an engine that keeps its connections for later requests. It
// does no I/O.
func New(cfg engine.Config) *Engine {
	cfg = filled(cfg)
	e := &Engine{
		cfg:     cfg,
		dialTCP: new(net.Dialer).DialContext,
		slots:   make(chan *scratch, cfg.MaxConns),
		conns:   make(map[*conn]struct{}),
	}
	e.life, e.end = context.WithCancel(context.Background())
	for range cfg.MaxConns {
		e.slots <- new(scratch)
	}
	return e
}

// Format writes the name of the type. The fields of an Engine change while it
// is used, and hold what the application configured.
func (*Engine) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "fasthttp.Engine") }

// RoundTrip sends one request and returns its answer, of any status. Every
// error is an [*engine.Error]. The request's place in the pool is free again
// when the answer's body was read to its end or closed.
func (e *Engine) RoundTrip(req *http.Request) (*http.Response, error) {
	if req == nil {
		return nil, unsent(engine.Acquire, errNoRequest)
	}
	a := &attempt{e: e, req: req, ctx: req.Context(), phase: engine.Acquire}
	if req.Body != nil {
		a.body = req.Body
		defer a.release()
	}
	return a.run()
}

// acquire waits for a place.
func (e *Engine) acquire(ctx context.Context) (*scratch, error) {
	if ctx.Err() != nil {
		return nil, ctxError(ctx)
	}
	select {
	case <-e.life.Done():
		return nil, engine.ErrClosed
	default:
	}
	select {
	case s := <-e.slots:
		return s, nil
	default:
	}
	e.waiting(1)
	defer e.waiting(-1)
	timer := time.NewTimer(e.cfg.AcquireTimeout)
	defer timer.Stop()
	select {
	case s := <-e.slots:
		return s, nil
	case <-ctx.Done():
		return nil, ctxError(ctx)
	case <-e.life.Done():
		return nil, engine.ErrClosed
	case <-timer.C:
		return nil, os.ErrDeadlineExceeded
	}
}

// Close refuses later requests, ends the waits for a free connection and the
// dials under way, and closes idle connections. Requests that have a
// connection end by themselves; with the last of them the last connection
// goes. Close may be called more than once and returns nil.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.ended = true
	e.end()
	if e.sweep != nil {
		e.sweep.Stop()
	}
	idle := e.idle
	e.idle = nil
	e.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	return nil
}

// Stats returns a consistent snapshot. It is cheap and safe for concurrent
// use.
func (e *Engine) Stats() engine.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.Open, s.Idle = len(e.conns), len(e.idle)
	s.InUse = s.Open - s.Idle
	s.Reused = e.reused.Load()
	return s
}

// waiting counts a request that begins (1) or ends (-1) to wait for a place.
func (e *Engine) waiting(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Waiting += n
	if n > 0 {
		e.stats.Waited++
	}
}

// Warm dials a connection to the scheme and host of base ahead of the next
// request, and waits for it. It does nothing where an idle connection stands
// ready, or where MaxConns are in use. Errors are as those of
// [Engine.RoundTrip].
func (e *Engine) Warm(ctx context.Context, base *url.URL) error {
	t, err := targetOf(base)
	switch {
	case err != nil:
		return unsent(engine.Resolve, err)
	case ctx.Err() != nil:
		return unsent(engine.Acquire, ctxError(ctx))
	}
	select {
	case <-e.life.Done():
		return unsent(engine.Acquire, engine.ErrClosed)
	default:
	}
	var s *scratch
	select {
	case s = <-e.slots:
	default:
		return nil
	}
	defer func() { e.slots <- s }()
	if c := e.take(t); c != nil {
		e.put(c, false)
		return nil
	}
	c, failed := e.open(ctx, t)
	if failed != nil {
		return failed
	}
	e.put(c, false)
	return nil
}
