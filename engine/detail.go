package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
)

// reason is an error of our own making, whose text is therefore safe to log.
type reason string

func (r reason) Error() string { return string(r) }

const (
	errNoRequest reason = "there is no request"
	errNoAnswer  reason = "the transport returned neither an answer nor an error"
	errNoCarrier reason = "there is no transport"
	errNoHost    reason = "the address has no host or a scheme other than http and https"
	errSealed    reason = "the request is over"
	errSpent     reason = "the request was written to another connection before"
	errStale     reason = "the connection was idle too long"
	errRetired   reason = "the connection carries no further request"
	errUnasked   reason = "an answer came before the request was written"
	errProxyPick reason = "the function Proxy failed"
	errProxyKind reason = "the proxy has no host or a scheme other than http and https"
	errProxyTalk reason = "the proxy did not answer as a proxy"
)

// proxyError is the status with which a proxy refused CONNECT.
type proxyError int

func (s proxyError) Error() string { return "the proxy answered " + strconv.Itoa(int(s)) }

// detail describes the kind of err in words that are safe to log, or not at
// all: only texts that come from a fixed set are let through.
//
// The context comes first: the rest of the chain may be its cause.
func detail(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "the context was canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "the context's deadline has passed"
	case errors.Is(err, ErrClosed):
		return ErrClosed.Error()
	case errors.Is(err, ErrMalformed):
		return ErrMalformed.Error()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "timed out"
	}
	if d := ownDetail(err); d != "" {
		return d
	}
	if d := tlsDetail(err); d != "" {
		return d
	}
	return netDetail(err)
}

func ownDetail(err error) string {
	if r, ok := errors.AsType[reason](err); ok {
		return r.Error()
	}
	if s, ok := errors.AsType[proxyError](err); ok {
		return s.Error()
	}
	return ""
}

func tlsDetail(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another host"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if e.Reason == x509.Expired {
			return "the certificate has expired or is not yet valid"
		}
		return "the certificate is not valid"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate does not verify"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the peer does not speak TLS"
	}
	// crypto/tls reports an alert as an OpError with one of these names; the
	// text of an alert comes from a table of its own.
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Err != nil && (e.Op == "remote error" || e.Op == "local error") {
		return e.Err.Error()
	}
	return ""
}

func netDetail(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		switch {
		case e.IsNotFound:
			return "no such host"
		case e.IsTimeout:
			return "the lookup timed out"
		default:
			return "the lookup failed"
		}
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the peer closed the connection"
	case errors.Is(err, net.ErrClosed):
		return "the connection is closed"
	default:
		return ""
	}
}

// ctxError is ctx.Err() with its cause, for a ctx that has ended. net/http
// returns the cause alone, in which the context error is no longer found.
func ctxError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// hidden keeps the text of an error and hides its chain.
type hidden struct{ text string }

func (h hidden) Error() string { return h.text }

// notTheirs takes the context errors out of err, which happened while the
// caller's context was alive: nobody shall blame a deadline of theirs.
func notTheirs(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return os.ErrDeadlineExceeded
	case errors.Is(err, context.Canceled):
		return hidden{err.Error()}
	default:
		return err
	}
}
