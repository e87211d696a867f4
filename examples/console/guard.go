package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy lets the page load its own files and nothing else. There is no inline
// script or style, and no place where text could become markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// guard keeps other sites out of a page that sends messages: their requests
// are refused by Sec-Fetch-Site and Origin, and their names by Host, which is
// what stops a name that was made to resolve to this machine.
func guard(host string, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		switch {
		case !ours(host, r.Host):
			refuse(w, http.StatusMisdirectedRequest, "host")
		case sameOrigin.Check(r) != nil:
			refuse(w, http.StatusForbidden, "origin")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ours reports whether a request for the host asked may be answered by a
// server that listens on host. One that listens on all addresses has no name.
func ours(host, asked string) bool {
	if name, _, err := net.SplitHostPort(asked); err == nil {
		asked = name
	}
	asked = strings.Trim(asked, "[]")
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		return true
	}
	return loopback(asked) || strings.EqualFold(asked, host)
}

// loopback reports whether host is this machine and no other.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
