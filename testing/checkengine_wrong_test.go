package bizppuriotest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"

	"github.com/go-bizppurio/sdk/engine"
)

// wrongEngine breaks a rule of CheckEngine.
type wrongEngine struct {
	name  string
	make  func(engine.Config) engine.Engine
	rule  string
	want  string // in the text of the error
	hangs bool   // what the rule waits for never comes
}

// roundTrip is what becomes of a call that would go to next.
type roundTrip = func(next engine.Engine, req *http.Request) (*http.Response, error)

// altered is an engine that does wrong on top of a good one.
type altered struct {
	engine.Engine
	call roundTrip
}

func (a *altered) RoundTrip(req *http.Request) (*http.Response, error) { return a.call(a.Engine, req) }

// alter makes engines that do wrong on top of good ones. The function is
// called for each engine.
func alter(call func(engine.Config) roundTrip) func(engine.Config) engine.Engine {
	return func(cfg engine.Config) engine.Engine { return &altered{engine.New(cfg), call(cfg)} }
}

// always is alter for what keeps nothing between calls.
func always(call roundTrip) func(engine.Config) engine.Engine {
	return alter(func(engine.Config) roundTrip { return call })
}

// before makes engines that change requests.
func before(change func(*http.Request) *http.Request) func(engine.Config) engine.Engine {
	return always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
		return next.RoundTrip(change(req))
	})
}

// failing makes engines that change errors.
func failing(change func(*http.Request, error) error) func(engine.Config) engine.Engine {
	return after(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
		if err != nil {
			return nil, change(req, err)
		}
		return resp, nil
	})
}

// after makes engines that change what comes back.
func after(change func(*http.Request, *http.Response, error) (*http.Response, error)) func(engine.Config) engine.Engine {
	return always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		return change(req, resp, err)
	})
}

// configured makes engines that take no notice of a limit.
func configured(change func(*engine.Config)) func(engine.Config) engine.Engine {
	return func(cfg engine.Config) engine.Engine {
		change(&cfg)
		return engine.New(cfg)
	}
}

// again repeats a request.
func again(next engine.Engine, req *http.Request) (*http.Response, error) {
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = body
	}
	return next.RoundTrip(req)
}

// claim is an error with a verdict of its own.
type claim struct {
	error
	unsent bool
}

func (c claim) NotSent() bool { return c.unsent }

func (c claim) Unwrap() error { return c.error }

// swapBody replaces the body of an answer and keeps its Close.
func swapBody(resp *http.Response, r io.Reader) *http.Response {
	resp.Body = struct {
		io.Reader
		io.Closer
	}{r, resp.Body}
	return resp
}

// transport makes engines of a bare http.Transport.
func transport(change func(*http.Transport)) func(engine.Config) engine.Engine {
	return func(cfg engine.Config) engine.Engine {
		t := &http.Transport{TLSClientConfig: cfg.TLS.Clone()}
		change(t)
		return closing{engine.Wrap(t), t.CloseIdleConnections}
	}
}

// closing has a Close of its own.
type closing struct {
	engine.Engine
	end func()
}

func (c closing) Close() error {
	c.end()
	return nil
}

// unclosed makes engines that do nothing when they are closed.
func unclosed(cfg engine.Config) engine.Engine { return closing{engine.New(cfg), func() {}} }

// patch is a request without those methods of its body that engines use.
func patch(req *http.Request, r io.Reader) *http.Request {
	req = req.Clone(req.Context())
	req.Body = struct {
		io.Reader
		io.Closer
	}{r, req.Body}
	return req
}

// indifferent takes every error for the end.
type indifferent struct{ io.Reader }

func (r indifferent) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// spaces never ends.
type spaces struct{}

func (spaces) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte{' '}, len(b))), nil }

func saysNotSent(err error) bool {
	var n interface{ NotSent() bool }
	return errors.As(err, &n) && n.NotSent()
}

// naive keeps one connection to each host and writes to it whatever it is.
type naive struct {
	tls *tls.Config

	mu    sync.Mutex
	conns map[string]*naiveConn
}

type naiveConn struct {
	*tls.Conn
	r *bufio.Reader
}

func newNaive(cfg engine.Config) engine.Engine {
	return &naive{tls: cfg.TLS, conns: map[string]*naiveConn{}}
}

