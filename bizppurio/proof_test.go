package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// bare is an engine that is given to the client as it is, without the caution
// of engine.Wrap.
type bare struct{ roundTrip }

func (bare) Close() error { return nil }

func bareClient(t *testing.T, cfg bizppurio.Config, rt func(*http.Request) (*http.Response, error)) *bizppurio.Client {
	t.Helper()
	cfg.Account, cfg.Password, cfg.From = "acct01", "pw", "0212345678"
	cfg.Engine = bare{roundTrip(rt)}
	c, err := bizppurio.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// says is an error that claims something about itself.
type says bool

func (says) Error() string   { return "canary" }
func (s says) NotSent() bool { return bool(s) }

// several is an error that panics when it is compared.
type several []error

func (several) Error() string     { return "canary" }
func (s several) Unwrap() []error { return s }

// TestProof: what an engine's error proves, and what it does not. A proof that
// stands beside the error of another try is none.
func TestProof(t *testing.T) {
	t.Parallel()
	lost := &engine.Error{Phase: engine.Wait, Err: io.EOF}
	tests := []struct {
		name     string
		err      error
		outcome  send.Outcome
		reason   send.Reason
		requests int
	}{
		{"unsent", errUnsent, send.NotSent, send.Unreachable, 3},
		{"unsent, wrapped", fmt.Errorf("x: %w", fmt.Errorf("y: %w", errUnsent)), send.NotSent, send.Unreachable, 3},
		{"unsent, in a url.Error", &url.Error{Op: "Post", URL: "https://canary", Err: errUnsent}, send.NotSent, send.Unreachable, 3},
		{"a type of its own", says(true), send.NotSent, send.Unreachable, 3},
		{"a type of its own, sent", says(false), send.Unknown, send.ConnectionLost, 1},
		{"sent, around a proof", &engine.Error{Phase: engine.Wait, Err: errUnsent}, send.Unknown, send.ConnectionLost, 1},
		{"unsent and lost", errors.Join(errUnsent, lost), send.Unknown, send.ConnectionLost, 1},
		{"lost and unsent", fmt.Errorf("%w, %w", lost, errUnsent), send.Unknown, send.ConnectionLost, 1},
		{"unsent and anything", errors.Join(errUnsent, errors.New("x")), send.Unknown, send.ConnectionLost, 1},
		{"a failed dial that nobody vouches for", &net.OpError{Op: "dial", Err: errors.New("x")}, send.Unknown, send.ConnectionLost, 1},
		{"an error that cannot be compared", several{io.EOF}, send.Unknown, send.ConnectionLost, 1},
		{"text", errors.New("nothing was sent"), send.Unknown, send.ConnectionLost, 1},
		{"no free connection", &engine.Error{Phase: engine.Acquire, Unsent: true, Err: os.ErrDeadlineExceeded}, send.NotSent, send.PoolTimeout, 1},
		{"the engine is closed", &engine.Error{Phase: engine.Acquire, Unsent: true, Err: engine.ErrClosed}, send.NotSent, send.Closed, 1},
		{"malformed", &engine.Error{Phase: engine.Wait, Err: engine.ErrMalformed}, send.Unknown, send.BadResponse, 1},
		{"a clock of the engine's", &engine.Error{Phase: engine.Wait, Err: context.DeadlineExceeded}, send.Unknown, send.ConnectionLost, 1},
		{"a cancel of the engine's", fmt.Errorf("x: %w", context.Canceled), send.Unknown, send.ConnectionLost, 1},
		{"a clock of the engine's, unsent", &engine.Error{Phase: engine.Dial, Unsent: true, Err: context.DeadlineExceeded}, send.NotSent, send.Unreachable, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c := bareClient(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/v1/token" {
						return respond(r, 200, `{"accesstoken":"t"}`), nil
					}
					requests++
					return nil, tt.err
				})
				_, err := c.Send(t.Context(), sms("r"))
				wantError(t, tt.name, err, tt.outcome, tt.reason)
				if requests != tt.requests {
					t.Errorf("requests = %d, want %d", requests, tt.requests)
				}
				wantNoContextError(t, err)
				if errors.Is(tt.err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("errors.Is(%v, os.ErrDeadlineExceeded) = false, want true", err)
				}
				if errors.Is(tt.err, io.EOF) && !errors.Is(err, io.EOF) {
					t.Errorf("the cause cannot be found in %v", err)
				}
				wantNoCanary(t, err, "canary")
			})
		})
	}
}

