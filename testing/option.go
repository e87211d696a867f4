package bizppuriotest

import (
	"strings"
	"time"
)

// Option changes how a [Server] is started.
type Option func(*options)

type options struct {
	account, password string
	addr              string
	anywhere          bool
	plain             bool
	offerH2           bool
	prefix            string
	tokenLife         time.Duration
	senders           map[string]bool
	webhook           string
	reportDelay       time.Duration
	rtt, service      time.Duration
	limit             int
	window            time.Duration
	idle              time.Duration
	idleEnd           End
	keepAlive         time.Duration
}

func newOptions(opts []Option) options {
	o := options{ //nolint:gosec // credentials of the simulation
		account:   "acct01",
		password:  "bizppuriotest-password",
		addr:      "127.0.0.1:0",
		tokenLife: 24 * time.Hour, // spec 4
	}
	for _, apply := range opts {
		apply(&o)
	}
	return o
}

// WithAccount sets the account and the password that the server takes.
func WithAccount(account, password string) Option {
	return func(o *options) { o.account, o.password = account, password }
}

// WithAddr sets the address to listen on, such as "127.0.0.1:8443". The
// default is a free port of 127.0.0.1. An address that is not a loopback one
// is an error of [Start] unless [WithRemoteClients] is given as well.
func WithAddr(addr string) Option { return func(o *options) { o.addr = addr } }

// WithRemoteClients lets [WithAddr] name an address that other machines
// reach. The server accepts messages from anybody who knows the account.
func WithRemoteClients() Option { return func(o *options) { o.anywhere = true } }

// WithPlainHTTP leaves TLS out, for programs that cannot be given a
// certificate authority. URL then begins with http.
func WithPlainHTTP() Option { return func(o *options) { o.plain = true } }

// WithHTTP2Offered offers HTTP/2 in the TLS handshake. A client that takes it
// is noted in [Server.Violations] and dropped: the vendor's API is HTTP/1.1,
// and HTTP/2 repeats POSTs by itself.
func WithHTTP2Offered() Option { return func(o *options) { o.offerH2 = true } }

// WithPathPrefix mounts the endpoints below a path such as "/vendor", which
// is then part of [Server.URL]: a client with hard-coded paths gets 5001.
func WithPathPrefix(prefix string) Option {
	return func(o *options) { o.prefix = strings.TrimRight("/"+strings.Trim(prefix, "/"), "/") }
}

// WithTokenLife sets how long a token is good. The default is 24 h (spec 4);
// zero or less makes tokens that are expired on arrival.
func WithTokenLife(life time.Duration) Option { return func(o *options) { o.tokenLife = life } }

// WithSenders sets the registered sender numbers, digits only. A message from
// any other number is accepted and reported as failed, as the vendor does
// (4434 for SMS and 6631 for LMS and MMS, spec 6.3 and 6.4). Without this
// option every number counts as registered.
func WithSenders(numbers ...string) Option {
	return func(o *options) {
		o.senders = make(map[string]bool, len(numbers))
		for _, n := range numbers {
			o.senders[n] = true
		}
	}
}

// WithWebhook pushes delivery reports to the URL, each up to three times until
// it is answered with 200. Without this option reports wait to be polled.
func WithWebhook(url string) Option { return func(o *options) { o.webhook = url } }

// WithReportDelay sets how long after acceptance a report comes. The default
// is none.
func WithReportDelay(d time.Duration) Option { return func(o *options) { o.reportDelay = d } }

// WithLatency simulates a network and a vendor. Each turn of the connection,
// those of the TLS handshake included, takes rtt, opening it one more; each
// request takes service on top. Both are kept to about 0.1 ms on Linux, while
// the machine has time.
func WithLatency(rtt, service time.Duration) Option {
	return func(o *options) { o.rtt, o.service = rtt, service }
}

// WithRateLimit answers more than n calls within a window of time with 5002
// (HTTP 429), and puts the RateLimit headers on every answer (spec 5).
func WithRateLimit(n int, window time.Duration) Option {
	return func(o *options) { o.limit, o.window = n, window }
}

// WithIdleClose ends connections that were idle for d, in the given way. The
// vendor's d is 4 s (spec 1.1); the default is not to end them.
func WithIdleClose(d time.Duration, how End) Option {
	return func(o *options) { o.idle, o.idleEnd = d, how }
}

// WithKeepAliveHeader puts "Keep-Alive: timeout=…" on every answer, in whole
// seconds.
func WithKeepAliveHeader(d time.Duration) Option { return func(o *options) { o.keepAlive = d } }

// End is a way to end a connection.
type End int

// The ways to end a connection.
const (
	FIN     End = iota // an orderly close
	RST                // a TCP reset
	Push408            // an unasked-for answer "408 Request Timeout", then an orderly close
)
