package report

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// gate decides who may hand in reports.
type gate struct {
	anyone   bool // there is no secret
	secret   [sha256.Size]byte
	allow    []netip.Prefix
	trusted  []netip.Prefix
	anywhere bool // there is no list of addresses
}

func newGate(c Config) gate {
	return gate{
		anyone:   c.Secret == "",
		secret:   sha256.Sum256([]byte(c.Secret)),
		allow:    plainPrefixes(c.AllowFrom),
		trusted:  plainPrefixes(c.TrustedProxies),
		anywhere: len(c.AllowFrom) == 0,
	}
}

// knows reports whether r carries the secret. Both places are compared, as
// hashes, so that the time taken tells neither content nor length.
func (g gate) knows(r *http.Request) bool {
	if g.anyone {
		return true
	}
	path := strings.TrimRight(r.URL.EscapedPath(), "/")
	last, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		last = ""
	}
	inPath, inQuery := sha256.Sum256([]byte(last)), sha256.Sum256([]byte(r.URL.Query().Get("secret")))
	return subtle.ConstantTimeCompare(g.secret[:], inPath[:])|
		subtle.ConstantTimeCompare(g.secret[:], inQuery[:]) == 1
}

// lets reports whether r comes from an allowed address.
func (g gate) lets(r *http.Request) bool {
	return g.anywhere || contains(g.allow, g.sender(r))
}

// sender returns the address that sent r, the zero Addr if it cannot be told.
func (g gate) sender(r *http.Request) netip.Addr {
	addr := parseAddr(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !contains(g.trusted, addr) {
			return addr
		}
		if hop = strings.TrimSpace(hop); hop != "" {
			addr = parseAddr(hop)
		}
	}
	return addr
}

// parseAddr reads an address with or without port and brackets.
func parseAddr(s string) netip.Addr {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		ap, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}
		}
		addr = ap.Addr()
	}
	return addr.Unmap().WithZone("")
}

// plainPrefixes turns prefixes of IPv4-mapped addresses into IPv4 ones, as
// parseAddr does with addresses.
func plainPrefixes(prefixes []netip.Prefix) []netip.Prefix {
	plain := slices.Clone(prefixes)
	for i, p := range plain {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			plain[i] = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
	}
	return plain
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}