// wantNoContextError: the caller's context lives.
func wantNoContextError(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		tb.Errorf("%v looks like the end of the caller's own context", err)
	}
}

// TestProof_body: the same for a body that breaks off.
func TestProof_body(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, broken := range []error{context.DeadlineExceeded, context.Canceled, &engine.Error{Phase: engine.Read, Unsent: true, Err: io.ErrUnexpectedEOF}} {
			requests := 0
			c := bareClient(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/v1/token" {
					return respond(r, 200, `{"accesstoken":"t"}`), nil
				}
				requests++
				resp := respond(r, 200, "")
				resp.Body = io.NopCloser(readerFunc(func([]byte) (int, error) { return 0, broken }))
				return resp, nil
			})
			_, err := c.Send(t.Context(), sms("r"))
			wantError(t, broken.Error(), err, send.Unknown, send.BadResponse)
			wantNoContextError(t, err)
			if requests != 1 {
				t.Errorf("%v: requests = %d, want 1", broken, requests)
			}
		}
	})
}

// TestProof_closed covers cases 40 and 41: the body of every answer is closed,
// whatever its status, and also where it is not read.
func TestProof_closed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, status := range []int{101, 200, 302, 400, 429, 500} {
			for _, encoding := range []string{"", "br"} {
				body := &closing{Reader: strings.NewReader(`{"code":3014}`)}
				c := bareClient(t, oneAttempt(), func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/v1/token" {
						return respond(r, 200, `{"accesstoken":"t"}`), nil
					}
					resp := respond(r, status, "")
					resp.Body, resp.ContentLength = body, -1
					resp.Header.Set("Content-Encoding", encoding)
					return resp, nil
				})
				if _, err := c.Send(t.Context(), sms("r")); err == nil {
					t.Errorf("status %d: Send = nil, want an error", status)
				}
				if !body.closed {
					t.Errorf("status %d, encoding %q: the body is open", status, encoding)
				}
			}
		}
	})
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

// TestProof_nothing is case 50: an engine that returns nothing at all.
func TestProof_nothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, resp := range map[string]*http.Response{"nil": nil, "no body": {StatusCode: 200}} {
			c := bareClient(t, bizppurio.Config{Tokens: given{}}, func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/v1/token" {
					return respond(r, 200, `{"accesstoken":"t"}`), nil
				}
				return resp, nil
			})
			_, err := c.Send(t.Context(), sms("r"))
			wantError(t, name, err, send.Unknown, send.BadResponse)
		}
	})
}

// TestWarm_clock: Warm's own clock is not the caller's either.
func TestWarm_clock(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	reached := make(chan struct{}, 1)
	f := newFront(t, hangAfterByte(func() { reached <- struct{}{} }))
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.Tokens, cfg.BaseURL, cfg.AttemptTimeout = tokenOf(t, s), "https://"+f.addr, 300*time.Millisecond
	})
	err := c.Warm(t.Context())
	wantError(t, "Warm", err, send.NotSent, send.Unreachable)
	wantNoContextError(t, err)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("errors.Is(%v, os.ErrDeadlineExceeded) = false, want true", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for len(reached) > 0 {
		<-reached
	}
	go func() {
		<-reached
		cancel()
	}()
	err = c.Warm(ctx)
	if send.OutcomeOf(err) != send.NotSent {
		t.Errorf("Warm = %v, want not_sent", err)
	}
}
