package bizppurio

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// The vendor's hosts (spec 1.1).
const (
	Production = "https://api.bizppurio.com"
	Staging    = "https://dev-api.bizppurio.com" // 검수: its certificate does not verify by default; give Pool.TLS its RootCAs
)

// Config says which account to send from and how. Account and Password are
// required; the zero value of every other field is a sound default, and a
// negative number or duration counts as zero, except in AdWindow.
type Config struct {
	Account  string // of the API, at the vendor
	Password string `json:"-"`

	// BaseURL is the vendor's address; "" means Production. It must be https,
	// or http for a loopback host. A path prefix is kept; user, query and
	// fragment are refused.
	BaseURL string

	// From is the sender number (발신번호) of messages that name none. It must
	// be registered with the vendor.
	From string

	// Engine carries the requests. Nil means a new engine with Pool, which
	// [Client.Close] closes; an engine given here stays open, and may be
	// shared by several Clients.
	Engine engine.Engine

	// Pool sets up the engine that is made when Engine is nil; giving both is
	// an error.
	Pool engine.Config

	// Retry applies to what is provably not sent: Unreachable, RateLimited
	// and Busy. Nothing else is ever sent again.
	Retry engine.Retry

	// Breaker stops calls for a while when the vendor is ill. Sends, token
	// calls, and calls for reports have one each.
	Breaker engine.Breaker

	// AttemptTimeout bounds one call of the engine, to the last byte of the
	// answer; waiting for the rate limit or a token does not count. 0 means
	// 15 s.
	AttemptTimeout time.Duration

	// Rate is the most requests a second, all calls of the Client together,
	// in bursts of at most one second's worth. 0 means no limit but what the
	// vendor's RateLimit headers say, which hold in any case. A call waits for
	// its turn; where its ctx will not last so long, or the vendor holds all
	// calls for more than a minute, it returns at once instead, as RateLimited
	// with RetryAfter.
	Rate float64

	// AdWindow is when advertisements may leave. The zero Window means 08:00
	// to 20:50 Korea time (spec 2.7). Open and Close must be times of one day
	// and differ: New refuses what is negative or beyond 24 h.
	AdWindow send.Window

	// Tokens shares the access token with other processes behind the same
	// public address. Nil means this process's memory only.
	Tokens token.Store

	TracerProvider trace.TracerProvider // nil: the otel global

	// MeterProvider gets the metrics; nil: the otel global. Of the Clients
	// that share it and an Engine with a method Watch, as package engine's
	// has, one tells of the pool. The states of their circuit breakers have
	// the same name, and the last one stands for all: to see each, give every
	// Client a MeterProvider with a Resource of its own.
	MeterProvider metric.MeterProvider

	Logger *slog.Logger // nil: silent
}

// ConfigFromEnv reads BIZPPURIO_ACCOUNT, BIZPPURIO_PASSWORD,
// BIZPPURIO_BASE_URL and BIZPPURIO_FROM. The first two are required; the
// error names every missing variable.
func ConfigFromEnv() (Config, error) {
	var problems []error
	required := func(name string) string {
		v := os.Getenv(name)
		if v == "" {
			problems = append(problems, errors.New(name+": not set"))
		}
		return v
	}
	cfg := Config{
		Account:  required("BIZPPURIO_ACCOUNT"),
		Password: required("BIZPPURIO_PASSWORD"),
		BaseURL:  os.Getenv("BIZPPURIO_BASE_URL"),
		From:     os.Getenv("BIZPPURIO_FROM"),
	}
	if len(problems) > 0 {
		return Config{}, fmt.Errorf("bizppurio: environment: %w", errors.Join(problems...))
	}
	return cfg, nil
}

// defaults of Config; each doc comment above repeats its number, and a test
// compares them.
const (
	defaultAttemptTimeout = 15 * time.Second
	defaultAttempts       = 3
	defaultMinWait        = 100 * time.Millisecond
	defaultMaxWait        = 2 * time.Second
	defaultFailures       = 10
	defaultCooldown       = 10 * time.Second
	defaultProbes         = 1
)

