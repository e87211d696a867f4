package engine_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// TestPooled_failures has a row for each way in which a request fails, with
// what the engine may say about it (cases 11 and 22 among them).
func TestPooled_failures(t *testing.T) {
	t.Parallel()
	tlsOf := func(change func(*tls.Config)) *tls.Config {
		cfg := serverTLS()
		change(cfg)
		return cfg
	}
	readThen := func(end func(*peer)) func(*peer) {
		return func(p *peer) {
			if _, err := p.next(); err == nil {
				end(p)
			}
		}
	}
	say := func(s string) func(*peer) { return readThen(func(p *peer) { p.say(s) }) }
	blackHole := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, row := range []struct {
		name   string
		tls    *tls.Config // of the server; nil: plain TCP
		script func(*peer)
		cfg    engine.Config
		dial   dialFunc
		plain  bool // http
		phase  engine.Phase
		unsent bool
		is     error  // in the chain; nil: not checked
		text   string // in Error()
		seen   int
	}{
		{
			name: "no such host", phase: engine.Resolve, unsent: true, text: "no such host",
			dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "canary", Name: "canary", IsNotFound: true}}
			},
		},
		{
			name: "refused", phase: engine.Dial, unsent: true, is: syscall.ECONNREFUSED, text: "connection refused",
			dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:1")
			},
		},
		{
			name: "dial timeout", phase: engine.Dial, unsent: true, is: os.ErrDeadlineExceeded, text: "timed out",
			cfg: engine.Config{DialTimeout: 20 * time.Millisecond}, dial: blackHole,
		},
		{
			name: "handshake timeout", phase: engine.TLS, unsent: true, is: os.ErrDeadlineExceeded, text: "timed out",
			cfg: engine.Config{DialTimeout: 50 * time.Millisecond}, script: (*peer).hang,
		},
		{
			name: "untrusted", phase: engine.TLS, unsent: true, text: "unknown authority",
			tls: serverTLS(), script: answerAll, cfg: engine.Config{TLS: &tls.Config{}},
		},
		{
			name: "other host", phase: engine.TLS, unsent: true, text: "another host",
			tls: serverTLS(), script: answerAll, cfg: engine.Config{TLS: func() *tls.Config {
				c := clientTLS()
				c.ServerName = "elsewhere.test"
				return c
			}()},
		},
		{
			name: "expired", phase: engine.TLS, unsent: true, text: "expired",
			tls: serverTLS(), script: answerAll, cfg: engine.Config{TLS: func() *tls.Config {
				c := clientTLS()
				c.Time = func() time.Time { return time.Now().AddDate(1, 0, 0) }
				return c
			}()},
		},
		{
			name: "version", phase: engine.TLS, unsent: true, text: "protocol version",
			tls: tlsOf(func(c *tls.Config) {
				c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			}), script: answerAll,
		},
		{
			name: "plain HTTP on the port", phase: engine.TLS, unsent: true, text: "does not speak TLS",
			script: func(p *peer) { p.say("HTTP/1.1 400 canary\r\n\r\n"); p.hang() },
		},
		{
			name: "FIN in the handshake", phase: engine.TLS, unsent: true, is: io.EOF, text: "closed",
			script: func(p *peer) { _, _ = p.Read(make([]byte, 1<<16)) },
		},
		{
			name: "read all, FIN", phase: engine.Wait, is: io.EOF, seen: 1,
			tls: serverTLS(), script: readThen(func(*peer) {}),
		},
		{
			name: "read all, RST", phase: engine.Wait, seen: 1, text: "reset",
			tls: serverTLS(), script: readThen((*peer).reset),
		},
		{
			name: "garbage", phase: engine.Wait, seen: 1, is: engine.ErrMalformed, text: "malformed",
			tls: serverTLS(), script: say("canary\r\n\r\n"),
		},
		{
			name: "header cut", phase: engine.Wait, seen: 1, is: io.ErrUnexpectedEOF, text: "closed",
			tls: serverTLS(), script: say("HTTP/1.1 200 OK\r\nX-Canary: can"),
		},
		{
			name: "body cut", phase: engine.Read, seen: 1, is: io.ErrUnexpectedEOF,
			tls: serverTLS(), script: say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncanary"),
		},
		{
			name: "chunk cut", phase: engine.Read, seen: 1,
			tls: serverTLS(), script: say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncan"),
		},
		{
			name: "bad chunk", phase: engine.Read, seen: 1,
			tls: serverTLS(), script: say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ncanary\r\n"),
		},
		{
			name: "nothing written", phase: engine.Write, unsent: true, is: syscall.EPIPE,
			script: (*peer).hang, dial: failWrite(0, 0), plain: true,
		},
		{
			name: "something written", phase: engine.Write, is: syscall.EPIPE,
			script: (*peer).hang, dial: failWrite(1, 0), plain: true,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			url := "https://127.0.0.1:1"
			var s *server
			if row.script != nil {
				s = serve(t, row.tls, row.script)
				url = s.url
			}
			e := newEngine(t, row.cfg)
			if row.dial != nil {
				e.SetDial(row.dial)
			}
			if row.plain {
				url = "http://" + s.addr
			}
			_, err := exchange(e, post(t, url+"/the-id?canary=1"))
			wantError(t, err, row.phase, row.unsent)
			if row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("RoundTrip = %v, want %v in it", err, row.is)
			}
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("RoundTrip = %v, want no context error while the context lives", err)
			}
			if !strings.Contains(err.Error(), row.text) {
				t.Errorf("Error() = %q, want %q in it", err, row.text)
			}
			if strings.Contains(err.Error(), "anary") || strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("Error() = %q, which quotes what it must not", err)
			}
			if s != nil && s.times("the-id") != row.seen {
				t.Errorf("the server read the request %d times, want %d", s.times("the-id"), row.seen)
			}
			eventually(t, "no connection is in use", func() bool { return e.Stats().InUse == 0 })
		})
	}
}

