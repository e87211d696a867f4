package main

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"time"
)

// settings say how the program runs. The zero value is a simulation without
// delays on a free port.
type settings struct {
	addr string   // "" means a free port of 127.0.0.1
	real *account // nil: the vendor is simulated, with what follows

	rtt, service, reportDelay time.Duration
	attemptTimeout            time.Duration // 0 means the SDK's
}

// program is everything that runs: the page's server, the client, and the
// simulated vendor if there is one.
type program struct {
	url     string
	vendor  *vendor
	console *console
	server  *http.Server
	failed  chan error // the page's server ended by itself
}

// start listens first, because the simulated vendor has to know where to push
// its reports.
func start(ctx context.Context, s settings) (*program, error) {
	if s.addr == "" {
		s.addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(s.addr)
	if err != nil {
		return nil, err
	}
	if s.real != nil && !loopback(host) {
		return nil, errors.New("console: a real account is served on a loopback address only: whoever reaches the page sends at your cost")
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	url := "http://" + reachable(listener.Addr())
	secret := rand.Text()
	if s.real != nil {
		secret = s.real.secret
	}
	v, err := openVendor(s, url+"/reports/"+secret)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	c := newConsole(v.client, offer{simulated: s.real == nil, kinds: v.kinds}, secret)
	p := &program{
		url: url, vendor: v, console: c, failed: make(chan error, 1),
		server: &http.Server{
			Handler:           c.handler(host),
			ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		},
	}
	// Shutdown waits for all connections but those that the hub has taken over.
	p.server.RegisterOnShutdown(func() { _ = c.hub.Close() })
	go func() {
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.failed <- err
		}
	}()
	return p, nil
}

// close ends the program in the order in which messages flow: no new ones, then
// those on the wire, then their vendor.
func (p *program) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return errors.Join(
		p.server.Shutdown(ctx),
		p.vendor.client.Close(),
		p.console.close(),
		p.vendor.close(),
	)
}

// greeting is what a person has to know at the start.
func (p *program) greeting() string {
	if p.vendor.server != nil {
		return "open " + p.url + " (simulated vendor, nothing leaves this machine)"
	}
	text := "open " + p.url + " (the real vendor: messages are sent and cost money)"
	if p.vendor.reports {
		return text + "\nreports: have /reports/{BIZPPURIO_REPORT_SECRET} registered as the URL for PUSH"
	}
	return text + "\nreports: none arrive without BIZPPURIO_REPORT_SECRET"
}

// reachable is where this machine reaches a listener that may listen on all
// addresses.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}).String()
}
