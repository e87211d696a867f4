package bizppuriotest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// refusedAddr is an address where nobody listens, nor begins to while the
// rule is tried: the port is that of the client's end of a connection.
func refusedAddr(c *engineCheck) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // no name to look up, nothing to wait for
	if err != nil {
		c.stop("no port to be had: %w", err)
	}
	client, err := new(net.Dialer).DialContext(c.ctx, "tcp", ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		c.stop("no port to be had: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, func() {
		_ = client.Close()
		_ = ln.Close()
	})
	return client.LocalAddr().String()
}

// endedContext is over, with a cause if that is not nil.
func endedContext(ctx context.Context, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	return ctx
}

// noConnection: where no connection comes about, nothing was sent, and the
// error says so.
func (c *engineCheck) noConnection() {
	trusting := func(change func(*tls.Config)) *tls.Config {
		cfg := c.clientTLS()
		change(cfg)
		return cfg
	}
	short := engine.Config{DialTimeout: 100 * time.Millisecond}
	raw := func(greet func(*wireConn) bool) *wire { return c.wireWith(nil, greet, nil) }
	for _, row := range []struct {
		what string
		w    *wire // nil: nobody listens
		cfg  engine.Config
	}{
		{"a refused connection", nil, engine.Config{}},
		{"an untrusted certificate", c.wire(nil), engine.Config{TLS: &tls.Config{MinVersion: tls.VersionTLS12}}},
		{"a certificate for another host", c.wire(nil), engine.Config{TLS: trusting(func(t *tls.Config) { t.ServerName = "elsewhere.test" })}},
		{"an expired certificate", c.wire(nil), engine.Config{TLS: trusting(func(t *tls.Config) {
			t.Time = func() time.Time { return time.Now().AddDate(10, 0, 0) }
		})}},
		{"a handshake that never ends", raw(func(wc *wireConn) bool { return wc.silence() }), short},
		{"a connection closed in the handshake", raw(func(*wireConn) bool { return false }), engine.Config{}},
		{"a connection reset in the handshake", raw(func(wc *wireConn) bool { wc.reset(); return false }), engine.Config{}},
		{"a server that does not speak TLS", raw(func(wc *wireConn) bool {
			wc.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			return wc.silence()
		}), engine.Config{}},
	} {
		e := c.engine(row.cfg)
		base := "https://" + refusedAddr(c)
		if row.w != nil {
			base = row.w.url()
		}
		for range 2 { // the second meets what the first left
			r := c.do(e, c.request(c.ctx, base, "victim"))
			c.wantNotSent(row.what, r)
			c.wantNoContextError(row.what, r)
		}
		c.closeEngine(e)
	}
}

// silence reads and discards what comes, below TLS.
func (c *wireConn) silence() bool {
	_, _ = io.Copy(io.Discard, c.raw)
	return false
}

// notBegun: a call that cannot begin sends nothing.
func (c *engineCheck) notBegun() {
	w := c.wire(nil)
	cause := errors.New("the cause")
	e := c.engine(engine.Config{})
	c.wantOK("a request", c.do(e, c.post(w, "first")))
	past, cancel := context.WithDeadlineCause(c.ctx, time.Now().Add(-time.Second), cause)
	defer cancel()
	for what, row := range map[string]struct {
		ctx  context.Context
		want []error
	}{
		"a cancelled context":                      {endedContext(c.ctx, nil), []error{context.Canceled}},
		"a context cancelled with a cause":         {endedContext(c.ctx, cause), []error{context.Canceled, cause}},
		"a context past its deadline with a cause": {past, []error{context.DeadlineExceeded, cause}},
	} {
		req := c.post(w, "ended").WithContext(row.ctx)
		r := c.do(e, req)
		c.wantNotSent(what, r)
		c.wantErrors(what, r, row.want)
	}
	for what, base := range map[string]string{"an unknown scheme": "ftp://127.0.0.1", "no host": "https://"} {
		req := c.request(c.ctx, "https://127.0.0.1", "victim")
		u, err := url.Parse(base + req.URL.Path)
		if err != nil {
			c.stop("no address could be made: %w", err)
		}
		req.URL, req.Host = u, ""
		c.wantNotSent(what, c.do(e, req))
	}
	c.closeEngine(e)
	r := c.do(e, c.post(w, "closed"))
	c.wantNotSent("a closed engine", r)
	c.wantNoContextError("a closed engine", r)
	never := c.engine(engine.Config{})
	c.closeEngine(never)
	c.wantNotSent("an engine that was closed before its first request", c.do(never, c.post(w, "closed")))
}

