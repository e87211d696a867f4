package report

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// Defaults of [Config].
const (
	defaultMaxBody  = 64 << 10
	defaultRemember = 10_000
)

// Config says whose reports a [Handler] takes. The zero value takes anybody's:
// set Secret, AllowFrom, or both. The vendor signs nothing and publishes no
// source addresses (spec 1.5), so a secret in the URL is what there is.
type Config struct {
	// Secret must be the last element of the path, or the query parameter
	// "secret". It is part of the URL that is registered with the vendor, so
	// keep it out of access logs. "" accepts all, and warns once on Logger
	// unless AllowFrom is set.
	Secret string `json:"-"`

	// AllowFrom holds the addresses that reports may come from; empty:
	// anyone's. IPv4 prefixes match IPv4-mapped IPv6 addresses too.
	AllowFrom []netip.Prefix

	// TrustedProxies holds the addresses of your own proxies: whose
	// X-Forwarded-For is believed. It is read from right to left, and the first
	// address that is not a trusted proxy is the sender. Empty: the header
	// counts for nothing.
	TrustedProxies []netip.Prefix

	MaxBody  int64 // bytes of a request body; 0 or less means 64 KiB
	Remember int   // reports remembered as handled, the oldest is forgotten first; 0 or less means 10,000

	Logger        *slog.Logger         // nil: silent; never sees a number, a name or a RefKey
	MeterProvider metric.MeterProvider // nil: the otel global
}

// String returns the settings without the secret.
func (c Config) String() string {
	return fmt.Sprintf("report.Config{Secret:%s AllowFrom:%v TrustedProxies:%v MaxBody:%d Remember:%d}",
		mask(c.Secret), c.AllowFrom, c.TrustedProxies, c.MaxBody, c.Remember)
}

// GoString returns the same as String.
func (c Config) GoString() string { return c.String() }

// Format writes what String returns, whatever the verb.
func (c Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns the same as String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

func positive[T int | int64 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
