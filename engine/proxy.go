package engine

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// proxyFor asks for the proxy through which t is reached; nil means none.
func (p *Pooled) proxyFor(t target) (*url.URL, error) {
	if t.scheme != "https" {
		return nil, nil
	}
	host := strings.TrimSuffix(t.addr, ":443")
	via, err := p.cfg.Proxy(&http.Request{
		Method: http.MethodPost,
		URL:    &url.URL{Scheme: t.scheme, Host: host},
		Host:   host,
		Header: http.Header{},
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return nil, context.DeadlineExceeded
	case err != nil:
		return nil, errProxyPick // a *url.Error holds the proxy's password
	case via == nil:
		return nil, nil
	}
	if via.Hostname() == "" || via.Scheme != "http" && via.Scheme != "https" {
		return nil, errProxyKind
	}
	return via, nil
}

// proxyAddr is the address of a proxy, with its port.
func proxyAddr(via *url.URL) string {
	port := via.Port()
	if port == "" {
		port = "80"
		if via.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(via.Hostname(), port)
}

// tunnel asks the proxy at the other end of raw for a connection to addr and
// returns what leads there. On an error the caller closes raw.
//
// The transport is not left to do this: it would make TLS itself above the
// tunnel, and our count of bytes would stand below TLS instead of above it.
func (p *Pooled) tunnel(ctx context.Context, raw net.Conn, via *url.URL, addr string) (net.Conn, error) {
	c := raw
	if via.Scheme == "https" {
		cfg := p.cfg.TLS.Clone()
		cfg.ServerName = via.Hostname()
		secure := tls.Client(raw, cfg)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		c = secure
	}
	// The context ends reads and writes through the deadline.
	stop := context.AfterFunc(ctx, func() { raw.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck,gosec // a dead socket needs none
	err := connectThrough(c, via, addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	return c, err
}

// connectThrough speaks CONNECT on c.
func connectThrough(c net.Conn, via *url.URL, addr string) error {
	var b strings.Builder
	b.WriteString("CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\n")
	if via.User != nil {
		password, _ := via.User.Password()
		b.WriteString("Proxy-Authorization: Basic " +
			base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+password)) + "\r\n")
	}
	b.WriteString("\r\n")
	if _, err := io.WriteString(c, b.String()); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(c, maxHeader))
	resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // Close would read a refusal's body to its end
	if err != nil {
		return err
	}
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return proxyError(resp.StatusCode)
	case r.Buffered() > 0:
		return errProxyTalk // a TLS server waits for its client
	default:
		return nil
	}
}