// failWrite opens sockets on which a write fails after n
// bytes, after good writes that succeed.
func failWrite(n, good int) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &failingConn{Conn: c, n: n, good: good}, err
	}
}

type failingConn struct {
	net.Conn
	n    int
	good int // writes that succeed
}

func (c *failingConn) Write(b []byte) (int, error) {
	if c.good--; c.good < 0 {
		return c.n, syscall.EPIPE
	}
	return c.Conn.Write(b)
}

// Under TLS 1.3 the client is done before the server has seen that there is
// no client certificate: the request is on the wire.
func TestPooled_clientCertificate(t *testing.T) {
	t.Parallel()
	written := make(chan struct{})
	cfg := serverTLS()
	cfg.ClientAuth = tls.RequireAnyClientCert
	cfg.MinVersion = tls.VersionTLS13
	s := serve(t, nil, func(p *peer) {
		c := tls.Server(&gate{Conn: p.raw, open: written}, cfg)
		_ = c.Handshake()
		p.hang()
	})
	e := newEngine(t, engine.Config{})
	var mu sync.Mutex
	var client *watched
	e.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		mu.Lock()
		defer mu.Unlock()
		client = &watched{Conn: c, wrote: written}
		return client, err
	})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		mu.Lock()
		defer mu.Unlock()
		client.arm()
	}})
	_, err := exchange(e, post(t, s.url+"/a").WithContext(ctx))
	wantError(t, err, engine.Wait, false)
	if !strings.Contains(err.Error(), "certificate required") {
		t.Errorf("Error() = %q, want the alert in it", err)
	}
}

// gate is the server's socket: what comes after its first flight is read when
// open is closed.
type gate struct {
	net.Conn
	open  chan struct{}
	spoke bool
}

func (g *gate) Read(b []byte) (int, error) {
	if g.spoke {
		<-g.open
	}
	return g.Conn.Read(b)
}

func (g *gate) Write(b []byte) (int, error) {
	g.spoke = true
	return g.Conn.Write(b)
}

// watched closes wrote after the first write after arm.
type watched struct {
	net.Conn
	wrote chan struct{}
	mu    sync.Mutex
	armed bool
}

func (w *watched) arm() {
	w.mu.Lock()
	w.armed = true
	w.mu.Unlock()
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.armed {
		w.armed = false
		close(w.wrote)
	}
	return n, err
}

