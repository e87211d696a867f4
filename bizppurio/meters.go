package bizppurio

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/go-bizppurio/sdk/send"
)

// meters are the instruments of a Client.
type meters struct {
	meter    metric.Meter
	host     []attribute.KeyValue
	calls    metric.Float64Histogram // bizppurio.send.duration
	requests metric.Float64Histogram // http.client.request.duration
	fetches  metric.Float64Histogram // bizppurio.token.refresh.duration
	observed metric.Registration     // of the breakers and the pool; nil before
	pool     *poolMeter              // nil: the engine has none

	mu   sync.RWMutex
	sets map[setKey][]metric.RecordOption // attributes, made once
}

// setKey is a combination of metric attributes; all members are closed sets.
type setKey struct {
	op      *operation
	channel string
	outcome send.Outcome
	failure string // error.type, "" for none
	status  int
}

// newMeters makes the histograms, with the buckets of the HTTP conventions.
func newMeters(m metric.Meter, host []attribute.KeyValue) (*meters, error) {
	t := &meters{meter: m, host: host, sets: make(map[setKey][]metric.RecordOption)}
	var err error
	seconds := func(name, what string, more ...float64) metric.Float64Histogram {
		buckets := append([]float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}, more...)
		h, failed := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(buckets...))
		if failed != nil {
			err = failed
		}
		return h
	}
	t.calls = seconds("bizppurio.send.duration", "Sends, from the call to its outcome.", 15, 30)
	t.requests = seconds("http.client.request.duration", "HTTP requests, one for each attempt.")
	t.fetches = seconds("bizppurio.token.refresh.duration", "Token fetches, with all their attempts.")
	return t, err
}

// timed reports whether a metric asks how long the call takes.
func (t *meters) timed(c *call) bool {
	return c.op == opSend && t.calls.Enabled(c.Context) || c.op == opToken && t.fetches.Enabled(c.Context)
}

// count records a finished call.
func (t *meters) count(c *call, took time.Duration) {
	failure := ""
	if c.verdict.outcome != send.Accepted {
		failure = errorType(c.verdict)
	}
	switch {
	case c.op == opSend && t.calls.Enabled(c.Context):
		key := setKey{op: opSend, channel: c.span.channel, outcome: c.verdict.outcome, failure: failure}
		t.calls.Record(c.Context, took.Seconds(), t.set(key)...)
	case c.op == opToken && t.fetches.Enabled(c.Context):
		t.fetches.Record(c.Context, took.Seconds(), t.set(setKey{op: opToken, failure: failure})...)
	}
}

// request records an attempt.
func (t *meters) request(ctx context.Context, op *operation, v verdict, took time.Duration) {
	key := setKey{op: op, status: v.status, channel: perRequest}
	if failedAttempt(v) {
		key.failure = errorType(v)
	}
	t.requests.Record(ctx, took.Seconds(), t.set(key)...)
}

// perRequest marks the key of an attempt.
const perRequest = "request"

// set returns the attributes of a key.
func (t *meters) set(key setKey) []metric.RecordOption {
	t.mu.RLock()
	opts := t.sets[key]
	t.mu.RUnlock()
	if opts != nil {
		return opts
	}
	opts = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(t.attributes(key)...))}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sets[key] = opts
	return opts
}

func (t *meters) attributes(k setKey) (attrs []attribute.KeyValue) {
	if k.failure != "" {
		attrs = append(attrs, attribute.String("error.type", k.failure))
	}
	switch {
	case k.channel == perRequest:
		attrs = append(append(attrs, t.host...),
			attribute.String("http.request.method", http.MethodPost),
			attribute.String("url.template", k.op.path))
		if k.status != 0 {
			attrs = append(attrs, attribute.Int("http.response.status_code", k.status))
		}
	case k.op == opSend:
		attrs = append(attrs,
			attribute.String("bizppurio.channel", k.channel),
			attribute.String("bizppurio.outcome", k.outcome.String()))
	}
	return attrs
}

// observe reports the breakers and the pool when metrics are collected. Its
// registration ends with Close.
func (c *Client) observe() error {
	state, err := c.tel.meter.Int64ObservableGauge("bizppurio.circuit_breaker.state",
		metric.WithDescription("Circuit breaker: 0 closed, 1 half-open, 2 open."))
	if err != nil {
		return err
	}
	pool, err := newPoolMeter(c.engine, c.cfg.MeterProvider, c.tel.meters)
	if err != nil {
		return err
	}
	which := func(name string) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(attribute.String("bizppurio.breaker", name)))
	}
	sends, logins, reports := which("send"), which("token"), which("report")
	c.tel.observed, err = c.tel.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(state, c.sends.state(), sends)
		o.ObserveInt64(state, c.logins.state(), logins)
		o.ObserveInt64(state, c.reports.state(), reports)
		pool.observe(o)
		return nil
	}, append(pool.instruments(), state)...)
	if err == nil && pool != nil {
		pool.mine() // hears of connections from now on
		c.tel.pool = pool
	}
	return err
}
