package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// printer draws each trace as a tree when its root has ended. Spans that end
// later than that are dropped.
type printer struct {
	mu     sync.Mutex
	out    io.Writer
	traces map[trace.TraceID][]sdktrace.ReadOnlySpan
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: out, traces: make(map[trace.TraceID][]sdktrace.ReadOnlySpan)}
}

func (p *printer) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (p *printer) Shutdown(context.Context) error                  { return nil }
func (p *printer) ForceFlush(context.Context) error                { return nil }

func (p *printer) OnEnd(s sdktrace.ReadOnlySpan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := s.SpanContext().TraceID()
	spans := append(p.traces[id], s)
	p.traces[id] = spans
	if s.Parent().IsValid() {
		return
	}
	delete(p.traces, id)
	slices.SortFunc(spans, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	var text strings.Builder
	draw(&text, spans, s, "", "")
	_, _ = io.WriteString(p.out, text.String()+"\n")
}

// draw writes a span and those below it.
func draw(out *strings.Builder, spans []sdktrace.ReadOnlySpan, s sdktrace.ReadOnlySpan, branch, indent string) {
	took := s.EndTime().Sub(s.StartTime())
	fmt.Fprintf(out, "%-20s %8s %s\n", branch+s.Name(), milliseconds(took), describe(s))
	var children []sdktrace.ReadOnlySpan
	for _, c := range spans {
		if c.Parent().SpanID() == s.SpanContext().SpanID() {
			children = append(children, c)
		}
	}
	for i, c := range children {
		if i < len(children)-1 {
			draw(out, spans, c, indent+"├─ ", indent+"│  ")
		} else {
			draw(out, spans, c, indent+"└─ ", indent+"   ")
		}
	}
}

// columns are the attributes that are shown, in this order, and their names
// there.
var columns = []struct{ key, name string }{ //nolint:gochecknoglobals // constant
	{"http.response.status_code", "status"},
	{"bizppurio.outcome", "outcome"},
	{"error.type", "error"},
	{"bizppurio.result_code", "code"},
	{"bizppurio.channel", "channel"},
	{"bizppurio.attempts", "attempts"},
	{"bizppurio.token.source", "token"},
	{"http.request.resend_count", "resend"},
	{"bizppurio.connection.reused", "reused"},
	{"bizppurio.connection.idle_ms", "idle"},
	{"bizppurio.phase.acquire_ms", "acquire"},
	{"bizppurio.phase.resolve_ms", "resolve"},
	{"bizppurio.phase.dial_ms", "dial"},
	{"bizppurio.phase.tls_ms", "tls"},
	{"bizppurio.phase.wait_ms", "wait"},
	{"bizppurio.phase.body_ms", "body"},
}

// describe lists status and attributes, times in milliseconds.
func describe(s sdktrace.ReadOnlySpan) string {
	values := make(map[string]attribute.Value)
	for _, a := range s.Attributes() {
		values[string(a.Key)] = a.Value
	}
	var b strings.Builder
	if s.Status().Code == codes.Error {
		b.WriteString(" ERROR")
	}
	for _, c := range columns {
		switch v := values[c.key]; v.Type() { //nolint:exhaustive // there are no others
		case attribute.EMPTY: // not there
		case attribute.FLOAT64:
			fmt.Fprintf(&b, " %s=%.1f", c.name, v.AsFloat64())
		default:
			fmt.Fprintf(&b, " %s=%s", c.name, v.String())
		}
	}
	return b.String()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