// Case 18: the ways in which a context ends, before a byte and after.
func TestPooled_contexts(t *testing.T) {
	t.Parallel()
	cause := errors.New("a cause of the caller")
	endings := []struct {
		name string
		make func(context.Context) (context.Context, func())
		want []error
	}{
		{"cancel", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		}, []error{context.Canceled}},
		{"cancel with cause", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(cause) }
		}, []error{context.Canceled, cause}},
		{"deadline", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			return ctx, func() { context.AfterFunc(ctx, cancel) }
		}, []error{context.DeadlineExceeded}},
		{"deadline with cause", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeoutCause(ctx, 100*time.Millisecond, cause)
			return ctx, func() { context.AfterFunc(ctx, cancel) }
		}, []error{context.DeadlineExceeded, cause}},
	}
	stages := []struct {
		name   string
		phase  engine.Phase
		unsent bool
		size   int // of the body
		script func(p *peer, reached func())
		dial   func(reached func()) dialFunc
	}{
		{"resolving and dialling", engine.Dial, true, 1, nil, func(reached func()) dialFunc {
			return func(ctx context.Context, _, _ string) (net.Conn, error) {
				reached()
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}},
		{"handshake", engine.TLS, true, 1, func(p *peer, reached func()) { // raw TCP
			_, _ = p.Read(make([]byte, 1))
			reached()
			p.hang()
		}, nil},
		{"writing", engine.Write, false, 64 << 20, func(p *peer, reached func()) {
			_, _ = p.r.ReadByte()
			reached()
			<-p.s.done()
		}, nil},
		{"waiting", engine.Wait, false, 1, func(p *peer, reached func()) {
			_, _ = p.next()
			reached()
			p.hang()
		}, nil},
		{"reading", engine.Read, false, 1, func(p *peer, _ func()) {
			_, _ = p.next()
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
			p.hang()
		}, nil},
	}
	for _, stage := range stages {
		for _, ending := range endings {
			t.Run(stage.name+", "+ending.name, func(t *testing.T) {
				t.Parallel()
				reached := make(chan struct{})
				once := sync.OnceFunc(func() { close(reached) })
				cfg := serverTLS()
				if stage.phase == engine.TLS {
					cfg = nil
				}
				script := (*peer).hang
				if stage.script != nil {
					script = func(p *peer) { stage.script(p, once) }
				}
				s := serve(t, cfg, script)
				e := newEngine(t, engine.Config{DialTimeout: time.Second})
				if stage.dial != nil {
					e.SetDial(stage.dial(once))
				}
				ctx, end := ending.make(t.Context())
				req := post(t, s.url+"/a").WithContext(ctx)
				req.Body, req.ContentLength = io.NopCloser(io.LimitReader(zeros{}, int64(stage.size))), int64(stage.size)
				go func() {
					<-reached
					end()
				}()
				resp, err := e.RoundTrip(req)
				once() // for the stage of reading, and should the deadline have come first
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				if ctx.Err() == nil {
					t.Fatalf("RoundTrip ended before the context: %v", err)
				}
				var got *engine.Error
				if !errors.As(err, &got) {
					t.Fatalf("RoundTrip = %v, want *engine.Error", err)
				}
				// A deadline may come earlier on a busy machine.
				early := strings.HasPrefix(ending.name, "deadline") && (got.Phase != stage.phase || got.Unsent)
				if early && got.Unsent && s.saw("POST") {
					t.Error("the server saw a request that is said to be unsent")
				}
				if !early {
					wantError(t, err, stage.phase, stage.unsent)
				}
				for _, want := range ending.want {
					if !errors.Is(err, want) {
						t.Errorf("RoundTrip = %v, want %v in it", got.Err, want)
					}
				}
			})
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// The cause of the caller's context may be an error of another engine: its
// phase and its proof are not ours.
func TestPooled_causes(t *testing.T) {
	t.Parallel()
	for name, cause := range lies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{})
			s := serve(t, serverTLS(), func(p *peer) {
				if _, err := p.next(); err == nil {
					close(arrived)
					p.hang()
				}
			})
			e := newEngine(t, engine.Config{})
			ctx, cancel := context.WithCancelCause(t.Context())
			wrote := make(chan struct{}) // the server may be told before the writer
			traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(wrote) }})
			go func() {
				<-arrived
				<-wrote
				cancel(cause)
			}()
			_, err := exchange(e, post(t, s.url+"/a").WithContext(traced))
			wantError(t, err, engine.Wait, false)
			if !errors.Is(err, context.Canceled) || engine.NotSent(ctx, err) {
				t.Errorf("RoundTrip = %v, want the context's error and no proof", err)
			}
		})
	}
}

// What net/http replays by itself, this engine does not (case 11): a GET, and
// a POST with an Idempotency-Key, whose reused connection broke.
func TestPooled_noReplay(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, method, key string }{
		{"GET", http.MethodGet, ""},
		{"POST with a key", http.MethodPost, "Idempotency-Key"},
		{"POST with an X-key", http.MethodPost, "X-Idempotency-Key"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					if req, err := p.next(); err != nil || req.URL.Path == "/once" {
						return
					}
					p.ok()
				}
			})
			e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
			held := make([]func(), 5)
			for i := range held {
				held[i] = holdOpen(t, e, s.url+"/first")
			}
			for _, free := range held {
				free()
			}
			req := post(t, s.url+"/once")
			req.Method = row.method
			if row.key != "" {
				req.Header.Set(row.key, "x")
			}
			_, err := exchange(e, req)
			var got *engine.Error
			if !errors.As(err, &got) || got.Unsent {
				t.Errorf("exchange = %v, want an *engine.Error that proves nothing", err)
			}
			if n := s.times("once"); n != 1 {
				t.Errorf("the server read the request %d times, want 1", n)
			}
		})
	}
}

// holdOpen sends a request and reads its answer to the end when the returned
// function is called.
func holdOpen(t *testing.T, e *engine.Pooled, url string) (free func()) {
	t.Helper()
	resp, err := e.RoundTrip(post(t, url))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
