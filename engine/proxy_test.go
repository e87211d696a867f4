package engine_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// forwardTo is the script of a proxy that leads everywhere to addr and lets
// in who has the authorization.
func forwardTo(addr, authorization string) func(*peer) {
	return func(p *peer) {
		req, err := p.next()
		if err != nil {
			return
		}
		if req.Method != http.MethodConnect || req.Header.Get("Proxy-Authorization") != authorization {
			p.say("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
			return
		}
		up, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer up.Close()
		p.say("HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			_, _ = io.Copy(up, p.r)
			up.Close()
		}()
		_, _ = io.Copy(p.Conn, up)
	}
}

// basic is "user:pass word" encoded.
const basic = "Basic dXNlcjpwYXNzIHdvcmQ="

func TestPooled_proxy(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), answerAll)
			cfg := serverTLS()
			cfg.NextProtos = nil
			if scheme == "http" {
				cfg = nil
			}
			proxy := serve(t, cfg, forwardTo(s.addr, basic))
			e := newEngine(t, engine.Config{Proxy: func(req *http.Request) (*url.URL, error) {
				if req.URL.String() != "https://vendor.test" || len(req.Header) != 0 {
					t.Errorf("Proxy was asked with %v %v, want scheme and host only", req.URL, req.Header)
				}
				return url.Parse(scheme + "://user:pass%20word@" + proxy.addr)
			}})
			for range 3 {
				mustExchange(t, e, post(t, "https://vendor.test/secret?query"))
			}
			if a, b := proxy.connections(), s.connections(); a != 1 || b != 1 {
				t.Errorf("connections = %d to the proxy, %d to the server, want 1 and 1", a, b)
			}
		})
	}
}

func TestPooled_proxyFailures(t *testing.T) {
	t.Parallel()
	answer := func(s string) func(*peer) {
		return func(p *peer) {
			if _, err := p.next(); err == nil {
				p.say(s)
				p.hang()
			}
		}
	}
	for _, row := range []struct {
		name   string
		script func(*peer)
		scheme string
		err    error // of Config.Proxy
		phase  engine.Phase
		is     error
		text   string
	}{
		{name: "403", script: answer("HTTP/1.1 403 canary\r\nContent-Length: 100\r\n\r\ncanary"), phase: engine.Dial, text: "answered 403"},
		{name: "502", script: answer("HTTP/1.1 502 canary\r\n\r\n"), phase: engine.Dial, text: "answered 502"},
		{name: "100", script: answer("HTTP/1.1 100 canary\r\n\r\n"), phase: engine.Dial, text: "answered 100"},
		{name: "hang", script: (*peer).hang, phase: engine.Dial, is: os.ErrDeadlineExceeded, text: "timed out"},
		{name: "close", script: func(p *peer) { _, _ = p.next() }, phase: engine.Dial, text: "closed"},
		{name: "garbage", script: answer("canary\r\n\r\n"), phase: engine.Dial},
		{name: "flood", script: func(p *peer) {
			_, _ = p.next()
			p.say("HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(p.Conn, "X-A: canary\r\n"); err != nil {
					return
				}
			}
		}, phase: engine.Dial},
		{name: "more than asked", script: answer("HTTP/1.1 200 OK\r\n\r\ncanary"), phase: engine.Dial, text: "as a proxy"},
		{name: "no server behind", script: func(p *peer) {
			_, _ = p.next()
			p.say("HTTP/1.1 200 OK\r\n\r\n")
			_, _ = p.r.ReadByte()
		}, phase: engine.TLS, text: "closed"},
		{name: "https, but plain", scheme: "https", script: func(p *peer) { p.say("HTTP/1.1 400\r\n\r\n"); p.hang() }, phase: engine.Dial, text: "speak TLS"},
		{name: "other scheme", scheme: "socks5", script: (*peer).hang, phase: engine.Dial, text: "scheme"},
		{name: "error of Proxy", err: secretOf(io.ErrClosedPipe), script: (*peer).hang, phase: engine.Dial, text: "Proxy failed"},
		{name: "cancel in Proxy", err: secretOf(context.Canceled), script: (*peer).hang, phase: engine.Dial},
		{name: "deadline in Proxy", err: secretOf(context.DeadlineExceeded), script: (*peer).hang, phase: engine.Dial, is: os.ErrDeadlineExceeded, text: "timed out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			proxy := serve(t, nil, row.script)
			cfg := engine.Config{Proxy: func(*http.Request) (*url.URL, error) {
				if row.scheme == "" {
					row.scheme = "http"
				}
				return &url.URL{Scheme: row.scheme, Host: proxy.addr, User: url.UserPassword("canary", "canary")}, row.err
			}}
			if errors.Is(row.is, os.ErrDeadlineExceeded) {
				cfg.DialTimeout = 50 * time.Millisecond
			}
			e := newEngine(t, cfg)
			_, err := exchange(e, post(t, "https://vendor.test/a"))
			wantError(t, err, row.phase, true)
			if row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("RoundTrip = %v, want %v in it", err, row.is)
			}
			if _, ok := errors.AsType[*url.Error](err); ok || row.err != nil && strings.Contains(chainText(err), "canary") {
				t.Errorf("RoundTrip = %s, which holds the proxy's password", chainText(err))
			}
			if !strings.Contains(err.Error(), row.text) || strings.Contains(err.Error(), "canary") {
				t.Errorf("Error() = %q, want %q and no canary", err, row.text)
			}
		})
	}
}