// wantErrors checks what the chain of a call's error holds.
func (c *engineCheck) wantErrors(what string, r engineResult, want []error) {
	for _, err := range want {
		if r.err != nil && !errors.Is(r.err, err) {
			c.broke("%s: errors.Is does not find %q in the error: %w", what, err.Error(), r.err)
		}
	}
}

// versions: TLS 1.2 or later whatever the Config says, and HTTP/1.1 although
// the server would like HTTP/2.
func (c *engineCheck) versions() {
	server := func(change func(*tls.Config)) *tls.Config {
		cfg := c.serverTLS()
		change(cfg)
		return cfg
	}
	old := c.wireWith(server(func(t *tls.Config) {
		t.MinVersion, t.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 // an old server is what is tried
	}), nil, nil)
	for what, cfg := range map[string]*tls.Config{
		"a server with TLS 1.1":                        c.clientTLS(),
		"a server with TLS 1.1 and no MinVersion":      {RootCAs: c.ca.pool}, // zero is what is tried
		"a server with TLS 1.1 and a lower MinVersion": {RootCAs: c.ca.pool, MinVersion: tls.VersionTLS10},
	} {
		c.wantNotSent(what, c.do(c.engine(engine.Config{TLS: cfg}), c.post(old, "victim")))
	}
	for what, cfg := range map[string]*tls.Config{
		"a server with TLS 1.2":           server(func(t *tls.Config) { t.MaxVersion = tls.VersionTLS12 }),
		"a server with TLS 1.3":           server(func(t *tls.Config) { t.MinVersion = tls.VersionTLS13 }),
		"a server that prefers HTTP/2":    server(func(t *tls.Config) { t.NextProtos = []string{"h2", "http/1.1"} }),
		"a server that knows no protocol": c.serverTLS(),
	} {
		spoken := make(chan string, 1)
		w := c.wireWith(cfg, nil, map[string]wireHandler{"spoken": func(wc *wireConn, req *wireRequest) bool {
			if secure, ok := wc.Conn.(*tls.Conn); ok {
				spoken <- secure.ConnectionState().NegotiatedProtocol
			}
			return wc.ok(req)
		}})
		r := c.do(c.engine(engine.Config{TLS: &tls.Config{RootCAs: c.ca.pool, NextProtos: []string{"h2"}}}), c.post(w, "spoken")) // zero is what is tried
		if c.wantOK(what, r) {
			if p := <-spoken; p != "" && p != "http/1.1" {
				c.broke("%s: the protocol %q was negotiated", what, p)
			}
		}
	}
}

