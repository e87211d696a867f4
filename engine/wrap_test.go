package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/go-bizppurio/sdk/engine"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type says bool

func (says) Error() string   { return "says" }
func (s says) NotSent() bool { return bool(s) }

func TestWrap_errors(t *testing.T) {
	t.Parallel()
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, row := range []struct {
		name   string
		err    error // nil: neither an answer nor an error
		phase  engine.Phase
		unsent bool
	}{
		{"nothing", nil, engine.Wait, false},
		{"EOF", io.EOF, engine.Wait, false},
		{"dial", dial, engine.Dial, true},
		{"dial, wrapped", fmt.Errorf("x: %w", dial), engine.Dial, true},
		{"dial of a proxy", &net.OpError{Op: "proxyconnect", Err: dial}, engine.Dial, true},
		{"read", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, engine.Wait, false},
		{"lookup alone", &net.DNSError{IsNotFound: true}, engine.Wait, false},
		{"says so", says(true), engine.Acquire, true},
		{"says so, wrapped", fmt.Errorf("x: %w", says(true)), engine.Acquire, true},
		{"denies", says(false), engine.Wait, false},
		{"denies, of a dial", fmt.Errorf("%w", errors.Join(says(false), dial)), engine.Wait, false},
		{"two tries", errors.Join(io.EOF, dial), engine.Wait, false},
		{"ours", &engine.Error{Phase: engine.TLS, Unsent: true, Err: io.EOF}, engine.TLS, true},
		{"ours, wrapped", fmt.Errorf("x: %w", &engine.Error{Phase: engine.Write, Unsent: true}), engine.Write, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			e := engine.Wrap(roundTrip(func(*http.Request) (*http.Response, error) { return nil, row.err }))
			_, err := exchange(e, post(t, "https://host/a"))
			wantError(t, err, row.phase, row.unsent)
			if row.err != nil && row.phase != engine.TLS && !errors.Is(err, row.err) {
				t.Errorf("RoundTrip = %v, want %v in it", err, row.err)
			}
		})
	}
}

func TestWrap_refusals(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("the RoundTripper was called")
		return nil, io.EOF
	})
	_, err := exchange(engine.Wrap(never), post(t, "https://host/a").WithContext(ended))
	if wantError(t, err, engine.Acquire, true); !errors.Is(err, context.Canceled) {
		t.Errorf("RoundTrip = %v, want context.Canceled", err)
	}
	_, err = exchange(engine.Wrap(never), nil)
	wantError(t, err, engine.Acquire, true)
	body := &closing{Reader: strings.NewReader("x")}
	req := post(t, "https://host/a")
	req.Body = body
	_, err = exchange(engine.Wrap(nil), req)
	wantError(t, err, engine.Acquire, true)
	if !body.closed {
		t.Error("the request's body was not closed")
	}
}

// A context that ends is found, whatever the transport says (case 18).
func TestWrap_contexts(t *testing.T) {
	t.Parallel()
	cause := errors.New("a cause of the caller")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := engine.Wrap(roundTrip(func(*http.Request) (*http.Response, error) {
		cancel(cause)
		return nil, io.EOF
	}))
	_, err := exchange(e, post(t, "https://host/a").WithContext(ctx))
	wantError(t, err, engine.Wait, false)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		t.Errorf("RoundTrip = %v, want the context's error and its cause", err)
	}
}

// lies are what a caller may end a context with: errors that prove that
// something else was not sent.
func lies() map[string]error {
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	proof := &engine.Error{Phase: engine.Acquire, Unsent: true, Err: dial}
	return map[string]error{
		"a failed dial":           dial,
		"another engine's proof":  proof,
		"a proof that is a value": says(true),
		"a proof in a slice":      proofErrors{says(true)},
		"a failed dial, wrapped":  fmt.Errorf("db: %w", dial),
		"a proof, wrapped":        fmt.Errorf("db: %w", proof),
		"two, joined":             errors.Join(dial, proof),
	}
}

// proofErrors cannot be compared.
type proofErrors []says

func (proofErrors) Error() string { return "says" }
func (proofErrors) NotSent() bool { return true }