func (n *naive) RoundTrip(req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.conns[req.URL.Host]
	if c == nil {
		raw, err := new(net.Dialer).DialContext(req.Context(), "tcp", req.URL.Host)
		if err != nil {
			return nil, claim{err, true}
		}
		cfg := n.tls.Clone()
		cfg.ServerName = "127.0.0.1"
		secure := tls.Client(raw, cfg)
		c = &naiveConn{secure, bufio.NewReader(secure)}
		n.conns[req.URL.Host] = c
	}
	defer context.AfterFunc(req.Context(), func() { _ = c.Close() })()
	if err := req.Write(c); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.r, req)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, err
}

func (n *naive) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		_ = c.Close()
	}
	return nil
}

// wrongEngines has at least one engine for each rule. What they leave ends
// with ctx.
func wrongEngines(ctx context.Context) []wrongEngine {
	const (
		oneRequest = "one call, one request"
		obeys      = "follows, repeats and remembers nothing that an answer asks for"
		unchanged  = "the request arrives unchanged"
		malformed  = "an answer that is no HTTP is malformed"
		unsent     = "no connection: not sent"
		contextual = "the context ends the call"
		versions   = "TLS 1.2 or later, HTTP/1.1"
	)
	return []wrongEngine{
		{"tries again after an error", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil {
				return again(next, req)
			}
			return resp, nil
		}), oneRequest, "is sent again", false},
		{"tries again after a 503", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil && resp.StatusCode == http.StatusServiceUnavailable {
				resp.Body.Close()
				return again(next, req)
			}
			return resp, err
		}), oneRequest, "answered with 503 is sent again", false},
		{"replays what seems idempotent", transport(func(*http.Transport) {}), oneRequest, "is sent again", false},
		{"sends everything twice", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			if resp, err := again(next, req); err == nil {
				resp.Body.Close()
			}
			return next.RoundTrip(req)
		}), "connections are reused", "put its request on the wire more than once", false},
		{"says NotSent of what was sent", failing(func(_ *http.Request, err error) error {
			return claim{err, true}
		}), oneRequest, "says NotSent", false},
		{"hides NotSent", failing(func(_ *http.Request, err error) error {
			return claim{err, false}
		}), unsent, "does not say NotSent", false},
		{"blames a context that lives", failing(func(_ *http.Request, err error) error {
			return claim{errors.Join(err, context.DeadlineExceeded), saysNotSent(err)}
		}), unsent, "is a context error", false},
		{"follows redirects", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			return (&http.Client{Transport: next}).Do(req)
		}), obeys, "a redirect is followed", false},
		{"keeps cookies", alter(func(engine.Config) roundTrip {
			var mu sync.Mutex
			var cookies []*http.Cookie
			return func(next engine.Engine, req *http.Request) (*http.Response, error) {
				req = req.Clone(req.Context())
				mu.Lock()
				for _, c := range cookies {
					req.AddCookie(c)
				}
				mu.Unlock()
				resp, err := next.RoundTrip(req)
				if err == nil {
					mu.Lock()
					cookies = resp.Cookies()
					mu.Unlock()
				}
				return resp, err
			}
		}), obeys, "a cookie is sent", false},
		{"authenticates", before(func(req *http.Request) *http.Request {
			if u := req.URL.User; u != nil {
				req = req.Clone(req.Context())
				password, _ := u.Password()
				req.SetBasicAuth(u.Username(), password)
			}
			return req
		}), obeys, "an authentication is sent", false},
		{"adds a header", before(func(req *http.Request) *http.Request {
			req = req.Clone(req.Context())
			req.Header.Set("Idempotency-Key", "x")
			return req
		}), unchanged, "header Idempotency-Key was added", false},
		{"modifies the request", before(func(req *http.Request) *http.Request {
			req.Header.Set("User-Agent", "an engine")
			return req
		}), unchanged, "the request was modified", false},
		{"asks for compression", transport(func(*http.Transport) {}), unchanged, "header Accept-Encoding was added", false},
		{"forgets to close the request's body", before(func(req *http.Request) *http.Request {
			if req.Body == nil || req.Body == http.NoBody {
				return req
			}
			req = req.Clone(req.Context())
			req.Body = io.NopCloser(req.Body)
			return req
		}), "the request's body is closed", "was not closed", true},
		{"fills up a short body", before(func(req *http.Request) *http.Request {
			if req.ContentLength <= 0 {
				return req
			}
			return patch(req, io.LimitReader(io.MultiReader(indifferent{req.Body}, spaces{}), req.ContentLength))
		}), "a body that fails is no request", "as if it were whole", false},
		{"loses header values", after(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil {
				for name := range resp.Header {
					resp.Header.Set(name, resp.Header.Get(name))
				}
			}
			return resp, err
		}), "the answer arrives unchanged", "the header changed", false},
		{"inflates answers", after(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil && resp.Header.Get("Content-Encoding") == "gzip" {
				z, zerr := gzip.NewReader(resp.Body)
				if zerr != nil {
					return nil, zerr
				}
				resp = swapBody(resp, z)
			}
			return resp, err
		}), "the answer arrives unchanged", "an answer that is compressed: the body changed", false},
		{"takes half a body for a whole one", after(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil {
				resp = swapBody(resp, indifferent{resp.Body})
			}
			return resp, err
		}), "a cut body is an error", "want an error", false},
		{"takes a bad answer for a lost one", failing(func(_ *http.Request, err error) error {
			if errors.Is(err, engine.ErrMalformed) {
				return claim{errors.New("the connection broke"), saysNotSent(err)}
			}
			return err
		}), malformed, "does not find engine.ErrMalformed", false},
		{"takes a lost answer for a bad one", failing(func(_ *http.Request, err error) error {
			return claim{errors.Join(err, engine.ErrMalformed), saysNotSent(err)}
		}), malformed, "errors.Is finds engine.ErrMalformed", false},
		{"ends the body when the header is there", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithCancel(req.Context())
			defer cancel()
			return next.RoundTrip(req.WithContext(ctx))
		}), "the body comes while the context lives", "not read to its end", false},
		{"mixes answers up", alter(func(engine.Config) roundTrip {
			var mu sync.Mutex
			var last []byte
			return func(next engine.Engine, req *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(req)
				if err != nil {
					return nil, err
				}
				b, err := io.ReadAll(resp.Body)
				mu.Lock()
				defer mu.Unlock()
				b, last = last, b
				return swapBody(resp, bytes.NewReader(b)), err
			}
		}), "answers are not mixed up", "body of another", false},
		{"reads a header of any length", transport(func(t *http.Transport) {
			t.MaxResponseHeaderBytes = 1 << 40
		}), "the header of an answer is bounded", "more than 32 MiB", false},
		{"reads informational answers without end", func(cfg engine.Config) engine.Engine {
			e := engine.Wrap(&http.Transport{TLSClientConfig: cfg.TLS})
			return &altered{e, func(next engine.Engine, req *http.Request) (*http.Response, error) {
				return next.RoundTrip(req.WithContext(httptrace.WithClientTrace(context.WithoutCancel(req.Context()), &httptrace.ClientTrace{
					Got1xxResponse: func(int, textproto.MIMEHeader) error { return nil },
				})))
			}}
		}, "informational answers end", "does not return", true},
		{"stores the whole body", after(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil {
				return nil, err
			}
			b, err := io.ReadAll(io.LimitReader(resp.Body, 100<<20))
			return swapBody(resp, bytes.NewReader(b)), err
		}), "the body of an answer is not stored without bound", "more than 32 MiB", false},
		{"begins although the context has ended", before(func(req *http.Request) *http.Request {
			return req.WithContext(context.WithoutCancel(req.Context()))
		}), "no time, no engine: not sent", "a cancelled context", false},
		{"ignores the context", before(func(req *http.Request) *http.Request {
			return req.WithContext(context.WithoutCancel(req.Context()))
		}), contextual, "a call does not return", true},
		{"ignores the context in the body", always(func(next engine.Engine, req *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithCancelCause(context.WithoutCancel(req.Context()))
			stop := context.AfterFunc(req.Context(), func() { cancel(errors.New("the request's context ended")) })
			resp, err := next.RoundTrip(req.WithContext(ctx))
			stop()
			return resp, err
		}), "the context ends the body", "a call does not return", true},
		{"swallows the cause", failing(func(req *http.Request, err error) error {
			if ctxErr := req.Context().Err(); ctxErr != nil {
				return claim{ctxErr, saysNotSent(err)}
			}
			return err
		}), contextual, `does not find "the cause"`, false},
		{"returns the cause alone", failing(func(req *http.Request, err error) error {
			if req.Context().Err() != nil {
				return claim{context.Cause(req.Context()), saysNotSent(err)}
			}
			return err
		}), contextual, `does not find "context`, false},
		{"believes the cause", failing(func(req *http.Request, err error) error {
			return claim{err, saysNotSent(err) || req.Context().Err() != nil && saysNotSent(context.Cause(req.Context()))}
		}), contextual, "says NotSent", false},
		{"believes the body", failing(func(_ *http.Request, err error) error {
			return claim{err, saysNotSent(err) || saysNotSent(errors.Unwrap(err))}
		}), "a body that fails is no request", "says NotSent", false},
		{"takes TLS 1.1", transport(func(t *http.Transport) {
			t.TLSClientConfig.MinVersion = tls.VersionTLS10
		}), versions, "a server with TLS 1.1", false},
		{"speaks HTTP/2", transport(func(t *http.Transport) { t.ForceAttemptHTTP2 = true }), versions, "a server that prefers HTTP/2", false},
		{"ignores the proxy", configured(func(c *engine.Config) { c.Proxy = http.ProxyURL(nil) }), "a proxy is spoken to below the request", "want an error", false},
		{"uses an idle connection as it is", newNaive, "an idle connection that ended carries nothing", "is written to it and fails", false},
		{"believes an idle-408", newNaive, "an unasked-for answer answers nothing", "the next request is", false},
		{"closes connections after each call", before(func(req *http.Request) *http.Request {
			req = req.Clone(req.Context())
			req.Close = true
			return req
		}), "connections are reused", "used 100 connections", false},
		{"ignores MaxConns", configured(func(c *engine.Config) { c.MaxConns = 100 }), "MaxConns", "9 requests are on the wire at once", false},
		{"loses the places of cancelled calls", alter(func(cfg engine.Config) roundTrip {
			places := make(chan struct{}, cfg.MaxConns)
			return func(next engine.Engine, req *http.Request) (*http.Response, error) {
				select {
				case places <- struct{}{}:
				default:
					return nil, claim{errors.New("no place"), true}
				}
				resp, err := next.RoundTrip(req)
				if req.Context().Err() != nil {
					return resp, err
				}
				if err != nil {
					<-places
					return nil, err
				}
				resp.Body = &freeing{ReadCloser: resp.Body, free: func() { <-places }}
				return resp, nil
			}
		}), "MaxConns", "places are lost", false},
		{"counts MaxConns for each host", alter(func(cfg engine.Config) roundTrip {
			var mu sync.Mutex
			engines := map[string]engine.Engine{}
			return func(_ engine.Engine, req *http.Request) (*http.Response, error) {
				mu.Lock()
				e := engines[req.URL.Host]
				if e == nil {
					e = engine.New(cfg)
					engines[req.URL.Host] = e
				}
				mu.Unlock()
				return e.RoundTrip(req)
			}
		}), "MaxConns, many hosts", "3 connections to several hosts", true},
		{"waits for a connection without end", configured(func(c *engine.Config) { c.AcquireTimeout = 1 << 60 }), "AcquireTimeout", "a call does not return", true},
		{"ignores IdleTimeout", configured(func(c *engine.Config) { c.IdleTimeout = 1 << 60 }), "IdleTimeout", "used again after IdleTimeout", false},
		{"closes all connections after an error", alter(func(cfg engine.Config) roundTrip {
			var mu sync.Mutex
			current := engine.New(cfg)
			return func(_ engine.Engine, req *http.Request) (*http.Response, error) {
				mu.Lock()
				e := current
				mu.Unlock()
				resp, err := e.RoundTrip(req)
				if err != nil {
					mu.Lock()
					current.Close()
					current = engine.New(cfg)
					mu.Unlock()
				}
				return resp, err
			}
		}), "one failure leaves other connections alone", "were not used again", false},
		{"leaves connections open", unclosed, "connections are reused", "connections are open after Close", true},
		{"lets callers wait after Close", unclosed, "Close", "a call does not return", true},
		{"leaves a goroutine", func(cfg engine.Config) engine.Engine {
			go func() { <-ctx.Done() }()
			return engine.New(cfg)
		}, "nothing is left after Close", "goroutines are left", true},
		{"reports a fresh connection as reused", before(func(req *http.Request) *http.Request {
			trace := httptrace.ContextClientTrace(req.Context()) //nolint:contextcheck // the hooks are all that is wanted of it
			if trace == nil {
				return req
			}
			return req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
				GotConn: func(info httptrace.GotConnInfo) {
					info.Reused = true
					trace.GotConn(info)
				},
			}))
		}), "httptrace tells the truth", "Reused = true of request 1", false},
	}
}

// freeing calls free when it is closed.
type freeing struct {
	io.ReadCloser
	free func()
}

func (f *freeing) Close() error {
	err := f.ReadCloser.Close()
	if free := f.free; free != nil {
		f.free = nil
		free()
	}
	return err
}
