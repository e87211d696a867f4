package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"os"
	"time"
)

// target is where a connection leads.
type target struct {
	scheme string // http or https
	addr   string // host:port
}

// dial is called by net/http, in a goroutine of its own and under a context
// that has the values of the request and not its end. DialTimeout bounds it.
func (p *Pooled) dial(ctx context.Context, t target) (net.Conn, error) {
	if c := p.takeSpare(t); c != nil {
		return c, nil
	}
	c, failed := p.open(ctx, t)
	if failed != nil {
		return nil, &dialError{failed}
	}
	return c, nil
}

// dialError carries the error of a dial through net/http, which returns it bare.
// Nobody else makes one: an [*Error] by itself may be the cause of the
// caller's context, or what the body of the request failed with, and then it
// is about another request.
type dialError struct{ failed *Error }

func (e *dialError) Error() string { return e.failed.Error() }

// open makes room for a connection and establishes it within DialTimeout.
// Close ends it.
func (p *Pooled) open(parent context.Context, t target) (*conn, *Error) {
	ctx, cancel := context.WithTimeout(parent, p.cfg.DialTimeout)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)() //nolint:contextcheck // either of the two ends the dial
	ph := Acquire
	err := p.enter(ctx, t, hooksOf(ctx).attempt)
	if err == nil {
		var c *conn
		c, ph, err = p.connect(ctx, t)
		if err == nil {
			c.dialled = hooksOf(ctx).attempt
			p.admit(c)
			return c, nil
		}
		p.mu.Lock()
		p.leaveLocked()
		p.mu.Unlock()
	}
	switch {
	case ended(parent):
		err = contextOrDeadline(parent)
	case p.life.Err() != nil:
		err = ErrClosed
	case ctx.Err() != nil:
		err = os.ErrDeadlineExceeded
	default:
		err = notTheirs(err)
	}
	return nil, &Error{Phase: ph, Unsent: true, Err: err}
}

// connect establishes a connection and returns the phase in which it failed.
func (p *Pooled) connect(ctx context.Context, t target) (*conn, Phase, error) {
	h := hooksOf(ctx)
	via, err := p.proxyFor(t)
	if err != nil {
		return nil, Dial, err
	}
	addr := t.addr
	if via != nil {
		addr = proxyAddr(via)
	}
	h.phase(Dial)
	raw, err := p.dialTCP(httptrace.WithClientTrace(ctx, h.net()), "tcp", addr)
	if err != nil {
		if _, ok := errors.AsType[*net.DNSError](err); ok {
			return nil, Resolve, err
		}
		return nil, Dial, err
	}
	c := &conn{Conn: raw, pool: p, target: t, keep: p.cfg.IdleTimeout}
	if via != nil {
		h.phase(Dial)
		if c.Conn, err = p.tunnel(ctx, raw, via, t.addr); err != nil {
			raw.Close() //nolint:gosec // of no use
			return nil, Dial, err
		}
	}
	if t.scheme == "https" {
		h.phase(TLS)
		h.tlsStart()
		var secure *tls.Conn
		secure, err = p.handshake(ctx, c.Conn, t.addr)
		state := secure.ConnectionState()
		h.tlsDone(state, err)
		if err != nil {
			c.Conn.Close() //nolint:gosec // of no use
			return nil, TLS, err
		}
		c.Conn, c.state = secure, &state
	}
	c.since = time.Now()
	c.last = c.since
	return c, "", nil
}

// handshake speaks TLS on raw as a client of addr. The connection that it
// returns is never nil.
func (p *Pooled) handshake(ctx context.Context, raw net.Conn, addr string) (*tls.Conn, error) {
	cfg := p.cfg.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr)
	}
	c := tls.Client(raw, cfg)
	return c, c.HandshakeContext(ctx)
}

// ended reports whether ctx is over. The deadline is asked too, because a
// socket may notice it before the context does.
func ended(ctx context.Context) bool {
	d, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(d)
}

// contextOrDeadline is the error of a ctx that is over.
func contextOrDeadline(ctx context.Context) error {
	if ctx.Err() == nil {
		return context.DeadlineExceeded
	}
	return ctxError(ctx)
}

// hooks tell the attempt for which a dial began how far it got, and its
// caller's trace as well. The zero value tells nobody.
type hooks struct {
	attempt *attempt
	trace   *httptrace.ClientTrace
}

func hooksOf(ctx context.Context) hooks {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		return hooks{a, a.caller}
	}
	return hooks{trace: httptrace.ContextClientTrace(ctx)}
}

func (h hooks) phase(ph Phase) {
	if h.attempt != nil {
		h.attempt.dialling(ph)
	}
}

// net returns the hooks that package net calls. The caller's are among them
// only where net would not find them in the context: in that of an attempt.
func (h hooks) net() *httptrace.ClientTrace {
	var t httptrace.ClientTrace
	if h.attempt == nil {
		return &t
	}
	if h.trace != nil {
		t.DNSDone, t.ConnectDone = h.trace.DNSDone, h.trace.ConnectDone
	}
	t.DNSStart = func(info httptrace.DNSStartInfo) {
		h.phase(Resolve)
		if h.trace != nil && h.trace.DNSStart != nil {
			h.trace.DNSStart(info)
		}
	}
	t.ConnectStart = func(network, addr string) {
		h.phase(Dial)
		if h.trace != nil && h.trace.ConnectStart != nil {
			h.trace.ConnectStart(network, addr)
		}
	}
	return &t
}

func (h hooks) tlsStart() {
	if h.trace != nil && h.trace.TLSHandshakeStart != nil {
		h.trace.TLSHandshakeStart()
	}
}

func (h hooks) tlsDone(state tls.ConnectionState, err error) {
	if h.trace != nil && h.trace.TLSHandshakeDone != nil {
		h.trace.TLSHandshakeDone(state, err)
	}
}
