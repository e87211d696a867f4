package fasthttp

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// filled returns c with the zeros replaced, as [engine.Config] describes.
func filled(c engine.Config) engine.Config {
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
