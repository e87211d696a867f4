package bizppuriotest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is the vendor, simulated: the seven endpoints over TLS on a loopback
// address. It checks what the vendor checks, counts what it accepted, and
// misbehaves on request. All methods may be called at any time, from any
// goroutine.
type Server struct {
	opt     options
	ca      *authority
	tls     *tls.Config
	base    string
	http    *http.Server
	ledger  *ledger
	tokens  *tokens
	files   *files
	reports *mailbox
	faults  *faults
	limit   *limiter
	first   firsts

	done chan struct{} // closed by Close
	busy sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[*conn]struct{}
	canned map[string]http.Handler // by path, see Respond
}

// NewServer starts a server, which ends with the test. The test fails when
// the server cannot start, and when a client did what no client of this
// vendor may do: see [Server.Violations].
func NewServer(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := Start(opts...)
	if err != nil {
		tb.Fatalf("bizppuriotest.NewServer: %v", err)
		return nil
	}
	tb.Cleanup(func() {
		_ = s.Close()
		for _, v := range s.Violations() {
			tb.Errorf("bizppuriotest: the client broke a rule: %s", v)
		}
	})
	return s
}

// Start starts a server for a program; [Server.Close] ends it. Tests call
// [NewServer].
func Start(opts ...Option) (*Server, error) {
	opt := newOptions(opts)
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("bizppuriotest: making a certificate: %w", err)
	}
	ln, err := listen(opt)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opt:    opt,
		ca:     ca,
		tls:    &tls.Config{Certificates: []tls.Certificate{ca.leaf}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}},
		base:   "https://" + ln.Addr().String() + opt.prefix,
		ledger: newLedger(),
		tokens: newTokens(),
		files:  newFiles(),
		faults: newFaults(),
		limit:  &limiter{most: opt.limit, window: opt.window},
		done:   make(chan struct{}),
		conns:  map[*conn]struct{}{},
		canned: map[string]http.Handler{},
	}
	if opt.plain {
		s.base = "http://" + ln.Addr().String() + opt.prefix
	}
	if opt.offerH2 {
		s.tls.NextProtos = []string{"h2", "http/1.1"}
	}
	s.reports = newMailbox(s)
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		ReadHeaderTimeout: time.Minute,
		ConnState:         s.connState,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	s.start(func() { _ = s.http.Serve(&listener{Listener: ln, s: s}) })
	return s, nil
}

type connKey struct{}

func listen(opt options) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", opt.addr)
	if err != nil {
		return nil, fmt.Errorf("bizppuriotest: %w", err)
	}
	if !opt.anywhere && !addr.IP.IsLoopback() {
		return nil, errors.New("bizppuriotest: not a loopback address: see WithRemoteClients")
	}
	ln, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("bizppuriotest: %w", err)
	}
	return ln, nil
}

const hiddenServer = "bizppuriotest.Server{…}"

// String returns the name of the type, and not the password.
func (*Server) String() string { return hiddenServer }

// GoString returns the name of the type, and not the password.
func (*Server) GoString() string { return hiddenServer }

// Format prints the name of the type, and not the password.
func (*Server) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hiddenServer) }

// LogValue returns the name of the type, and not the password.
func (*Server) LogValue() slog.Value { return slog.StringValue(hiddenServer) }

// Close ends the server and all its connections. It waits for the requests
// and reports under way, and may be called more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		close(s.done)
	}
	err := s.http.Close()
	for _, c := range s.openConns() {
		_ = c.raw.Close() // those that net/http gave away
		c.gone()
	}
	s.busy.Wait()
	return err
}

// URL returns where the server is, such as "https://127.0.0.1:40123": the
// client's base URL.
func (s *Server) URL() string { return s.base }

// TLSConfig returns a TLS configuration that trusts the server's own
// authority and nothing else. It is the caller's to change.
func (s *Server) TLSConfig() *tls.Config {
	return &tls.Config{RootCAs: s.ca.pool.Clone(), MinVersion: tls.VersionTLS12}
}

// CertPool returns the server's own authority.
func (s *Server) CertPool() *x509.CertPool { return s.ca.pool.Clone() }

// CertPEM returns the certificate of the server's own authority, for programs
// in other languages.
func (s *Server) CertPEM() []byte { return append([]byte(nil), s.ca.pem...) }

// Account returns the account that the server takes.
func (s *Server) Account() string { return s.opt.account }

// Password returns the password that the server takes.
func (s *Server) Password() string { return s.opt.password }

// start runs f on a goroutine that Close waits for, unless the server is
// closed.
func (s *Server) start(f func()) {
	if s.enter() {
		go func() {
			defer s.busy.Done()
			f()
		}()
	}
}

// enter keeps Close waiting until busy.Done is called. It returns false when
// the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Add(1)
	return true
}

func (s *Server) track(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
}

func (s *Server) untrack(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *Server) openConns() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		open = append(open, c)
	}
	return open
}

// DropConns ends all open connections at once, in the given way. Requests
// that are being served lose their answers.
func (s *Server) DropConns(how End) {
	for _, c := range s.openConns() {
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
		c.endIdle(how)
	}
}

// wait pauses for d. It returns false when the server closed or stop was
// closed before that.
func (s *Server) wait(d time.Duration, stop <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return false
	case <-s.done:
		return false
	}
}

// lag is by how much the runtime's timers may be late on an idle machine, as it
// waits for sockets in whole milliseconds.
const lag = 1500 * time.Microsecond

// simulate waits like [Server.wait], but to the point: several waits make up
// one exchange, and what they are late by would be measured as the client's.
func (s *Server) simulate(d time.Duration, stop <-chan struct{}) bool {
	until := time.Now().Add(d)
	if !s.wait(d-lag, stop) {
		return false
	}
	if rest := time.Until(until); rest > 0 {
		nap(rest)
	}
	return true
}

// connState keeps the idle timers.
func (s *Server) connState(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	switch state {
	case http.StateIdle:
		d, how := s.opt.idle, s.opt.idleEnd
		c.mu.Lock()
		if c.after != nil {
			d, how = c.after.d, c.after.how
			c.after = nil
		}
		c.mu.Unlock()
		c.setIdle(true, d, how)
	case http.StateActive, http.StateHijacked:
		c.setIdle(false, 0, FIN)
	case http.StateNew, http.StateClosed:
	}
}
