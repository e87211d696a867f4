package bizppuriotest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// webhook serves h on loopback and returns its URL.
func webhook(tb testing.TB, h http.HandlerFunc) string {
	tb.Helper()
	ln, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	tb.Cleanup(func() { _ = srv.Close(); wg.Wait() })
	return "http://" + ln.Addr().String() + "/hook"
}

func TestServer_TLS(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	addr := strings.TrimPrefix(s.URL(), "https://")
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	fromPEM := x509.NewCertPool()
	if !fromPEM.AppendCertsFromPEM(s.CertPEM()) {
		t.Fatal("CertPEM() holds no certificate")
	}
	for name, c := range map[string]struct {
		config *tls.Config
		name   string
		ok     bool
	}{
		"as it is":      {s.TLSConfig(), "127.0.0.1", true},
		"localhost":     {s.TLSConfig(), "localhost", true},
		"IPv6":          {s.TLSConfig(), "::1", true},
		"pool":          {&tls.Config{RootCAs: s.CertPool()}, "127.0.0.1", true},
		"PEM":           {&tls.Config{RootCAs: fromPEM}, "127.0.0.1", true},
		"TLS 1.2":       {&tls.Config{RootCAs: s.CertPool(), MaxVersion: tls.VersionTLS12}, "127.0.0.1", true},
		"TLS 1.1":       {&tls.Config{RootCAs: s.CertPool(), MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "127.0.0.1", false},
		"another name":  {s.TLSConfig(), "example.com", false},
		"another pool":  {&tls.Config{RootCAs: x509.NewCertPool()}, "127.0.0.1", false},
		"another court": {bizppuriotest.NewServer(t).TLSConfig(), "127.0.0.1", false},
	} {
		c.config.ServerName = c.name
		conn, err := (&tls.Dialer{Config: c.config}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, want ok %v", name, err, c.ok)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
}

func TestStart_Addresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts []bizppuriotest.Option
		ok   bool
	}{
		"any machine":         {[]bizppuriotest.Option{bizppuriotest.WithAddr("0.0.0.0:0")}, false},
		"no host":             {[]bizppuriotest.Option{bizppuriotest.WithAddr(":0")}, false},
		"any machine, wanted": {[]bizppuriotest.Option{bizppuriotest.WithAddr("0.0.0.0:0"), bizppuriotest.WithRemoteClients()}, true},
		"loopback":            {[]bizppuriotest.Option{bizppuriotest.WithAddr("localhost:0")}, true},
		"nonsense":            {[]bizppuriotest.Option{bizppuriotest.WithAddr("x")}, false},
		"not ours":            {[]bizppuriotest.Option{bizppuriotest.WithAddr("192.0.2.1:0"), bizppuriotest.WithRemoteClients()}, false},
	} {
		s, err := bizppuriotest.Start(c.opts...)
		if (err == nil) != c.ok {
			t.Errorf("%s: Start() = %v, want ok %v", name, err, c.ok)
		}
		if s != nil {
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Errorf("%s: Close() twice = %v", name, err)
			}
		}
	}
}

func TestServer_PlainHTTP(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithPlainHTTP())
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL() = %q, want http", s.URL())
	}
	cl := newClient(t, s)
	if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 1000 || s.Seen("order-1") != 1 {
		t.Errorf("message = %q, %d seen, want 1000, 1", a.body, s.Seen("order-1"))
	}
	s.Misbehave(bizppuriotest.Reset())
	if _, err := cl.post(bizppuriotest.PathMessage, sms("order-2", to)); err == nil {
		t.Error("after Reset: no error")
	}
}