// parts lists err and what it wraps.
func parts(err error) []error {
	all := []error{err}
	switch e := err.(type) { //nolint:errorlint // this is the walk
	case interface{ Unwrap() error }:
		all = append(all, parts(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, branch := range e.Unwrap() {
			all = append(all, parts(branch)...)
		}
	}
	return all
}

// told are the ways in which a transport passes on what it was given.
func told() map[string]func(error) error {
	return map[string]func(error) error{
		"alone":       func(err error) error { return err },
		"wrapped":     func(err error) error { return fmt.Errorf("x: %w", err) },
		"joined":      func(err error) error { return errors.Join(err) },
		"as an Error": func(err error) error { return &engine.Error{Phase: engine.Wait, Err: err} },
	}
}

// The cause of a context is about something else. net/http returns it in the
// place of an error of its own, with the request on the wire.
func TestWrap_causes(t *testing.T) {
	t.Parallel()
	for name, cause := range lies() {
		for how, tell := range told() {
			for _, part := range parts(cause) {
				ctx, cancel := context.WithCancelCause(t.Context())
				e := engine.Wrap(roundTrip(func(*http.Request) (*http.Response, error) {
					cancel(cause)
					return nil, tell(part)
				}))
				_, err := exchange(e, post(t, "https://host/a").WithContext(ctx))
				var got *engine.Error
				if !errors.As(err, &got) || got.Unsent || got.Phase != engine.Wait || engine.NotSent(ctx, err) {
					t.Errorf("%s %s (%T): RoundTrip = %#v, want the phase wait and no proof", name, how, part, err)
				}
				if !errors.Is(err, context.Canceled) || errors.Is(cause, cause) && !errors.Is(err, cause) { // a slice is not found
					t.Errorf("%s %s: RoundTrip = %v, want the context's error and its cause", name, how, err)
				}
			}
		}
		// A proof of its own counts, whatever the cause is.
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := exchange(engine.Wrap(roundTrip(func(*http.Request) (*http.Response, error) {
			cancel(cause)
			return nil, fmt.Errorf("x: %w", &engine.Error{Phase: engine.TLS, Unsent: true, Err: cause})
		})), post(t, "https://host/a").WithContext(ctx))
		wantError(t, err, engine.TLS, true)
		if !engine.NotSent(ctx, err) {
			t.Errorf("%s: NotSent(%v) = false, want true", name, err)
		}
	}
}

// What the body of the request failed with is about something else as well.
func TestWrap_bodyFails(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), func(p *peer) { _, _ = p.next() })
	tr := &http.Transport{TLSClientConfig: clientTLS()}
	defer tr.CloseIdleConnections()
	all := lies()
	delete(all, "a proof in a slice") // net/http panics over such a body
	for name, lie := range all {
		for how, e := range map[string]engine.Engine{"Wrap": engine.Wrap(tr), "New": newEngine(t, engine.Config{})} {
			req := post(t, s.url+"/a")
			req.Body, req.GetBody, req.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("half"), failing{lie})), nil, 100
			_, err := exchange(e, req)
			var got *engine.Error
			if !errors.As(err, &got) || got.Unsent || got.Phase == engine.Acquire || got.Phase == engine.Dial {
				t.Errorf("%s of a body, %s: RoundTrip = %#v, want no proof", name, how, err)
			}
			if !errors.Is(err, lie) {
				t.Errorf("%s of a body, %s: RoundTrip = %v, want it in it", name, how, err)
			}
		}
	}
	if n := s.times("/a"); n != 0 {
		t.Errorf("the server saw %d whole requests, want 0", n)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// The body of an answer is read in the same way.
func TestWrap_answer(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	tr := &http.Transport{TLSClientConfig: clientTLS()}
	defer tr.CloseIdleConnections()
	req := post(t, s.url+"/a")
	req.GetBody = nil
	resp, err := engine.Wrap(tr).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Request != req {
		t.Error("Request of the answer is another than what was sent")
	}
}

type cutBody struct{ discarded, closed bool }

func (*cutBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
func (b *cutBody) Close() error           { b.closed = true; return nil }
func (b *cutBody) Discard()               { b.discarded = true }

func TestWrap_bodies(t *testing.T) {
	t.Parallel()
	answer := func(body io.ReadCloser) engine.Engine {
		return engine.Wrap(roundTrip(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req}, nil
		}))
	}
	cut := new(cutBody)
	resp, err := answer(cut).RoundTrip(post(t, "https://host/a"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(resp.Body)
	if wantError(t, err, engine.Read, false); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Read = %v, want io.ErrUnexpectedEOF", err)
	}
	if d, ok := resp.Body.(interface{ Discard() }); ok {
		d.Discard()
	}
	resp.Body.Close()
	if !cut.discarded || !cut.closed {
		t.Errorf("discarded, closed = %t, %t, want true, true", cut.discarded, cut.closed)
	}

	for _, body := range []io.ReadCloser{nil, io.NopCloser(strings.NewReader(""))} {
		resp, err = answer(body).RoundTrip(post(t, "https://host/a"))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); len(b) != 0 || err != nil {
			t.Errorf("ReadAll = %q, %v, want nothing", b, err)
		}
		if _, ok := resp.Body.(interface{ Discard() }); ok {
			t.Errorf("%T has Discard, which the transport's body has not", resp.Body)
		}
		resp.Body.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	resp, err = answer(new(cutBody)).RoundTrip(post(t, "https://host/a").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err = io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want context.Canceled", err)
	}
	resp.Body.Close()

	both := new(cutBody)
	_, err = engine.Wrap(roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{Body: both}, io.EOF
	})).RoundTrip(post(t, "https://host/a"))
	if wantError(t, err, engine.Wait, false); !both.closed {
		t.Error("an answer beside an error was not closed")
	}
}

// Case 78: what was passed in stays as it was, also after Close.
func TestWrap_leavesTheTransport(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	tr := &http.Transport{TLSClientConfig: clientTLS()}
	defer tr.CloseIdleConnections()
	for range 2 {
		e := engine.Wrap(tr)
		mustExchange(t, e, post(t, s.url+"/a"))
		if err := e.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
	if n := s.connections(); n != 1 || tr.MaxConnsPerHost != 0 || tr.DisableCompression {
		t.Errorf("connections = %d, want 1 and an unchanged transport", n)
	}
}
