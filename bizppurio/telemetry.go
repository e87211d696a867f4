package bizppurio

import (
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// scope names the instrumentation in traces and metrics.
const scope = "github.com/go-bizppurio/sdk/bizppurio"

// telemetry holds what spans and metrics need, made once. Nothing it writes
// holds a number, a text, a credential or a RefKey.
type telemetry struct {
	tracer trace.Tracer                           // nil: no spans
	idle   trace.TracerProvider                   // no spans while it is the global one; nil: there are always spans
	starts map[*operation][]trace.SpanStartOption // of attempt spans
	*meters
}

func newTelemetry(cfg Config, base *url.URL) (*telemetry, error) {
	t := &telemetry{starts: make(map[*operation][]trace.SpanStartOption)}
	traces, meters := cfg.TracerProvider, cfg.MeterProvider
	if traces == nil {
		traces = otel.GetTracerProvider()
		if waits(traces) {
			t.idle = traces
		}
	}
	if meters == nil {
		meters = otel.GetMeterProvider()
	}
	if _, off := traces.(noop.TracerProvider); !off {
		t.tracer = traces.Tracer(scope, trace.WithInstrumentationVersion(version))
	}
	host := hostAttributes(base)
	for _, op := range operations() {
		t.starts[op] = []trace.SpanStartOption{
			trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(append(slices.Clip(host),
				attribute.String("http.request.method", http.MethodPost),
				attribute.String("url.full", below(base, op.path).String()), // New refuses user, query and fragment
				attribute.String("url.template", op.path))...),
		}
	}
	var err error
	t.meters, err = newMeters(meters.Meter(scope, metric.WithInstrumentationVersion(version)), host)
	return t, err
}

// waits reports whether p is the provider with which package otel stands in
// until the application sets one. Its spans go nowhere, and each costs three
// allocations. (An eBPF agent that reads them has to be given as
// Config.TracerProvider.)
func waits(p trace.TracerProvider) bool {
	t := reflect.TypeOf(p)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "go.opentelemetry.io/otel/internal/global"
}

// traced reports whether somebody may want spans.
func (t *telemetry) traced() bool {
	return t.tracer != nil && (t.idle == nil || otel.GetTracerProvider() != t.idle)
}

// span is the telemetry of one call; its zero value is off.
type span struct {
	trace.Span // nil: off

	begun   time.Time // zero: nobody asks how long it took
	channel string
}

// begin starts the span of a call and puts it into the call's context.
func (t *telemetry) begin(c *call, channel string, opts ...trace.SpanStartOption) {
	c.span.channel = channelLabel(channel)
	if t.timed(c) || c.op == opSend && c.client.log.Enabled(c.Context, slog.LevelDebug) {
		c.span.begun = time.Now()
	}
	if t.traced() {
		c.Context, c.span.Span = t.tracer.Start(c.Context, c.op.span, opts...)
	}
}

// end records what became of the call.
func (t *telemetry) end(c *call) {
	if s := c.span.Span; s != nil {
		if s.IsRecording() {
			s.SetAttributes(c.describe()...)
			if c.verdict.outcome != send.Accepted {
				s.SetStatus(codes.Error, "")
			}
		}
		s.End()
	}
	if !c.span.begun.IsZero() {
		took := time.Since(c.span.begun)
		t.count(c, took)
		c.log(took)
	}
}

// describe lists the attributes of a finished call.
func (c *call) describe() []attribute.KeyValue {
	v := c.verdict
	attrs := make([]attribute.KeyValue, 0, 8)
	attrs = append(attrs,
		attribute.String("bizppurio.outcome", v.outcome.String()),
		attribute.Int("bizppurio.attempts", c.attempts))
	if c.op == opSend {
		attrs = append(attrs, attribute.String("bizppurio.channel", c.span.channel))
	}
	if code := codeLabel(v); code != 0 {
		attrs = append(attrs, attribute.Int("bizppurio.result_code", code))
	}
	if key := c.keyLabel(); key != "" {
		attrs = append(attrs, attribute.String("bizppurio.message_key", key))
	}
	if v.outcome != send.Accepted {
		attrs = append(attrs, attribute.String("error.type", errorType(v)))
	}
	switch c.origin {
	case token.OriginFetch: // its span is a child of this one
	case token.OriginCache, token.OriginShared:
		attrs = append(attrs, attribute.String("bizppurio.token.source", string(c.origin)))
	}
	return attrs
}
