package wire

import (
	"net/http"
	"strings"
	"time"
)

// Korea is the vendor's time zone: +09:00 without daylight saving, so that no
// zone data is needed.
func Korea() *time.Location { return time.FixedZone("KST", 9*60*60) }

// The life of a token: 24 hours at most (spec 4), and what is assumed when
// the vendor's expiry cannot be read.
const (
	MaxTokenLife      = 24 * time.Hour
	FallbackTokenLife = time.Hour
)

// Expiry reads the token's "expired" (yyyyMMddHHmmss, taken as Korea time,
// spec A6), received now. It is never later than now plus MaxTokenLife. What
// cannot be read counts as FallbackTokenLife, and read is false.
func Expiry(expired string, now time.Time) (t time.Time, read bool) {
	t, err := time.ParseInLocation("20060102150405", expired, Korea())
	if err != nil {
		return now.Add(FallbackTokenLife), false
	}
	if latest := now.Add(MaxTokenLife); t.After(latest) {
		t = latest
	}
	return t, true
}

// ValidToken reports whether a token can stand in an Authorization header.
func ValidToken(token string) bool {
	return token != "" && strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// RateLimit is what an answer's headers say about the vendor's limit (spec 5).
type RateLimit struct {
	Limit     int           // RateLimit-Limit: calls in a window; 0 when absent
	Remaining int           // RateLimit-Remaining: calls left in it; 0 when absent, too
	Exhausted bool          // Remaining is there, and 0
	Reset     time.Duration // until calls may go on, at most a day; 0 when not known
}

// MaxReset bounds what a header can ask for.
const MaxReset = 24 * time.Hour

// ReadRateLimit reads RateLimit-Limit, -Remaining and -Reset. Reset is in
// seconds with decimals (spec A4); where it is absent or unreadable,
// Retry-After counts, in seconds or as a date. The names are spelled as
// net/http keeps them, which saves Get a copy of each.
func ReadRateLimit(h http.Header, now time.Time) RateLimit {
	var r RateLimit
	if n, ok := number([]byte(strings.TrimSpace(h.Get("Ratelimit-Limit")))); ok {
		r.Limit = n
	}
	if n, ok := number([]byte(strings.TrimSpace(h.Get("Ratelimit-Remaining")))); ok {
		r.Remaining, r.Exhausted = max(n, 0), n == 0
	}
	reset, ok := seconds(h.Get("Ratelimit-Reset"))
	if !ok {
		after := h.Get("Retry-After")
		if reset, ok = seconds(after); !ok && after != "" {
			if at, err := http.ParseTime(after); err == nil {
				reset = min(max(at.Sub(now), 0), MaxReset)
			}
		}
	}
	r.Reset = reset
	return r
}

// seconds reads "12" or "0.299", rounded up to a millisecond.
func seconds(s string) (time.Duration, bool) {
	whole, fraction, point := strings.Cut(strings.TrimSpace(s), ".")
	if len(s) > 32 || !digits(whole) || point && !digits(fraction) {
		return 0, false
	}
	var d time.Duration
	for _, c := range []byte(whole) {
		d = min(d*10+time.Duration(c-'0')*time.Second, MaxReset)
	}
	for i, c := range []byte(strings.TrimRight(fraction, "0")) {
		if i == 3 {
			d += time.Millisecond
			break
		}
		d += time.Duration(c-'0') * [...]time.Duration{100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond}[i]
	}
	return min(d, MaxReset), true
}

func digits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
