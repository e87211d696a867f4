package fasthttp_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
)

// patience bounds what should take milliseconds.
const patience = 20 * time.Second

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// identity is the certificate of all servers here.
var identity = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "engine test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
})

func serverTLS() *tls.Config {
	cert, _ := identity()
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

// server hands each connection to a script.
type server struct {
	addr, url string

	mu       sync.Mutex
	accepted int
	times    map[string]int // requests read to their end, by path
	open     map[net.Conn]struct{}
	heard    bytes.Buffer // all that was read above TLS
	wg       sync.WaitGroup
}

// peer is the server's end of a connection.
type peer struct {
	net.Conn
	raw net.Conn
	s   *server
	r   *bufio.Reader
}

func (p *peer) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.s.mu.Lock()
	p.s.heard.Write(b[:n])
	p.s.mu.Unlock()
	return n, err
}

// next reads a whole request.
func (p *peer) next() (*http.Request, error) {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	p.s.mu.Lock()
	p.s.times[req.URL.Path]++
	p.s.mu.Unlock()
	return req, nil
}

func (p *peer) say(s string) { _, _ = io.WriteString(p.Conn, s) }

func (p *peer) ok() { p.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }

func (p *peer) reset() {
	if tc, ok := p.raw.(*net.TCPConn); ok {
		_ = tc.SetLinger(0)
	}
	_ = p.raw.Close()
}

func answerAll(p *peer) {
	for {
		if _, err := p.next(); err != nil {
			return
		}
		p.ok()
	}
}

// serve starts a server that ends with the test; a nil cfg means no TLS.
func serve(tb testing.TB, cfg *tls.Config, script func(*peer)) *server {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{
		addr: ln.Addr().String(), url: "https://" + ln.Addr().String(),
		times: map[string]int{}, open: map[net.Conn]struct{}{},
	}
	if cfg == nil {
		s.url = "http://" + s.addr
	}
	s.wg.Go(func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.accepted++
			s.open[raw] = struct{}{}
			s.mu.Unlock()
			s.wg.Go(func() { s.attend(raw, cfg, script) })
		}
	})
	tb.Cleanup(func() {
		_ = ln.Close()
		s.mu.Lock()
		for c := range s.open {
			_ = c.Close()
		}
		s.mu.Unlock()
		s.wg.Wait()
	})
	return s
}

func (s *server) attend(raw net.Conn, cfg *tls.Config, script func(*peer)) {
	p := &peer{Conn: raw, raw: raw, s: s}
	if cfg != nil {
		p.Conn = tls.Server(raw, cfg)
	}
	p.r = bufio.NewReader(p)
	script(p)
	_ = p.Close()
	_ = raw.Close()
	s.mu.Lock()
	delete(s.open, raw)
	s.mu.Unlock()
}

func (s *server) conns() (accepted, open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted, len(s.open)
}

func (s *server) seen(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times[path]
}

// newEngine returns an engine that trusts the servers here, keeps idle
// connections, and ends with the test.
func newEngine(tb testing.TB, cfg engine.Config) *fasthttp.Engine {
	tb.Helper()
	if cfg.TLS == nil {
		_, pool := identity()
		cfg.TLS = &tls.Config{RootCAs: pool}
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = time.Hour
	}
	e := fasthttp.New(cfg)
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return e
}

func post(tb testing.TB, url string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, strings.NewReader(`{"refkey":"r"}`))
	if err != nil {
		tb.Fatal(err)
	}
	return req
}

// exchange sends a request and reads its answer to the end.
func exchange(e http.RoundTripper, req *http.Request) (string, error) {
	resp, err := e.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func mustExchange(tb testing.TB, e http.RoundTripper, req *http.Request) {
	tb.Helper()
	if body, err := exchange(e, req); err != nil || body != "ok" {
		tb.Fatalf("exchange(%s) = %q, %v, want ok, nil", req.URL.Path, body, err)
	}
}

// eventually waits for a state that needs no further event of the test.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end.C:
			tb.Fatalf("%s: not within %v", what, patience)
		}
	}
}
