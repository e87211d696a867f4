package fasthttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// target is where a connection leads.
type target struct {
	secure bool
	addr   string // host:port
}

// targetOf is the target of requests to u.
func targetOf(u *url.URL) (target, error) {
	if u == nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return target{}, errNoHost
	}
	secure := u.Scheme == "https"
	if u.Port() != "" && u.Host[0] != '[' {
		return target{secure, u.Host}, nil
	}
	port := u.Port()
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	return target{secure, net.JoinHostPort(u.Hostname(), port)}, nil
}

// open makes room for a connection and establishes it within DialTimeout.
// Close ends it. The caller holds a place.
func (e *Engine) open(parent context.Context, t target) (c *conn, failed *engine.Error) {
	e.makeRoom()
	defer func() { e.opened(c) }()
	ctx, cancel := context.WithTimeout(parent, e.cfg.DialTimeout)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)() //nolint:contextcheck // either of the two ends the dial
	c, ph, err := e.connect(ctx, t)
	if err == nil {
		return c, nil
	}
	switch {
	case ended(parent):
		err = endOf(parent)
	case e.life.Err() != nil:
		err = engine.ErrClosed
	case ctx.Err() != nil:
		err = os.ErrDeadlineExceeded
	default:
		err = notTheirs(err)
	}
	return nil, unsent(ph, err)
}

// connect establishes a connection and returns the phase in which it failed.
// The hooks of the dial are called by package net.
func (e *Engine) connect(ctx context.Context, t target) (*conn, engine.Phase, error) {
	via, err := e.proxyFor(t)
	if err != nil {
		return nil, engine.Dial, err
	}
	addr := t.addr
	if via != nil {
		addr = proxyAddr(via)
	}
	raw, err := e.dialTCP(ctx, "tcp", addr)
	if err != nil {
		if _, ok := errors.AsType[*net.DNSError](err); ok {
			return nil, engine.Resolve, err
		}
		return nil, engine.Dial, err
	}
	s := newSocket(raw)
	var top net.Conn = s
	if via != nil {
		if top, err = e.tunnel(ctx, s, via, t.addr); err != nil {
			raw.Close() //nolint:gosec // of no use
			return nil, engine.Dial, err
		}
	}
	if !t.secure {
		return e.newConn(t, top, s, nil), "", nil
	}
	secure, err := e.handshake(ctx, top, t.addr)
	if err != nil {
		raw.Close() //nolint:gosec // of no use
		return nil, engine.TLS, err
	}
	state := secure.ConnectionState()
	return e.newConn(t, secure, s, &state), "", nil
}

// handshake speaks TLS on raw as a client of addr.
func (e *Engine) handshake(ctx context.Context, raw net.Conn, addr string) (*tls.Conn, error) {
	cfg := e.cfg.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr) // targetOf made it
	}
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	c := tls.Client(raw, cfg)
	err := c.HandshakeContext(ctx)
	if trace != nil && trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(c.ConnectionState(), err)
	}
	return c, err
}

// ended reports whether ctx is over. The deadline is asked too, because a
// socket may notice it before the context does.
func ended(ctx context.Context) bool {
	d, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(d)
}

// endOf is the error of a ctx that is over. Where only the deadline has
// passed, the context itself follows at once, and with it its cause.
func endOf(ctx context.Context) error {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctxError(ctx)
	case <-timer.C:
		return context.DeadlineExceeded
	}
}