// proxied: with a proxy the request goes through a tunnel, and where there is
// no tunnel nothing was sent.
func (c *engineCheck) proxied() {
	target := c.wire(nil)
	via := func(w *wire) engine.Config {
		return engine.Config{DialTimeout: 5 * time.Second, Proxy: func(*http.Request) (*url.URL, error) {
			return url.Parse("http://" + w.ln.Addr().String())
		}}
	}
	proxy := func(then func(*wireConn, *http.Request) bool) *wire {
		return c.wireWith(nil, func(wc *wireConn) bool {
			req, err := http.ReadRequest(bufio.NewReader(oneByte{wc.raw}))
			if err != nil {
				return false // the engine gave up
			}
			if req.Method != http.MethodConnect {
				c.broke("a proxy was not asked with CONNECT")
				return false
			}
			return then(wc, req)
		}, nil)
	}
	for what, answer := range map[string]string{
		"a proxy that refuses":         "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
		"a proxy that fails":           "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\nfailed",
		"a proxy that wants a name":    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
		"a proxy that closes":          "",
		"a proxy that does not say so": "garbage\r\n\r\n",
	} {
		w := proxy(func(wc *wireConn, _ *http.Request) bool { wc.say(answer); return false })
		c.wantNotSent(what, c.do(c.engine(via(w)), c.post(target, "victim")))
	}
	hanging := proxy(func(wc *wireConn, _ *http.Request) bool { return wc.silence() })
	cfg := via(hanging)
	cfg.DialTimeout = 100 * time.Millisecond
	c.wantNotSent("a proxy that hangs", c.do(c.engine(cfg), c.post(target, "victim")))

	asked := make(chan string, 10)
	w := proxy(func(wc *wireConn, req *http.Request) bool {
		asked <- req.Host
		up, err := new(net.Dialer).DialContext(c.ctx, "tcp", req.Host)
		if err != nil {
			return false
		}
		wc.say("HTTP/1.1 200 Connection established\r\n\r\n")
		wc.w.busy.Go(func() {
			_, _ = io.Copy(up, wc.raw)
			_ = up.Close()
		})
		_, _ = io.Copy(wc.raw, up)
		return false
	})
	e := c.engine(via(w))
	c.wantOK("a request through a proxy", c.do(e, c.post(target, "proxied")))
	c.wantOK("a second request through a proxy", c.do(e, c.post(target, "proxied")))
	if len(asked) != 1 {
		c.broke("two requests through a proxy used %d connections, want 1", len(asked))
	}
}

// oneByte reads single bytes, so that a bufio.Reader takes no more than it
// needs.
type oneByte struct{ io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.Reader.Read(b[:min(1, len(b))]) }

// notice is how long an engine is given to notice what happened to an idle
// connection: a first try shows it soon, a slow machine gets later ones.
func notice() []time.Duration {
	return []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}
}

// idleEnds: when the server has ended an idle connection, the next request
// goes over a fresh one, or is not sent. Were it written to the old one,
// nobody could say what became of it.
func (c *engineCheck) idleEnds() {
	for what, end := range map[string]func(*wireConn){
		"an idle connection that the server closed":                      func(wc *wireConn) { _ = wc.Close() },
		"an idle connection that the server closed without close_notify": (*wireConn).bareFIN,
		"an idle connection that the server reset":                       (*wireConn).reset,
	} {
		if c.whole() {
			c.afterIdle(what, end)
		}
	}
}

// unaskedAnswer: what comes before a request is not its answer.
func (c *engineCheck) unaskedAnswer() {
	closing := "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	for what, end := range map[string]func(*wireConn){
		"an unasked-for 408": func(wc *wireConn) { wc.push(closing) },
		"an unasked-for 408 before the connection is closed": func(wc *wireConn) { wc.push(closing); wc.halfClose() },
		"an answer too many": func(wc *wireConn) { wc.push("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale") },
		"a single byte":      func(wc *wireConn) { wc.push("H") },
	} {
		if c.whole() {
			c.afterIdle(what, end)
		}
	}
}

// afterIdle sends a request some time after end was done to the only idle
// connection.
func (c *engineCheck) afterIdle(what string, end func(*wireConn)) {
	var r engineResult
	times := 0
	for _, wait := range notice() {
		w := c.wire(nil)
		e := c.engine(engine.Config{MaxConns: 2})
		c.wantOK("a request", c.do(e, c.post(w, "first")))
		w.each(end)
		c.pause(wait)
		// What is written to the old connection gets no answer, and may be lost
		// on the way when that is reset.
		ctx, cancel := context.WithTimeout(c.ctx, time.Second)
		r = c.do(e, c.post(w, "raced").WithContext(ctx))
		cancel()
		times = w.times(r.path)
		c.closeEngine(e)
		served := r.err == nil && r.status == http.StatusOK && string(r.text) == "answer for "+r.path && times == 1
		if served || r.notSent {
			return
		}
	}
	switch {
	case r.err != nil:
		c.broke("%s: the next request is written to it and fails: %w", what, r.err)
	case times == 0:
		c.broke("%s: the next request is lost, and answered with status %d", what, r.status)
	default:
		c.broke("%s: the next request is written to it, and answered with status %d %s", what, r.status, strings.TrimSpace(http.StatusText(r.status)))
	}
}
