package report_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/report"
)

func prefixes(list ...string) []netip.Prefix {
	p := make([]netip.Prefix, len(list))
	for i, s := range list {
		p[i] = netip.MustParsePrefix(s)
	}
	return p
}

// X-Forwarded-For counts only from a trusted proxy, and from right to left.
func TestHandler_AllowFrom(t *testing.T) {
	t.Parallel()
	const vendor, proxy, stranger = "192.0.2.10", "10.0.0.1", "198.51.100.66"
	tests := []struct {
		name      string
		allow     []netip.Prefix
		trusted   []netip.Prefix
		remote    string
		forwarded []string
		want      int
	}{
		{"direct", prefixes("192.0.2.0/24"), nil, vendor + ":443", nil, 200},
		{"direct stranger", prefixes("192.0.2.0/24"), nil, stranger + ":443", nil, 403},
		{"mapped address", prefixes("192.0.2.0/24"), nil, "[::ffff:192.0.2.10]:443", nil, 200},
		{"mapped prefix", prefixes("::ffff:192.0.2.0/120"), nil, vendor + ":443", nil, 200},
		{"mapped prefix, stranger", prefixes("::ffff:192.0.2.0/120"), nil, stranger + ":443", nil, 403},
		{"IPv6", prefixes("2001:db8::/32"), nil, "[2001:db8::1]:443", nil, 200},
		{"IPv6 with a zone", prefixes("fe80::/10"), nil, "[fe80::1%eth0]:443", nil, 200},
		{"IPv6 stranger", prefixes("2001:db8::/32"), nil, "[2001:db9::1]:443", nil, 403},
		{"second prefix", prefixes("203.0.113.0/24", "192.0.2.0/24"), nil, vendor + ":443", nil, 200},
		{"zero prefix allows nobody", []netip.Prefix{{}}, nil, vendor + ":443", nil, 403},
		{"no address", prefixes("0.0.0.0/0", "::/0"), nil, "@", nil, 403},
		{"no address, anyone", nil, nil, "@", nil, 200},

		{"header without trusted proxies", prefixes("192.0.2.0/24"), nil, stranger + ":443", []string{vendor}, 403},
		{"header from a stranger", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), stranger + ":443", []string{vendor}, 403},
		{"header from the proxy", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor}, 200},
		{"stranger behind the proxy", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{stranger}, 403},
		{"stranger forges the left", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor + ", " + stranger}, 403},
		{"stranger forges a header line", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor, stranger}, 403},
		{"left of the vendor does not matter", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{stranger + ",junk, " + vendor}, 200},
		{"two proxies", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor + ",10.9.9.9"}, 200},
		{"two lines", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor, "10.9.9.9"}, 200},
		{"with a port", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor + ":5555"}, 200},
		{"mapped in the header", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), "[::ffff:10.0.0.1]:443", []string{"::ffff:192.0.2.10"}, 200},
		{"brackets", prefixes("2001:db8::/32"), prefixes("10.0.0.0/8"), proxy + ":443", []string{"[2001:db8::1]"}, 200},
		{"brackets and a port", prefixes("2001:db8::/32"), prefixes("10.0.0.0/8"), proxy + ":443", []string{"[2001:db8::1]:80"}, 200},
		{"junk hides the sender", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor + ", unknown"}, 403},
		{"empty elements", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", []string{vendor + ", ,"}, 200},
		{"the proxy itself is not allowed", prefixes("192.0.2.0/24"), prefixes("10.0.0.0/8"), proxy + ":443", nil, 403},
		{"the proxy itself is allowed", prefixes("10.0.0.0/8"), prefixes("10.0.0.0/8"), proxy + ":443", nil, 200},
		{"only proxies", prefixes("10.9.0.0/16"), prefixes("10.0.0.0/8"), proxy + ":443", []string{"10.9.9.9"}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := report.Handler(report.Config{AllowFrom: tt.allow, TrustedProxies: tt.trusted},
				func(context.Context, report.Report) error { return nil })
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(pushBody))
			r.RemoteAddr = tt.remote
			for _, line := range tt.forwarded {
				r.Header.Add("X-Forwarded-For", line)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("status = %d, want %d", w.Code, tt.want)
			}
		})
	}
}
