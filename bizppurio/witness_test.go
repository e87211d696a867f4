package bizppurio_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// witness sees all that a client tells an operator.
type witness struct {
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
	traces *sdktrace.TracerProvider
	meters *sdkmetric.MeterProvider
	log    *book
}

func newWitness() *witness {
	w := &witness{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader(), log: &book{}}
	w.traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans))
	w.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.reader))
	return w
}

// watch makes a client of cfg tell w.
func (w *witness) watch(cfg *bizppurio.Config) {
	cfg.TracerProvider, cfg.MeterProvider, cfg.Logger = w.traces, w.meters, slog.New(w.log)
}

// book is a slog handler that keeps the lines, as text and as JSON.
type book struct {
	mu    sync.Mutex
	lines []string
	json  bytes.Buffer
}

func (b *book) Enabled(context.Context, slog.Level) bool { return true }

func (b *book) Handle(ctx context.Context, r slog.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var line bytes.Buffer
	text := slog.NewTextHandler(&line, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}})
	if err := text.Handle(ctx, r); err != nil {
		return err
	}
	b.lines = append(b.lines, strings.TrimSpace(line.String()))
	return slog.NewJSONHandler(&b.json, nil).Handle(ctx, r)
}

func (b *book) WithAttrs([]slog.Attr) slog.Handler { return b }
func (b *book) WithGroup(string) slog.Handler      { return b }

// from returns the lines of a level and above.
func (b *book) from(level slog.Level) (lines []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		var at slog.Level
		name, _, _ := strings.Cut(strings.TrimPrefix(l, "level="), " ")
		if err := at.UnmarshalText([]byte(name)); err == nil && at >= level {
			lines = append(lines, l)
		}
	}
	return lines
}

// tree draws the trace of the last span that has no parent, one span a line:
// its name, kind, status, error.type and what makes it differ from others.
func (w *witness) tree() string {
	started := w.spans.Started()
	var root sdktrace.ReadWriteSpan
	for _, s := range started {
		if !s.Parent().IsValid() {
			root = s
		}
	}
	if root == nil {
		return ""
	}
	var b strings.Builder
	var draw func(s sdktrace.ReadWriteSpan, indent string)
	draw = func(s sdktrace.ReadWriteSpan, indent string) {
		fmt.Fprintf(&b, "%s%s %s %s", indent, s.Name(), s.SpanKind(), strings.ToLower(s.Status().Code.String()))
		for _, key := range []attribute.Key{
			"error.type", "bizppurio.outcome", "bizppurio.attempts", "bizppurio.result_code", "bizppurio.token.source",
			"http.response.status_code", "http.request.resend_count",
		} {
			if v, ok := attributeOf(s, key); ok {
				short := string(key)
				if key != "error.type" {
					short = short[strings.LastIndexByte(short, '.')+1:]
				}
				fmt.Fprintf(&b, " %s=%s", short, v.String())
			}
		}
		b.WriteByte('\n')
		for _, child := range started {
			if child.Parent().SpanID() == s.SpanContext().SpanID() {
				draw(child, indent+"  ")
			}
		}
	}
	draw(root, "")
	return b.String()
}

func attributeOf(s sdktrace.ReadOnlySpan, key attribute.Key) (attribute.Value, bool) {
	for _, a := range s.Attributes() {
		if a.Key == key {
			return a.Value, true
		}
	}
	return attribute.Value{}, false
}

// metric returns the data of an instrument, nil if there is none.
func (w *witness) metric(tb testing.TB, name string) metricdata.Aggregation {
	tb.Helper()
	for _, m := range w.metrics(tb) {
		if m.Name == name {
			return m.Data
		}
	}
	return nil
}

func (w *witness) metrics(tb testing.TB) (all []metricdata.Metrics) {
	tb.Helper()
	var data metricdata.ResourceMetrics
	if err := w.reader.Collect(context.WithoutCancel(tb.Context()), &data); err != nil {
		tb.Fatal(err)
	}
	for _, s := range data.ScopeMetrics {
		all = append(all, s.Metrics...)
	}
	return all
}

