package engine_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

func TestError_text(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("canary"), ""},
		{&url.Error{Op: "Post", URL: "https://canary", Err: syscall.ECONNRESET}, ": connection reset by peer"},
		{engine.ErrClosed, ": engine is closed"},
		{fmt.Errorf("%w: %w", context.Canceled, engine.ErrClosed), ": the context was canceled"},
		{errors.Join(context.DeadlineExceeded, engine.ErrMalformed), ": the context's deadline has passed"},
		{fmt.Errorf("canary: %w", context.Canceled), ": the context was canceled"},
		{context.DeadlineExceeded, ": the context's deadline has passed"},
		{os.ErrDeadlineExceeded, ": timed out"},
		{&net.DNSError{Err: "canary", Name: "canary", IsNotFound: true}, ": no such host"},
		{&net.DNSError{Err: "canary", Name: "canary", IsTimeout: true}, ": the lookup timed out"},
		{&net.DNSError{Err: "canary", Name: "canary"}, ": the lookup failed"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, ": the certificate is signed by an unknown authority"},
		{x509.HostnameError{Host: "canary", Certificate: &x509.Certificate{}}, ": the certificate is for another host"},
		{x509.CertificateInvalidError{Reason: x509.Expired, Detail: "canary"}, ": the certificate has expired or is not yet valid"},
		{x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign, Detail: "canary"}, ": the certificate is not valid"},
		{&tls.CertificateVerificationError{Err: errors.New("canary")}, ": the certificate does not verify"},
		{tls.RecordHeaderError{Msg: "canary"}, ": the peer does not speak TLS"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, ": tls: handshake failure"},
		{&net.OpError{Op: "dial", Addr: &net.TCPAddr{}, Err: syscall.EHOSTUNREACH}, ": no route to host"},
		{io.EOF, ": the peer closed the connection"},
		{fmt.Errorf("canary: %w", io.ErrUnexpectedEOF), ": the peer closed the connection"},
		{net.ErrClosed, ": the connection is closed"},
	} {
		e := &engine.Error{Phase: engine.Wait, Err: row.err}
		if got, want := e.Error(), "engine: wait failed"+row.want; got != want {
			t.Errorf("Error{Err: %T}.Error() = %q, want %q", row.err, got, want)
		}
		e.Unsent = true
		if got, want := e.Error(), "engine: wait failed, nothing was sent"+row.want; got != want {
			t.Errorf("Error{Unsent, %T}.Error() = %q, want %q", row.err, got, want)
		}
		if strings.Contains(e.Error(), "canary") {
			t.Errorf("Error() = %q, which quotes its cause", e)
		}
	}
}

// No way of printing shows the text of the cause, nor the inside of an engine.
func TestPrint(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	failed := engine.Error{Phase: engine.Dial, Err: &url.Error{Op: "canary", URL: "https://canary", Err: errors.New("canary")}}
	rows := map[string][]any{
		failed.Error():  {failed, &failed, struct{ E engine.Error }{failed}, []*engine.Error{&failed}},
		"engine.Pooled": {e, struct{ E *engine.Pooled }{e}},
		"engine.Wrap":   {engine.Wrap(secretive{"canary"})},
	}
	running := make(chan struct{})
	go func() { // prints do not disturb
		defer close(running)
		for range 20 {
			if _, err := exchange(e, post(t, s.url+"/a")); err != nil {
				t.Error(err)
			}
		}
	}()
	for want, values := range rows {
		for _, v := range values {
			var b strings.Builder
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
				fmt.Fprintf(&b, verb+"\n", v)
			}
			slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v)
			if _, ok := v.(slog.LogValuer); ok { // json does not ask the parts of a value
				slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "v", v)
			}
			if got := b.String(); strings.Contains(got, "canary") || !strings.Contains(got, want) {
				t.Errorf("%T prints as %s, want %q and no canary", v, got, want)
			}
		}
	}
	<-running
}

// secretive is a RoundTripper with something to hide.
type secretive struct{ secret string }

func (secretive) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }

func TestConfig_defaults(t *testing.T) {
	t.Parallel()
	given := &tls.Config{MinVersion: tls.VersionTLS10, NextProtos: []string{"h2"}}
	for _, cfg := range []engine.Config{{}, {MaxConns: -1, AcquireTimeout: -1, DialTimeout: -1, IdleTimeout: -1, TLS: given}} {
		got := cfg.Filled()
		if got.MaxConns != 16 || got.AcquireTimeout != time.Second || got.DialTimeout != 5*time.Second || got.IdleTimeout != 3500*time.Millisecond {
			t.Errorf("%+v.filled() = %+v, want 16, 1s, 5s, 3.5s", cfg, got)
		}
		if got.Proxy == nil || got.TLS.MinVersion != tls.VersionTLS12 || got.TLS.ClientSessionCache == nil || len(got.TLS.NextProtos) != 1 || got.TLS.NextProtos[0] != "http/1.1" {
			t.Errorf("%+v.filled() = %+v, want a proxy, TLS 1.2, a session cache, http/1.1", cfg, got)
		}
	}
	if given.MinVersion != tls.VersionTLS10 || given.ClientSessionCache != nil || given.NextProtos[0] != "h2" {
		t.Errorf("the given tls.Config was changed: %+v", given)
	}
	strict := engine.Config{TLS: &tls.Config{MinVersion: tls.VersionTLS13}}.Filled()
	if strict.TLS.MinVersion != tls.VersionTLS13 {
		t.Errorf("MinVersion = %x, want TLS 1.3 kept", strict.TLS.MinVersion)
	}
}
