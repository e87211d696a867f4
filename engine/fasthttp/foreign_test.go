package fasthttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// lies prove that something else was not sent.
func lies() map[string]error {
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	proof := &engine.Error{Phase: engine.Acquire, Unsent: true, Err: dial}
	return map[string]error{
		"a failed dial":          dial,
		"another engine's proof": proof,
		"a proof, wrapped":       fmt.Errorf("db: %w", proof),
		"two, joined":            errors.Join(dial, proof),
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Errors of others reach the engine as the cause of the caller's context and
// out of the request's body. Their phase and their proof are not ours.
func TestEngine_foreignErrors(t *testing.T) {
	t.Parallel()
	for name, lie := range lies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			s := serve(t, serverTLS(), func(p *peer) {
				if req, err := p.next(); err == nil && req.URL.Path == "/cause" {
					cancel(lie)
					_, _ = io.Copy(io.Discard, p)
				}
			})
			e := newEngine(t, engine.Config{})
			streamed := post(t, s.url+"/body")
			streamed.Body, streamed.GetBody, streamed.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("half"), failing{lie})), nil, -1
			for what, req := range map[string]*http.Request{"cause": post(t, s.url+"/cause").WithContext(ctx), "body": streamed} {
				_, err := exchange(e, req)
				var got *engine.Error
				if !errors.As(err, &got) || got.Unsent || got.Phase != engine.Write && got.Phase != engine.Wait || engine.NotSent(req.Context(), err) {
					t.Errorf("%s: exchange = %v, want phase write or wait and no proof", what, err)
				}
				if !errors.Is(err, lie) {
					t.Errorf("%s: exchange = %v, want %v in it", what, err, lie)
				}
			}
		})
	}
}

// Close ends a dial that is under way, at once: nothing was sent.
func TestEngine_closeWhileDialling(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		proxy bool
		warm  bool
		phase engine.Phase
	}{{"tls", false, false, engine.TLS}, {"proxy", true, false, engine.Dial}, {"warm", false, true, engine.TLS}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{})
			s := serve(t, nil, func(p *peer) {
				_, _ = p.r.ReadByte()
				close(reached)
				_, _ = io.Copy(io.Discard, p)
			})
			cfg := engine.Config{DialTimeout: time.Hour}
			if row.proxy {
				cfg.Proxy = func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: s.addr}, nil }
			}
			e := newEngine(t, cfg)
			go func() {
				<-reached
				_ = e.Close()
			}()
			base := &url.URL{Scheme: "https", Host: s.addr, Path: "/a"}
			var err error
			if row.warm {
				err = e.Warm(t.Context(), base)
			} else {
				_, err = exchange(e, post(t, base.String()))
			}
			var got *engine.Error
			if !errors.As(err, &got) || !got.Unsent || got.Phase != row.phase {
				t.Errorf("exchange = %v, want an unsent *engine.Error of the phase %s", err, row.phase)
			}
			if !errors.Is(err, engine.ErrClosed) || errors.Is(err, context.Canceled) {
				t.Errorf("exchange = %v, want ErrClosed and no context error", err)
			}
			if st := e.Stats(); st.Open != 0 || st.Opened != 0 {
				t.Errorf("Stats() = %+v, want no connection", st)
			}
		})
	}
}

// What Config.Proxy failed with may hold the proxy's password.
func TestEngine_proxySecret(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{io.ErrClosedPipe, context.Canceled, context.DeadlineExceeded} {
		e := newEngine(t, engine.Config{Proxy: func(*http.Request) (*url.URL, error) {
			return nil, &url.Error{Op: "parse", URL: "http://user:canary@proxy.test", Err: cause}
		}})
		_, err := exchange(e, post(t, "https://vendor.test/a"))
		var got *engine.Error
		if !errors.As(err, &got) || !got.Unsent || got.Phase != engine.Dial {
			t.Errorf("exchange = %v, want an unsent *engine.Error of the phase dial", err)
		}
		if _, ok := errors.AsType[*url.Error](err); ok || strings.Contains(fmt.Sprintf("%#v", got.Err), "canary") {
			t.Errorf("exchange = %#v, which holds the proxy's password", got.Err)
		}
	}
}

// An https proxy may ask for a certificate of the client, and gets that of
// Config.TLS, as it does from net/http.
func TestEngine_proxyCertificate(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	cfg := serverTLS()
	cfg.ClientAuth = tls.RequireAnyClientCert
	addr, _ := proxy(t, cfg)
	cert, pool := identity()
	e := newEngine(t, engine.Config{
		TLS:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}},
		Proxy: func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "https", Host: addr}, nil },
	})
	mustExchange(t, e, post(t, s.url+"/a"))
}

// Printing an engine in use shows its name and disturbs nothing.
func TestEngine_print(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			if _, err := exchange(e, post(t, s.url+"/a")); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		if got := fmt.Sprintf(verb, e); got != "fasthttp.Engine" {
			t.Errorf("Sprintf(%q) = %q, want the name", verb, got)
		}
	}
	<-done
}