// secretOf is what [url.Parse] and others return: it holds the password.
func secretOf(err error) error {
	return &url.Error{Op: "parse", URL: "http://user:canary@proxy.test", Err: err}
}

// chainText is what each error of a chain says.
func chainText(err error) string {
	var b strings.Builder
	for _, e := range parts(err) {
		fmt.Fprintf(&b, "%T: %v; ", e, e)
	}
	return b.String()
}

// An https proxy may ask for a certificate of the client, and gets that of
// Config.TLS, as it does from net/http.
func TestPooled_proxyCertificate(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	cfg := serverTLS()
	cfg.ClientAuth, cfg.NextProtos = tls.RequireAnyClientCert, nil
	proxy := serve(t, cfg, forwardTo(s.addr, ""))
	with := clientTLS()
	with.Certificates = serverTLS().Certificates
	via := func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "https", Host: proxy.addr}, nil }
	mustExchange(t, newEngine(t, engine.Config{TLS: with, Proxy: via}), post(t, "https://vendor.test/a"))
	_, err := exchange(newEngine(t, engine.Config{Proxy: via}), post(t, "https://vendor.test/a"))
	wantError(t, err, engine.Dial, true)
}

func recordDial(addrs chan<- string) dialFunc {
	return func(_ context.Context, _, addr string) (net.Conn, error) {
		addrs <- addr
		return nil, syscall.ECONNREFUSED
	}
}

// The default port of a proxy follows its scheme.
func TestPooled_proxyPort(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{"http": "proxy.test:80", "https": "proxy.test:443"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Config{Proxy: func(*http.Request) (*url.URL, error) {
				return &url.URL{Scheme: scheme, Host: "proxy.test"}, nil
			}})
			dialled := make(chan string, 1)
			e.SetDial(recordDial(dialled))
			_, err := exchange(e, post(t, "https://vendor.test/a"))
			wantError(t, err, engine.Dial, true)
			if got := <-dialled; got != want {
				t.Errorf("dialled %q, want %q", got, want)
			}
		})
	}
}

// Case 77: the proxy of the environment together with own roots. net/http
// reads the environment once in a process, so the test runs in a new one.
func TestPooled_environmentProxy(t *testing.T) {
	t.Parallel()
	if os.Getenv("ENGINE_TEST_CHILD") != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(os.Getenv("ENGINE_TEST_ROOT")))
		e := engine.New(engine.Config{TLS: &tls.Config{RootCAs: pool}})
		defer func() { _ = e.Close() }()
		mustExchange(t, e, post(t, "https://vendor.test/a"))
		return
	}
	s := serve(t, serverTLS(), answerAll)
	proxy := serve(t, nil, forwardTo(s.addr, basic))
	cert, _ := identity()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPooled_environmentProxy$")
	cmd.Env = append(os.Environ(), "ENGINE_TEST_CHILD=1",
		"HTTPS_PROXY=http://user:pass%20word@"+proxy.addr, "NO_PROXY=",
		"ENGINE_TEST_ROOT="+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if s.times("a") != 1 || proxy.connections() != 1 {
		t.Errorf("the server read the request %d times, the proxy had %d connections, want 1 and 1", s.times("a"), proxy.connections())
	}
}
