package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/internal/wire"
)

func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, wire.Korea())
	fallback := now.Add(wire.FallbackTokenLife)
	tests := []struct {
		expired string
		want    time.Time
		read    bool
	}{
		{"20261201120000", now.Add(24 * time.Hour), true},
		{"20261201120001", now.Add(24 * time.Hour), true}, // cut: later than 24 h
		{"20261201115959", now.Add(24*time.Hour - time.Second), true},
		{"20261130100000", now.Add(-2 * time.Hour), true}, // in the past
		{"20991231235959", now.Add(24 * time.Hour), true},
		{"", fallback, false},
		{"never", fallback, false},
		{"20261232000000", fallback, false},
		{"20261201250000", fallback, false},
		{"00000000000000", fallback, false},
		{"2026-12-01 12:00:00", fallback, false},
		{"202612011200000", fallback, false},
	}
	for _, tt := range tests {
		// The same instant, whatever the zone of the clock.
		for _, clock := range []time.Time{now, now.UTC(), now.In(time.FixedZone("", -5*3600))} {
			got, read := wire.Expiry(tt.expired, clock)
			if !got.Equal(tt.want) || read != tt.read {
				t.Errorf("Expiry(%q) = %v, %v, want %v, %v", tt.expired, got, read, tt.want, tt.read)
			}
		}
	}
}

func TestValidToken(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]bool{
		"tok-1": true, "aaa.bbb-_.ccc": true, "": false, "   ": false, "a b": false, "a\r\nB: c": false, "토큰": false, "a\x7f": false,
	} {
		if got := wire.ValidToken(token); got != want {
			t.Errorf("ValidToken(%q) = %v, want %v", token, got, want)
		}
	}
}

func TestReadRateLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		header http.Header
		want   wire.RateLimit
	}{
		{"none", http.Header{}, wire.RateLimit{}},
		{"the documented example", header("RateLimit-Limit", "1000", "RateLimit-Remaining", "0", "RateLimit-Reset", "0.299"), wire.RateLimit{Limit: 1000, Exhausted: true, Reset: 299 * time.Millisecond}},
		{"some left", header("RateLimit-Limit", "1000", "RateLimit-Remaining", " 999 ", "RateLimit-Reset", "0.3"), wire.RateLimit{Limit: 1000, Remaining: 999, Reset: 300 * time.Millisecond}},
		{"fewer than none left", header("RateLimit-Remaining", "-1", "RateLimit-Reset", "0.3"), wire.RateLimit{Reset: 300 * time.Millisecond}},
		{"calls left", header("RateLimit-Remaining", "7", "RateLimit-Reset", "1"), wire.RateLimit{Remaining: 7, Reset: time.Second}},
		{"spaces", header("RateLimit-Reset", " 0.5 "), wire.RateLimit{Reset: 500 * time.Millisecond}},
		{"rounded up", header("RateLimit-Reset", "0.0001"), wire.RateLimit{Reset: time.Millisecond}},
		{"zeros behind", header("RateLimit-Reset", "1.000000"), wire.RateLimit{Reset: time.Second}},
		{"zero", header("RateLimit-Reset", "0", "Retry-After", "9"), wire.RateLimit{}},
		{"negative", header("RateLimit-Reset", "-1"), wire.RateLimit{}},
		{"infinite", header("RateLimit-Reset", "Inf"), wire.RateLimit{}},
		{"exponent", header("RateLimit-Reset", "1e9"), wire.RateLimit{}},
		{"hexadecimal", header("RateLimit-Reset", "0x10"), wire.RateLimit{}},
		{"underscore", header("RateLimit-Reset", "1_000"), wire.RateLimit{}},
		{"comma", header("RateLimit-Reset", "0,299"), wire.RateLimit{}},
		{"word", header("RateLimit-Reset", "soon"), wire.RateLimit{}},
		{"point only", header("RateLimit-Reset", "."), wire.RateLimit{}},
		{"huge", header("RateLimit-Reset", "999999999999999999"), wire.RateLimit{Reset: 24 * time.Hour}},
		{"long", header("RateLimit-Reset", strings.Repeat("9", 4000)), wire.RateLimit{}},
		{"retry after", header("Retry-After", "7"), wire.RateLimit{Reset: 7 * time.Second}},
		{"retry after beside an unreadable reset", header("RateLimit-Reset", "soon", "Retry-After", "7"), wire.RateLimit{Reset: 7 * time.Second}},
		{"retry after as a date", header("Retry-After", now.Add(90*time.Second).Format(http.TimeFormat)), wire.RateLimit{Reset: 90 * time.Second}},
		{"retry after in the past", header("Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), wire.RateLimit{}},
		{"retry after a week", header("Retry-After", now.Add(168*time.Hour).Format(http.TimeFormat)), wire.RateLimit{Reset: 24 * time.Hour}},
	}
	for _, tt := range tests {
		if got := wire.ReadRateLimit(tt.header, now); got != tt.want {
			t.Errorf("%s: ReadRateLimit = %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}
