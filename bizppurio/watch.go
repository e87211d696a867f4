package bizppurio

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-bizppurio/sdk/send"
)

// watch follows one attempt through its phases for its span and metric. The
// hooks may run on other goroutines, and later than the attempt.
type watch struct {
	span  trace.Span // nil: no span
	begun time.Time

	mu      sync.Mutex
	over    bool
	got     bool // a connection, from an engine that tells
	reused  bool
	idle    time.Duration
	peer    net.Addr
	version string // of HTTP, in the answer; "" if there was none
	marks   [phases]time.Time
}

// marks of a watch.
const (
	resolveStart = iota
	resolveDone
	dialStart
	dialDone
	tlsStart
	tlsDone
	connGot
	requestWritten
	firstByte
	phases
)

// watch begins to follow an attempt where somebody looks: nil is off.
func (t *telemetry) watch(ctx context.Context, c *call) (context.Context, *watch) {
	spans := c.span.Span != nil && c.span.IsRecording()
	if !spans && !t.requests.Enabled(ctx) {
		return ctx, nil
	}
	w := &watch{begun: time.Now()}
	if !spans {
		return ctx, w
	}
	opts := t.starts[c.op]
	if c.attempts > 1 {
		opts = append(slices.Clip(opts), trace.WithAttributes(attribute.Int("http.request.resend_count", c.attempts-1)))
	}
	ctx, w.span = t.tracer.Start(ctx, "POST "+c.op.path, opts...)
	return httptrace.WithClientTrace(ctx, w.hooks()), w
}

// hooks must not include Got1xxResponse: with it net/http reads informational
// answers without end. No span or verdict waits for any of them.
func (w *watch) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { w.mark(resolveStart) },
		DNSDone:              func(httptrace.DNSDoneInfo) { w.mark(resolveDone) },
		ConnectStart:         func(string, string) { w.mark(dialStart) },
		ConnectDone:          func(string, string, error) { w.mark(dialDone) },
		TLSHandshakeStart:    func() { w.mark(tlsStart) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { w.mark(tlsDone) },
		GotConn:              w.gotConn,
		GotFirstResponseByte: func() { w.mark(firstByte) },
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err == nil {
				w.mark(requestWritten)
			}
		},
	}
}

// mark notes the first beginning of a phase and its last end: a dial may try
// several addresses.
func (w *watch) mark(phase int) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	begins := phase == resolveStart || phase == dialStart || phase == tlsStart
	if !w.over && (!begins || w.marks[phase].IsZero()) {
		w.marks[phase] = now
	}
}

func (w *watch) gotConn(i httptrace.GotConnInfo) {
	w.mark(connGot)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	w.got, w.reused, w.idle = true, i.Reused, i.IdleTime
	if i.Conn != nil {
		w.peer = i.Conn.RemoteAddr()
	}
}

// answered notes what only the answer tells.
func (w *watch) answered(resp *http.Response) {
	if w != nil && resp.ProtoMajor > 0 {
		w.version = protocolVersion(resp.ProtoMajor, resp.ProtoMinor)
	}
}

// watched closes the attempt's span and counts it.
func (t *telemetry) watched(ctx context.Context, w *watch, c *call, v verdict) {
	if w == nil {
		return
	}
	now := time.Now()
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	if t.requests.Enabled(ctx) {
		t.request(ctx, c.op, v, now.Sub(w.begun))
	}
	if w.span == nil {
		return
	}
	if w.span.IsRecording() {
		w.span.SetAttributes(w.describe(v, now)...)
		if failedAttempt(v) {
			w.span.SetStatus(codes.Error, "")
		}
	}
	w.span.End()
}

// failedAttempt says whether an attempt's span is an error: every answer of
// 400 or above, and whatever did not tell what became of the message.
func failedAttempt(v verdict) bool {
	switch v.outcome {
	case send.Accepted:
		return false
	case send.Rejected:
		return v.status >= 400
	case send.NotSent, send.Unknown:
	}
	return true
}

// describe lists what is known of the attempt.
func (w *watch) describe(v verdict, end time.Time) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 16)
	attrs = append(attrs, attribute.String("network.protocol.name", "http"))
	if w.version != "" {
		attrs = append(attrs, attribute.String("network.protocol.version", w.version))
	}
	if v.status != 0 {
		attrs = append(attrs, attribute.Int("http.response.status_code", v.status))
	}
	if failedAttempt(v) {
		attrs = append(attrs, attribute.String("error.type", errorType(v)))
	}
	if written, known := w.written(v); known {
		attrs = append(attrs, attribute.Bool("bizppurio.request.written", written))
	}
	if w.got {
		attrs = append(attrs, attribute.Bool("bizppurio.connection.reused", w.reused))
		if w.reused {
			attrs = append(attrs, attribute.Float64("bizppurio.connection.idle_ms", ms(w.idle)))
		}
	}
	return w.phases(w.peerOf(attrs), v, end)
}

// written reports whether the whole request was handed to a connection. The
// hook may come after the answer; and an engine that tells nothing of its
// connections leaves it open, unless it proves that nothing was sent.
func (w *watch) written(v verdict) (written, known bool) {
	switch {
	case !w.marks[requestWritten].IsZero() || v.status != 0:
		return true, true
	case w.got || v.outcome == send.NotSent:
		return false, true
	}
	return false, false
}

// peerOf appends the address at the other end: the proxy's where there is one.
func (w *watch) peerOf(attrs []attribute.KeyValue) []attribute.KeyValue {
	if w.peer == nil {
		return attrs
	}
	addr, err := netip.ParseAddrPort(w.peer.String())
	if err != nil {
		return attrs
	}
	return append(attrs,
		attribute.String("network.peer.address", addr.Addr().String()),
		attribute.Int("network.peer.port", int(addr.Port())))
}

// phases appends how long each phase took, in milliseconds. One that did not
// end lasted to the end of the attempt.
func (w *watch) phases(attrs []attribute.KeyValue, v verdict, end time.Time) []attribute.KeyValue {
	m := w.marks
	phase := func(name string, from, to time.Time) {
		if from.IsZero() {
			return
		}
		if to.IsZero() {
			to = end
		}
		if to.After(from) {
			attrs = append(attrs, attribute.Float64("bizppurio.phase."+name+"_ms", ms(to.Sub(from))))
		}
	}
	switch dialled := earliest(m[resolveStart], earliest(m[dialStart], m[tlsStart])); {
	case w.reused || w.got && dialled.IsZero(): // a dial that began meanwhile served another
		phase("acquire", w.begun, m[connGot])
	case !dialled.IsZero():
		phase("acquire", w.begun, dialled)
		phase("resolve", m[resolveStart], m[resolveDone])
		phase("dial", m[dialStart], m[dialDone])
		phase("tls", m[tlsStart], m[tlsDone])
	case v.reason == send.PoolTimeout:
		phase("acquire", w.begun, end)
	}
	sent := m[requestWritten]
	if sent.IsZero() || !m[firstByte].IsZero() && m[firstByte].Before(sent) {
		sent = m[connGot] // the answer overtook the hook
	}
	phase("wait", sent, m[firstByte])
	phase("body", m[firstByte], end)
	return attrs
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// protocolVersion is the version of HTTP as the conventions spell it.
func protocolVersion(major, minor int) string {
	if major >= 2 {
		return strconv.Itoa(major)
	}
	return strconv.Itoa(major) + "." + strconv.Itoa(minor)
}
