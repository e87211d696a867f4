package engine

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"time"
)

// Config sets the limits of a pool of connections. The zero value is a sound
// default; negative values count as zero.
type Config struct {
	// MaxConns is the most connections open at once, to all hosts together,
	// and so the most requests on the wire. 0 means 16.
	MaxConns int

	// AcquireTimeout is how long a request waits for a free connection,
	// dialling not counted. 0 means 1 s.
	AcquireTimeout time.Duration

	// DialTimeout bounds TCP, CONNECT where there is a proxy, and TLS of a
	// new connection together. 0 means 5 s.
	DialTimeout time.Duration

	// IdleTimeout is how long an unused connection is kept. 0 means 3.5 s,
	// because the vendor drops idle connections after 4 s (spec 1.1). A
	// server that announces less in a Keep-Alive header is believed.
	IdleTimeout time.Duration

	// TLS is cloned. Nil means the system's roots, TLS 1.2 or later and
	// session resumption; a MinVersion below TLS 1.2 and a nil
	// ClientSessionCache are filled in the same way. NextProtos is replaced:
	// the engine speaks HTTP/1.1. A proxy of the scheme https is spoken to with
	// the same settings, ServerName apart: it is held to the same roots, and a
	// client certificate is for it too if it asks for one, as with net/http.
	TLS *tls.Config

	// Proxy chooses the proxy for https; http goes without. It is asked once
	// for each new connection, with a request that has scheme and host and
	// nothing else, because a connection serves many requests. Proxies of
	// the schemes http and https are known; user and password become a
	// Proxy-Authorization. Of an error nothing is passed on but that there was
	// one, because it may quote the password. Nil means the environment's:
	// HTTPS_PROXY and NO_PROXY as [http.ProxyFromEnvironment] reads them.
	Proxy func(*http.Request) (*url.URL, error)
}

// filled returns c with the zeros replaced.
func (c Config) filled() Config {
	if c.MaxConns <= 0 {
		c.MaxConns = 16
	}
	if c.AcquireTimeout <= 0 {
		c.AcquireTimeout = time.Second
	}
	if c.DialTimeout <= 0 {
		c.DialTimeout = 5 * time.Second
	}
	if c.IdleTimeout <= 0 {
		c.IdleTimeout = 3500 * time.Millisecond
	}
	if c.Proxy == nil {
		c.Proxy = http.ProxyFromEnvironment
	}
	c.TLS = c.TLS.Clone() // nil stays nil
	if c.TLS == nil {
		c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c.TLS.MinVersion = max(c.TLS.MinVersion, tls.VersionTLS12)
	if c.TLS.ClientSessionCache == nil {
		c.TLS.ClientSessionCache = tls.NewLRUClientSessionCache(c.MaxConns)
	}
	c.TLS.NextProtos = []string{"http/1.1"}
	return c
}

// Retry says how often and how patiently a call that was provably not sent is
// tried again. The zero value means 3 attempts and waits of 100 ms to 2 s.
type Retry struct {
	Attempts int           // tries in all, the first included; 0 means 3, 1 means no retry
	MinWait  time.Duration // before the second attempt; 0 means 100 ms
	MaxWait  time.Duration // no wait is longer; 0 means 2 s
}

// Breaker says when calls stop for a while because the vendor is ill. The
// zero value means open after 10 failures in a row, for 10 s, then one probe.
type Breaker struct {
	Failures uint32        // in a row; 0 means 10, math.MaxUint32 switches the breaker off
	Cooldown time.Duration // how long it stays open; 0 means 10 s
	Probes   uint32        // let through at once after that; 0 means 1
}