// points lists the attributes and values of a metric, one line a series;
// the value of a histogram is its count.
func points(data metricdata.Aggregation) (lines []string) {
	add := func(set attribute.Set, value any) {
		line := set.Encoded(attribute.DefaultEncoder())
		lines = append(lines, fmt.Sprint(line, " ", value))
	}
	switch d := data.(type) {
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Count)
		}
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[int64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	}
	slices.Sort(lines)
	return lines
}

func reasons() []string {
	var all []string
	for _, r := range []send.Reason{
		send.Invalid, send.Refused, send.Closed, send.Canceled, send.OutsideWindow, send.RateLimited, send.CircuitOpen,
		send.PoolTimeout, send.Unreachable, send.TokenUnavailable, send.Busy, send.Timeout, send.ConnectionLost,
		send.BadResponse, send.VendorFault, send.Interrupted,
	} {
		all = append(all, string(r))
	}
	return all
}

// wantClosed checks that all spans ended and that all that varies comes from
// closed sets.
func (w *witness) wantClosed(tb testing.TB) {
	tb.Helper()
	if s, e := len(w.spans.Started()), len(w.spans.Ended()); s != e || s == 0 {
		tb.Errorf("%d spans started and %d ended, want as many, and some", s, e)
	}
	outcomes := []string{"accepted", "rejected", "not_sent", "unknown"}
	for _, s := range w.spans.Ended() {
		if got := s.Status(); got.Description != "" || got.Code == codes.Ok {
			tb.Errorf("status of %s = %v, want Unset or Error without description", s.Name(), got)
		}
		if len(s.Events()) > 0 {
			tb.Errorf("%s has events", s.Name())
		}
		failed := s.Status().Code == codes.Error
		if kind, ok := attributeOf(s, "error.type"); ok != failed || ok && !slices.Contains(reasons(), kind.AsString()) {
			tb.Errorf("error.type of %s = %q with status %v, want a reason if and only if it is an error", s.Name(), kind.AsString(), s.Status().Code)
		}
		if o, ok := attributeOf(s, "bizppurio.outcome"); ok != strings.HasPrefix(s.Name(), "bizppurio.") || ok && !slices.Contains(outcomes, o.AsString()) {
			tb.Errorf("outcome of %s = %q", s.Name(), o.AsString())
		}
		if v, ok := attributeOf(s, "bizppurio.token.source"); ok && !slices.Contains([]string{"cache", "shared"}, v.AsString()) {
			tb.Errorf("token.source of %s = %q", s.Name(), v.AsString())
		}
		for _, a := range s.Attributes() {
			if !slices.Contains(spanKeys(), string(a.Key)) {
				tb.Errorf("%s has the attribute %s", s.Name(), a.Key)
			}
		}
	}
	for _, m := range w.metrics(tb) {
		for _, line := range points(m.Data) {
			for pair := range strings.SplitSeq(strings.Split(line, " ")[0], ",") {
				if key, _, ok := strings.Cut(pair, "="); ok && !slices.Contains(metricKeys(), key) {
					tb.Errorf("%s has the attribute %s", m.Name, key)
				}
			}
		}
	}
}

func spanKeys() []string {
	keys := []string{
		"bizppurio.channel", "bizppurio.outcome", "bizppurio.attempts", "bizppurio.result_code", "bizppurio.message_key",
		"bizppurio.token.source", "bizppurio.connection.reused", "bizppurio.connection.idle_ms", "bizppurio.request.written",
		"error.type", "http.request.method", "http.response.status_code", "http.request.resend_count",
		"server.address", "server.port", "url.full", "url.template",
		"network.protocol.name", "network.protocol.version", "network.peer.address", "network.peer.port",
	}
	for _, phase := range []string{"acquire", "resolve", "dial", "tls", "wait", "body"} {
		keys = append(keys, "bizppurio.phase."+phase+"_ms")
	}
	return keys
}

func metricKeys() []string {
	return []string{
		"bizppurio.channel", "bizppurio.outcome", "bizppurio.breaker", "error.type",
		"http.request.method", "http.response.status_code", "http.connection.state", "server.address", "server.port", "url.template",
	}
}
