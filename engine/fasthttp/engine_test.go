package fasthttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// Case 79: the same contract as the default engine.
func TestEngine_CheckEngine(t *testing.T) {
	t.Parallel()
	err := bizppuriotest.CheckEngine(t.Context(), func(cfg engine.Config) engine.Engine { return fasthttp.New(cfg) })
	if err != nil {
		t.Errorf("CheckEngine(fasthttp.New) = %v, want nil", err)
	}
}

// Cases 43, 44: many requests, one connection.
func TestEngine_oneConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	for i := range 1050 {
		mustExchange(t, e, post(t, s.url+"/"+strconv.Itoa(i)))
	}
	if n, _ := s.conns(); n != 1 {
		t.Errorf("connections = %d, want 1", n)
	}
	want := engine.Stats{Opened: 1, Open: 1, Idle: 1, Reused: 1049}
	if got := e.Stats(); got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
}

// Nothing repeats a request whose bytes are out: not of the methods that
// fasthttp and net/http take for idempotent, nor with a key that says so,
// however many idle connections there are (case 11).
func TestEngine_noRetries(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ method, key string }{
		{http.MethodPost, ""},
		{http.MethodPost, "Idempotency-Key"},
		{http.MethodGet, ""},
		{http.MethodHead, ""},
		{http.MethodPut, ""},
		{http.MethodDelete, ""},
		{http.MethodOptions, ""},
		{http.MethodTrace, ""},
	} {
		t.Run(row.method+row.key, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					if req, err := p.next(); err != nil || req.URL.Path == "/once" {
						return
					}
					p.ok()
				}
			})
			e := newEngine(t, engine.Config{})
			var held []*http.Response
			for range 5 {
				resp, err := e.RoundTrip(post(t, s.url+"/first"))
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, resp)
			}
			for _, resp := range held {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			req := post(t, s.url+"/once")
			req.Method = row.method
			if row.key != "" {
				req.Header.Set(row.key, "x")
			}
			_, err := exchange(e, req)
			var got *engine.Error
			if !errors.As(err, &got) || got.Unsent || got.Phase != engine.Wait {
				t.Errorf("exchange = %v, want an *engine.Error of the phase wait that proves nothing", err)
			}
			if n := s.seen("/once"); n != 1 {
				t.Errorf("the server read the request %d times, want 1", n)
			}
			if st := e.Stats(); st.Open != 4 {
				t.Errorf("Stats() = %+v, want the 4 other connections open", st)
			}
		})
	}
}

func TestEngine_warm(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} { // 1.3: tickets are pending
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			cfg := serverTLS()
			cfg.MinVersion, cfg.MaxVersion = version, version
			s := serve(t, cfg, answerAll)
			e := newEngine(t, engine.Config{})
			base, err := url.Parse(s.url + "/path")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second finds the first
				if err := e.Warm(t.Context(), base); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := e.Stats(), (engine.Stats{Opened: 1, Open: 1, Idle: 1}); got != want {
				t.Errorf("Stats() = %+v, want %+v", got, want)
			}
			var info httptrace.GotConnInfo
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { info = i }})
			mustExchange(t, e, post(t, s.url+"/a").WithContext(ctx))
			if n, _ := s.conns(); n != 1 || info.Reused || !info.WasIdle {
				t.Errorf("connections = %d, GotConn = %+v, want 1, idle and not reused", n, info)
			}
		})
	}
}

func TestEngine_warmFails(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	closed := newEngine(t, engine.Config{})
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	https := &url.URL{Scheme: "https", Host: "127.0.0.1:1"}
	for _, row := range []struct {
		name string
		e    *fasthttp.Engine
		ctx  context.Context
		base *url.URL
		want error
	}{
		{"nil", newEngine(t, engine.Config{}), t.Context(), nil, nil},
		{"scheme", newEngine(t, engine.Config{}), t.Context(), &url.URL{Scheme: "ftp", Host: "127.0.0.1"}, nil},
		{"refused", newEngine(t, engine.Config{}), t.Context(), https, nil},
		{"ended", newEngine(t, engine.Config{}), ended, https, context.Canceled},
		{"closed", closed, t.Context(), https, engine.ErrClosed},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := row.e.Warm(row.ctx, row.base)
			var got *engine.Error
			if !errors.As(err, &got) || !got.Unsent || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("Warm = %v, want an unsent *engine.Error with %v", err, row.want)
			}
		})
	}
}

func TestEngine_badRequests(t *testing.T) { //nolint:tparallel // see the rows
	t.Parallel()
	e := newEngine(t, engine.Config{MaxConns: 1})
	if _, err := e.RoundTrip(nil); err == nil {
		t.Error("RoundTrip(nil) = nil, want an error")
	}
	for _, row := range []struct { //nolint:paralleltest // one place: a leak shows in the next row
		name  string
		spoil func(*http.Request)
	}{
		{"no URL", func(r *http.Request) { r.URL = nil }},
		{"no host", func(r *http.Request) { r.URL.Host = "" }},
		{"scheme", func(r *http.Request) { r.URL.Scheme = "ftp" }},
		{"value", func(r *http.Request) { r.Header.Set("X-Secret", "canary\r\nX: y") }},
		{"name", func(r *http.Request) { r.Header["X canary"] = []string{"x"} }},
		{"method", func(r *http.Request) { r.Method = "PO ST" }},
		{"host", func(r *http.Request) { r.Host = "canary\r\nX: y" }},
		{"address", func(r *http.Request) { r.URL.Opaque = "/canary HTTP/1.1\r\nX: y" }},
		{"trailer", func(r *http.Request) { r.Trailer = http.Header{"X-Canary": nil} }},
		{"long body", func(r *http.Request) { r.ContentLength = 3 }},
		{"short body", func(r *http.Request) { r.ContentLength = 300 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, serverTLS(), answerAll)
			req := post(t, s.url+"/a")
			row.spoil(req)
			_, err := e.RoundTrip(req)
			var got *engine.Error
			if !errors.As(err, &got) || !got.Unsent {
				t.Errorf("RoundTrip = %v, want an unsent *engine.Error", err)
			}
			for _, shown := range []string{err.Error(), fmt.Sprintf("%+v", err)} {
				if strings.Contains(shown, "canary") {
					t.Errorf("the error is shown as %q, which quotes the request", shown)
				}
			}
		})
	}
}