func TestServer_RateLimit(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithRateLimit(3, time.Hour))
	cl := newClient(t, s) // its login is the first call
	for i, want := range []struct {
		code      int
		remaining string
	}{{1000, "1"}, {1000, "0"}, {5002, "0"}} {
		a := cl.must(bizppuriotest.PathMessage, sms(fmt.Sprint("order-", i), to))
		if code(a) != want.code || a.header.Get("RateLimit-Remaining") != want.remaining || a.header.Get("RateLimit-Limit") != "3" ||
			!strings.HasPrefix(a.header.Get("RateLimit-Reset"), "3") {
			t.Errorf("call %d = %d %v, want %d with %s left", i, code(a), a.header, want.code, want.remaining)
		}
		if want.code == 5002 && a.status != 429 {
			t.Errorf("call %d: status %d, want 429", i, a.status)
		}
	}
	short := bizppuriotest.NewServer(t, bizppuriotest.WithRateLimit(1, time.Millisecond))
	cl = newClient(t, short)
	eventually(t, func() bool { return code(cl.must(bizppuriotest.PathMessage, sms("order", to))) == 1000 }, "the window never renews")
}

// The end of idle connections, as a client sees it that only listens.
func TestServer_IdleClose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how  bizppuriotest.End
		want string // what is read, "" for an error
	}{
		"FIN": {bizppuriotest.FIN, "EOF"}, "RST": {bizppuriotest.RST, "error"}, "408": {bizppuriotest.Push408, "HTTP/1.1 408 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t, bizppuriotest.WithIdleClose(20*time.Millisecond, c.how), bizppuriotest.WithKeepAliveHeader(4*time.Second))
			conn, err := (&tls.Dialer{Config: s.TLSConfig()}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "https://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			b, err := io.ReadAll(conn)
			var timeout net.Error
			switch {
			case errors.As(err, &timeout) && timeout.Timeout():
				t.Fatal("the connection stays open")
			case c.want == "error" && err == nil, c.want == "EOF" && (err != nil || len(b) != 0),
				c.how == bizppuriotest.Push408 && !strings.HasPrefix(string(b), c.want):
				t.Errorf("read %q, %v, want %s", b, err, c.want)
			}
			eventually(t, func() bool { return s.OpenConns() == 0 }, "the connection counts as open")
			cl := newClient(t, s)
			eventually(t, func() bool { // a slow machine may be late
				a, err := cl.do(cl.request(bizppuriotest.PathToken, basic(s.Account(), s.Password()), ""))
				return err == nil && a.header.Get("Keep-Alive") == "timeout=4"
			}, "no answer with Keep-Alive")
			eventually(t, func() bool { return s.OpenConns() == 0 }, "a used connection stays open")
		})
	}
}

// Idle times end a connection, requests do not.
func TestServer_IdleCloseSparesRequests(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithIdleClose(100*time.Millisecond, bizppuriotest.FIN), bizppuriotest.WithLatency(0, 200*time.Millisecond))
	cl := newClient(t, s)
	eventually(t, func() bool { // a slow machine may be late
		a, err := cl.do(cl.request(bizppuriotest.PathToken, basic(s.Account(), s.Password()), ""))
		return err == nil && a.status == 200
	}, "no request longer than the idle time is answered")
}

func TestServer_Resumed(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	config := s.TLSConfig()
	config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for want := range 2 {
		tr := &http.Transport{TLSClientConfig: config}
		cl := newClient(t, s)
		cl.http.Transport = tr
		cl.login() // the tickets come with the answer
		tr.CloseIdleConnections()
		if got := s.Resumed(); got != want {
			t.Errorf("after connection %d Resumed() = %d, want %d", want+1, got, want)
		}
	}
}

func TestServer_Latency(t *testing.T) {
	t.Parallel()
	const rtt, service = 20 * time.Millisecond, 10 * time.Millisecond
	s := bizppuriotest.NewServer(t, bizppuriotest.WithLatency(rtt, service))
	cl := newClient(t, s)
	start := time.Now()
	cl.login()
	if got, want := time.Since(start), 3*rtt+service; got < want {
		t.Errorf("the first request took %v, want TCP, TLS and the request: %v at least", got, want)
	}
	start = time.Now()
	cl.must(bizppuriotest.PathMessage, sms("order-1", to))
	if got, want := time.Since(start), rtt+service; got < want {
		t.Errorf("a request took %v, want %v at least", got, want)
	}
}