// withDefaults fills in what is zero.
func (cfg Config) withDefaults() Config {
	if cfg.BaseURL == "" {
		cfg.BaseURL = Production
	}
	cfg.AttemptTimeout = or(cfg.AttemptTimeout, defaultAttemptTimeout)
	cfg.Retry.Attempts = or(cfg.Retry.Attempts, defaultAttempts)
	cfg.Retry.MinWait = or(cfg.Retry.MinWait, defaultMinWait)
	cfg.Retry.MaxWait = max(or(cfg.Retry.MaxWait, defaultMaxWait), cfg.Retry.MinWait)
	cfg.Breaker.Failures = or(cfg.Breaker.Failures, defaultFailures)
	cfg.Breaker.Cooldown = or(cfg.Breaker.Cooldown, defaultCooldown)
	cfg.Breaker.Probes = or(cfg.Breaker.Probes, defaultProbes)
	return cfg
}

func or[T int | uint32 | time.Duration](v, zero T) T {
	if v <= 0 {
		return zero
	}
	return v
}

// check reports every problem, and returns the base URL without a slash at
// its end.
func (cfg Config) check() (*url.URL, error) {
	var problems []error
	problem := func(field, what string) {
		problems = append(problems, &send.FieldError{Field: field, Problem: what})
	}
	switch {
	case cfg.Account == "":
		problem("Account", "required")
	case strings.ContainsFunc(cfg.Account, func(r rune) bool { return r < ' ' || r == ':' || r == 0x7f }):
		problem("Account", "has a colon or a control character, which Basic authentication cannot carry")
	}
	switch {
	case cfg.Password == "":
		problem("Password", "required")
	case strings.ContainsFunc(cfg.Password, func(r rune) bool { return r < ' ' || r == 0x7f }):
		problem("Password", "has a control character, which Basic authentication cannot carry")
	}
	base, what := baseURL(cfg.BaseURL)
	if what != "" {
		problem("BaseURL", what)
	}
	if cfg.From != "" {
		probe := send.Message{To: "01000000000", From: cfg.From, Content: send.SMS{Text: "x"}}
		if err := probe.Validate(); err != nil {
			if field, ok := errors.AsType[*send.FieldError](err); ok {
				problems = append(problems, field)
			}
		}
	}
	if p := cfg.Pool; cfg.Engine != nil &&
		(p.MaxConns != 0 || p.AcquireTimeout != 0 || p.DialTimeout != 0 || p.IdleTimeout != 0 || p.TLS != nil || p.Proxy != nil) {
		problem("Pool", "has no effect beside a given Engine: set one of the two")
	}
	if math.IsNaN(cfg.Rate) || math.IsInf(cfg.Rate, 0) {
		problem("Rate", "must be a finite number")
	}
	if w := cfg.AdWindow; w.Open < 0 || w.Open >= 24*time.Hour || w.Close < 0 || w.Close > 24*time.Hour ||
		w.Open == w.Close && w.Open != 0 {
		problem("AdWindow", "Open and Close must be different times of one day")
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("bizppurio: config: %w", errors.Join(problems...))
	}
	return base, nil
}

// baseURL parses the vendor's address. The problem never quotes it: it may
// hold a password.
func baseURL(s string) (base *url.URL, problem string) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return nil, "must be an absolute URL such as " + Production
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return nil, "must be https (http only for a loopback host)"
	case u.User != nil:
		return nil, "must not hold a user"
	case u.RawQuery != "" || u.ForceQuery:
		return nil, "must not have a query"
	case u.Fragment != "" || strings.Contains(s, "#"):
		return nil, "must not have a fragment"
	case strings.Contains(u.RawPath, "%") && u.EscapedPath() != u.RawPath:
		return nil, "must not have a path that is escaped in part" // net/url would escape it anew
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, "must have a port of 1 to 65535"
		}
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/") // keeps what is escaped, a slash too
	u.Path, _ = url.PathUnescape(u.RawPath)             // Parse has done it before
	return u, ""
}

// below returns the address of a path below base.
func below(base *url.URL, path string) *url.URL {
	u := *base
	u.Path += path
	u.RawPath += path
	return &u
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// String hides everything but the vendor's host, as do the other ways to print
// a Config.
func (cfg Config) String() string {
	return fmt.Sprintf("bizppurio.Config{BaseURL:%q, Account:REDACTED, Password:REDACTED}", hostOf(cfg.BaseURL))
}

// GoString is String.
func (cfg Config) GoString() string { return cfg.String() }

// Format prints String for every verb.
func (cfg Config) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(cfg.String())) }

// LogValue is String.
func (cfg Config) LogValue() slog.Value { return slog.StringValue(cfg.String()) }

func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil {
		return u.Host
	}
	return ""
}