// What an answer says must not be quoted by an error.
func TestEngine_badAnswers(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"canary\r\n\r\n",
		"HTTP/1.1 20 canary\r\n\r\n",
		"HTTP/2.0 200 canary\r\n\r\n",
		"HTTP/1.1 200 OK\r\ncanary\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: canary\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\ncanary",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: canary\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ncanary\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("canary", 10_000) + "\r\n\r\n",
		strings.Repeat("HTTP/1.1 103 canary\r\n\r\n", 100),
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				if _, err := p.next(); err == nil {
					p.say(answer)
				}
			})
			e := newEngine(t, engine.Config{})
			_, err := exchange(e, post(t, s.url+"/a"))
			var got *engine.Error
			if !errors.As(err, &got) || got.Unsent {
				t.Fatalf("exchange = %v, want an *engine.Error that proves nothing", err)
			}
			for _, shown := range []string{err.Error(), fmt.Sprintf("%v", got.Err)} {
				if strings.Contains(shown, "canary") {
					t.Errorf("the error is shown as %q, which quotes the answer", shown)
				}
			}
		})
	}
}

// Case 46 in part; and a body may be closed while it is read.
func TestEngine_closeWhileReading(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), func(p *peer) {
		_, _ = p.next()
		p.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		_, _ = io.Copy(io.Discard, p)
	})
	e := newEngine(t, engine.Config{})
	resp, err := e.RoundTrip(post(t, s.url+"/a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := resp.Body.Read(make([]byte, 1))
		read <- err
	}()
	for range 2 {
		if err := resp.Body.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
	var got *engine.Error
	if err := <-read; !errors.As(err, &got) || got.Phase != engine.Read {
		t.Errorf("Read = %v, want an *engine.Error of the phase read", err)
	}
	eventually(t, "the connection is closed", func() bool { _, open := s.conns(); return open == 0 })
}

func TestEngine_trace(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	for _, want := range []string{
		"get dial dialled tls secure got wrote first", "get got(reused) wrote first",
	} {
		var got []string
		note := func(what string) { got = append(got, what) }
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GetConn:           func(string) { note("get") },
			ConnectStart:      func(string, string) { note("dial") },
			ConnectDone:       func(string, string, error) { note("dialled") },
			TLSHandshakeStart: func() { note("tls") },
			TLSHandshakeDone:  func(tls.ConnectionState, error) { note("secure") },
			GotConn: func(info httptrace.GotConnInfo) {
				if info.Reused {
					note("got(reused)")
				} else {
					note("got")
				}
			},
			WroteRequest: func(info httptrace.WroteRequestInfo) {
				if info.Err == nil {
					note("wrote")
				}
			},
			GotFirstResponseByte: func() { note("first") },
		})
		mustExchange(t, e, post(t, s.url+"/a").WithContext(ctx))
		if s := strings.Join(got, " "); s != want {
			t.Errorf("hooks = %q, want %q", s, want)
		}
	}
}

func TestConfig_defaults(t *testing.T) {
	t.Parallel()
	for _, c := range []engine.Config{{}, {MaxConns: -1, AcquireTimeout: -1, DialTimeout: -1, IdleTimeout: -1, TLS: &tls.Config{MinVersion: tls.VersionTLS10}}} {
		got := fasthttp.Filled(c)
		if got.MaxConns != 16 || got.AcquireTimeout != time.Second || got.DialTimeout != 5*time.Second || got.IdleTimeout != 3500*time.Millisecond {
			t.Errorf("Filled(%+v) = %+v, want 16, 1 s, 5 s, 3.5 s", c, got)
		}
		if got.TLS.MinVersion != tls.VersionTLS12 || got.TLS.ClientSessionCache == nil || got.Proxy == nil {
			t.Errorf("Filled(%+v): TLS %x, cache %v, want TLS 1.2, a cache and a proxy function", c, got.TLS.MinVersion, got.TLS.ClientSessionCache)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		line string
		want time.Duration
		ok   bool
	}{
		{"timeout=5, max=100", 5 * time.Second, true},
		{"max=100, Timeout = \"4\"", 4 * time.Second, true},
		{"timeout=99999999999999999999", (1 << 31) * time.Second, true},
		{"timeout=x", 0, false},
		{"timeout=-1", 0, false},
		{"max=100", 0, false},
		{"", 0, false},
	} {
		if got, ok := fasthttp.KeepAlive(row.line); got != row.want || ok != row.ok {
			t.Errorf("KeepAlive(%q) = %v, %t, want %v, %t", row.line, got, ok, row.want, row.ok)
		}
	}
}