func TestServer_DropConns(t *testing.T) {
	t.Parallel()
	for _, how := range []bizppuriotest.End{bizppuriotest.FIN, bizppuriotest.RST, bizppuriotest.Push408} {
		s := bizppuriotest.NewServer(t)
		cl := newClient(t, s)
		cl.login()
		s.DropConns(how)
		if got := s.OpenConns(); got != 0 {
			t.Errorf("DropConns(%d): %d are open, want 0", how, got)
		}
		cl.http.CloseIdleConnections() // the client may not have noticed yet
		if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 1000 || s.Conns() != 2 {
			t.Errorf("DropConns(%d): %q over %d connections, want 1000 over 2", how, a.body, s.Conns())
		}
	}
}

// recorder is a TB that keeps what it is told.
type recorder struct {
	bizppuriotest.TB
	cleanups []func()
	errors   []string
	fatal    string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.fatal = fmt.Sprintf(format, args...) }

// Cases 11, 12, 46, 76, 80: the server tells on the client.
func TestServer_Violations(t *testing.T) {
	t.Parallel()
	header := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = []string{"x"} }
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string // part of the violation, "" for none
	}{
		"good":                     {func(*http.Request) {}, ""},
		"Idempotency-Key":          {header("Idempotency-Key"), "Idempotency-Key"},
		"X-Idempotency-Key":        {header("X-Idempotency-Key"), "Idempotency-Key"},
		"traceparent":              {header("Traceparent"), "trace header"},
		"baggage":                  {header("Baggage"), "trace header"},
		"text/plain":               {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, "content type"},
		"EUC-KR":                   {func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=euc-kr") }, "content type"},
		"no content type":          {func(r *http.Request) { r.Header.Del("Content-Type") }, "content type"},
		"JSON without charset":     {func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, ""},
		"a query":                  {func(r *http.Request) { r.URL.RawQuery = "account=x" }, "query"},
		"the target of a redirect": {func(r *http.Request) { r.URL.Path = "/redirected" }, "redirect"},
	} {
		tb := &recorder{}
		s := bizppuriotest.NewServer(tb)
		cl := newClient(t, s)
		cl.login()
		req := cl.request(bizppuriotest.PathMessage, "Bearer "+cl.token, sms("order-1", to))
		c.change(req)
		for range 2 { // told once
			if _, err := cl.do(req.Clone(context.WithoutCancel(req.Context()))); err != nil && c.want == "" {
				t.Errorf("%s: %v", name, err)
			}
			req.Body, _ = req.GetBody()
		}
		for _, f := range slices.Backward(tb.cleanups) {
			f()
		}
		switch {
		case c.want == "" && len(tb.errors) != 0:
			t.Errorf("%s: %q, want no violation", name, tb.errors)
		case c.want != "" && (len(tb.errors) != 1 || !strings.Contains(tb.errors[0], c.want)):
			t.Errorf("%s: %q, want one violation with %q", name, tb.errors, c.want)
		}
	}
}

func TestServer_HTTP2Offered(t *testing.T) {
	t.Parallel()
	s, err := bizppuriotest.Start(bizppuriotest.WithHTTP2Offered())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	newClient(t, s).login() // a client that speaks HTTP/1.1 is fine
	if got := s.Violations(); len(got) != 0 {
		t.Fatalf("Violations() = %q, want none", got)
	}
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	tr := &http.Transport{TLSClientConfig: s.TLSConfig(), Protocols: &protocols}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+bizppuriotest.PathToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := tr.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("HTTP/2 got %d, want an error", resp.StatusCode)
	}
	if got := s.Violations(); len(got) != 1 || s.Requests(bizppuriotest.PathToken) != 1 {
		t.Errorf("Violations() = %q, want one and no request", got)
	}
}

func TestNewServer_CannotStart(t *testing.T) {
	t.Parallel()
	tb := &recorder{}
	if s := bizppuriotest.NewServer(tb, bizppuriotest.WithAddr("x")); s != nil || tb.fatal == "" {
		t.Errorf("NewServer = %v, fatal %q, want nil and a message", s, tb.fatal)
	}
}
