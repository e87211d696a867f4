package engine_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// patience bounds what should take milliseconds.
const patience = 20 * time.Second

// identity is one certificate for every name that the tests use.
var identity = sync.OnceValues(func() (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "engine test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames:              []string{"localhost", "vendor.test", "other.test"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
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
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: cert}, pool
})

func serverTLS() *tls.Config {
	cert, _ := identity()
	return &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}
}

func clientTLS() *tls.Config {
	_, pool := identity()
	return &tls.Config{RootCAs: pool}
}

func noProxy(cfg engine.Config) engine.Config {
	if cfg.TLS == nil {
		cfg.TLS = clientTLS()
	}
	return cfg
}

// server accepts connections and hands each to a script.
type server struct {
	addr string
	url  string // of the scheme https

	mu       sync.Mutex
	accepted int
	ids      map[string]int // requests by path: how often one was read completely
	conns    map[net.Conn]struct{}
	seen     bytes.Buffer // all that was read above TLS
	script   func(*peer)
	wg       sync.WaitGroup
	closing  chan struct{}
}

// done is closed when the test ends.
func (s *server) done() <-chan struct{} { return s.closing }

// peer is the server's end of one connection.
type peer struct {
	net.Conn
	raw net.Conn
	s   *server
	r   *bufio.Reader
	n   int // which connection of the server, from 1
}

// Read notes what was read.
func (p *peer) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.s.mu.Lock()
	p.s.seen.Write(b[:n])
	p.s.mu.Unlock()
	return n, err
}

// next reads one whole request and notes it.
func (p *peer) next() (*http.Request, error) {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	p.s.mu.Lock()
	p.s.ids[strings.TrimPrefix(req.URL.Path, "/")]++
	p.s.mu.Unlock()
	return req, nil
}

func (p *peer) say(s string) { _, _ = io.WriteString(p.Conn, s) }

func (p *peer) ok() { p.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }

// reset closes with RST.
func (p *peer) reset() {
	if tc, ok := p.raw.(*net.TCPConn); ok {
		_ = tc.SetLinger(0)
	}
	_ = p.raw.Close()
}

// hang waits until the other end is gone.
func (p *peer) hang() { _, _ = io.Copy(io.Discard, p.raw) }

// answerAll is the script of a healthy server.
func answerAll(p *peer) {
	for {
		if _, err := p.next(); err != nil {
			return
		}
		p.ok()
	}
}

// serve starts a server; a nil cfg means without TLS. It ends with the test.
func serve(tb testing.TB, cfg *tls.Config, script func(*peer)) *server {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{
		addr: ln.Addr().String(), url: "https://" + ln.Addr().String(),
		ids: make(map[string]int), conns: make(map[net.Conn]struct{}), script: script,
		closing: make(chan struct{}),
	}
	s.wg.Go(func() { s.accept(ln, cfg) })
	tb.Cleanup(func() {
		_ = ln.Close()
		close(s.closing)
		s.closeAll()
		s.wg.Wait()
	})
	return s
}

func (s *server) accept(ln net.Listener, cfg *tls.Config) {
	for {
		raw, err := ln.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.accepted++
		n := s.accepted
		s.conns[raw] = struct{}{}
		s.mu.Unlock()
		s.wg.Go(func() {
			defer func() {
				_ = raw.Close()
				s.mu.Lock()
				delete(s.conns, raw)
				s.mu.Unlock()
			}()
			p := &peer{Conn: raw, raw: raw, s: s, n: n}
			if cfg != nil {
				p.Conn = tls.Server(raw, cfg)
			}
			p.r = bufio.NewReader(p)
			s.script(p)
			if c, ok := p.Conn.(*tls.Conn); ok {
				_ = c.CloseWrite()
			}
		})
	}
}

func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

func (s *server) times(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

func (s *server) saw(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.seen.Bytes(), []byte(id))
}

// newEngine returns an engine that trusts the servers of the tests and ends
// with tb.
func newEngine(tb testing.TB, cfg engine.Config) *engine.Pooled {
	tb.Helper()
	e := engine.New(noProxy(cfg))
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return e
}

// post makes a request that can be moved to another connection.
func post(tb testing.TB, url string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url, strings.NewReader(`{"refkey":"r"}`))
	if err != nil {
		tb.Fatal(err)
	}
	return req
}

// exchange sends a request and reads its answer to the end.
func exchange(e http.RoundTripper, req *http.Request) (status int, err error) {
	resp, err := e.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

func mustExchange(tb testing.TB, e http.RoundTripper, req *http.Request) {
	tb.Helper()
	if status, err := exchange(e, req); err != nil || status != http.StatusOK {
		tb.Fatalf("exchange(%s) = %d, %v, want 200, nil", req.URL.Path, status, err)
	}
}

// wantError checks phase and proof of an error.
func wantError(tb testing.TB, err error, phase engine.Phase, unsent bool) {
	tb.Helper()
	var e *engine.Error
	if !errors.As(err, &e) {
		tb.Fatalf("error = %T %v, want *engine.Error", err, err)
	}
	if e.Phase != phase || e.Unsent != unsent || e.NotSent() != unsent {
		tb.Errorf("error = {Phase: %s, Unsent: %t, Err: %v}, want phase %s, unsent %t", e.Phase, e.Unsent, e.Err, phase, unsent)
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
