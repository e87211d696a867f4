package bizppurio_test

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// attempts returns the spans of an endpoint's requests, in order.
func (w *witness) attempts(path string) (all []sdktrace.ReadOnlySpan) {
	for _, s := range w.spans.Ended() {
		if s.Name() == "POST "+path {
			all = append(all, s)
		}
	}
	return all
}

// TestTelemetry_attributes: over a real connection an attempt tells what the
// conventions ask, whether the connection was new, and where the time went.
func TestTelemetry_attributes(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithPathPrefix("/vendor"))
	w := newWitness()
	c := newClient(t, s, w.watch)
	for _, to := range []string{"010-1234-5678", "010-0000-6009"} { // the second is busy at first
		m := sms("")
		m.To = to
		if _, err := c.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	logins, all := w.attempts("/v1/token"), w.attempts("/v3/message")
	if len(logins) != 1 || len(all) != 3 {
		t.Fatalf("%d and %d attempts, want 1 and 3", len(logins), len(all))
	}
	got := map[string]any{}
	for _, a := range all[2].Attributes() {
		got[string(a.Key)] = a.Value.AsInterface()
	}
	host, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.URL(), "https://"), "/vendor"), ":")
	for key, want := range map[string]any{
		"http.request.method": "POST", "http.response.status_code": int64(200), "http.request.resend_count": int64(1),
		"server.address": host, "url.full": s.URL() + "/v3/message", "url.template": "/v3/message",
		"network.protocol.name": "http", "network.protocol.version": "1.1", "network.peer.address": "127.0.0.1",
		"bizppurio.connection.reused": true, "bizppurio.request.written": true,
	} {
		if diff := cmp.Diff(want, got[key]); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", key, diff)
		}
	}
	for _, key := range []string{"server.port", "network.peer.port"} {
		if n, _ := got[key].(int64); attribute.Int64Value(n).String() != port {
			t.Errorf("%s = %v, want %s", key, got[key], port)
		}
	}
	for _, tt := range []struct {
		span sdktrace.ReadOnlySpan
		has  []string
		none []string
	}{
		{logins[0], []string{"phase.acquire_ms", "phase.dial_ms", "phase.tls_ms", "phase.wait_ms"}, []string{"connection.idle_ms", "phase.resolve_ms"}},
		{all[0], []string{"phase.acquire_ms", "phase.wait_ms", "connection.idle_ms"}, []string{"phase.dial_ms", "phase.tls_ms"}},
	} {
		for _, key := range tt.has {
			if _, ok := attributeOf(tt.span, attribute.Key("bizppurio."+key)); !ok {
				t.Errorf("%s lacks bizppurio.%s", tt.span.Name(), key)
			}
		}
		for _, key := range tt.none {
			if _, ok := attributeOf(tt.span, attribute.Key("bizppurio."+key)); ok {
				t.Errorf("%s has bizppurio.%s", tt.span.Name(), key)
			}
		}
	}
	if v, _ := attributeOf(logins[0], "bizppurio.connection.reused"); v.AsBool() {
		t.Error("the first connection was new, and is told as reused")
	}
	w.wantClosed(t)
}

// TestTelemetry_url is case 72: the URL on the spans of all endpoints has no
// user and no query.
func TestTelemetry_url(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w := newWitness()
	c := newClient(t, s, once, w.watch)
	for _, call := range everyCall(t.Context(), c) {
		_ = call()
	}
	seen := 0
	for _, span := range w.spans.Ended() {
		full, ok := attributeOf(span, "url.full")
		if !ok {
			continue
		}
		seen++
		template, _ := attributeOf(span, "url.template")
		if want := s.URL() + template.AsString(); full.AsString() != want || span.Name() != "POST "+template.AsString() {
			t.Errorf("%s has url.full %q, want %q", span.Name(), full.AsString(), want)
		}
	}
	if seen != len(bizppurio.Paths()) {
		t.Errorf("%d requests were seen, want one for each of %v", seen, bizppurio.Paths())
	}
	w.wantClosed(t)
}

// TestTelemetry_vectors is case 73: for every answer of the vectors all spans
// end, and what varies comes from closed sets.
func TestTelemetry_vectors(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w := newWitness()
	calls := map[string]string{
		bizppuriotest.PathToken: "send", bizppuriotest.PathMessage: "send", bizppuriotest.PathFile: "upload",
		bizppuriotest.PathReport: "report", bizppuriotest.PathPoll: "poll", bizppuriotest.PathConfirm: "confirm",
	}
	paths := map[string]string{
		"token": bizppuriotest.PathToken, "message": bizppuriotest.PathMessage, "file": bizppuriotest.PathFile,
		"report": bizppuriotest.PathReport, "poll": bizppuriotest.PathPoll, "confirm": bizppuriotest.PathConfirm,
	}
	for _, v := range vectors(t) {
		s.Behave()
		s.Misbehave(bizppuriotest.Reply(v.answer(t)).On(paths[v.Endpoint]).Always())
		before := len(w.spans.Started())
		c := newClient(t, s, once, w.watch)
		_ = everyCall(t.Context(), c)[calls[paths[v.Endpoint]]]()
		_ = c.Close()
		if started, ended := len(w.spans.Started()), len(w.spans.Ended()); started != ended || started < before+2 {
			t.Errorf("%s: %d spans started and %d ended, of them %d before", v.Name, started, ended, before)
		}
	}
	w.wantClosed(t)
}

// TestTelemetry_faults: the same for what happens to connections.
func TestTelemetry_faults(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w := newWitness()
	for name, f := range map[string]bizppuriotest.Fault{
		"drop": bizppuriotest.Drop(), "reset": bizppuriotest.Reset(), "stall": bizppuriotest.Stall(),
		"cut body": bizppuriotest.CutBody(), "cut chunk": bizppuriotest.CutChunk(), "cut close": bizppuriotest.CutClose(),
		"another refkey": bizppuriotest.OtherRefKey(), "garbage": bizppuriotest.Garbage(), "endless": bizppuriotest.Endless(),
		"header flood": bizppuriotest.HeaderFlood(), "informational": bizppuriotest.Informational(), "gzip bomb": bizppuriotest.GzipBomb(),
		"redirect": bizppuriotest.Redirect(307),
	} {
		before := len(w.spans.Started())
		c := newClient(t, s, once, w.watch, func(cfg *bizppurio.Config) { cfg.AttemptTimeout = 10 * time.Second })
		if err := c.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Misbehave(f)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if name == "stall" {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
		}
		_, _ = c.Send(ctx, sms(""))
		cancel()
		_ = c.Close()
		s.Behave()
		if started, ended := len(w.spans.Started()), len(w.spans.Ended()); started != ended || started < before+5 {
			t.Errorf("%s: %d spans started and %d ended, of them %d before", name, started, ended, before)
		}
	}
	for name, change := range map[string]func(*bizppurio.Config){
		"refused": func(cfg *bizppurio.Config) { cfg.BaseURL = "https://127.0.0.1:1" },
		"TLS":     func(cfg *bizppurio.Config) { cfg.Pool.TLS = nil },
	} {
		c := newClient(t, s, once, w.watch, change)
		_, err := c.Send(t.Context(), sms(""))
		wantError(t, name, err, send.NotSent, send.TokenUnavailable)
	}
	w.wantClosed(t)
}

// TestTelemetry_hooks is case 74: neither spans nor outcomes depend on hooks,
// which an engine may call late or never.
func TestTelemetry_hooks(t *testing.T) {
	t.Parallel()
	w := newWitness()
	cfg := bizppurio.Config{}
	w.watch(&cfg)
	var late *httptrace.ClientTrace
	c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v1/token" {
			return respond(r, 200, `{"accesstoken":"t"}`), nil
		}
		late = httptrace.ContextClientTrace(r.Context())
		return respond(r, 200, accepted), nil
	})
	if _, err := c.Send(t.Context(), sms("r")); err != nil {
		t.Fatal(err)
	}
	if late.Got1xxResponse != nil {
		t.Error("Got1xxResponse is set: net/http would read informational answers without end")
	}
	tree := w.tree()
	late.GotConn(httptrace.GotConnInfo{Reused: true})
	late.WroteRequest(httptrace.WroteRequestInfo{})
	late.GotFirstResponseByte()
	late.TLSHandshakeStart()
	if got := w.tree(); got != tree {
		t.Errorf("late hooks changed the trace to\n%s", got)
	}
	w.wantClosed(t)
}

// TestTelemetry_unpropagated is case 76: the vendor is told neither of a
// trace nor of its baggage.
func TestTelemetry_unpropagated(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w := newWitness()
	seen := 0
	c := newClient(t, s, w.watch, func(cfg *bizppurio.Config) {
		inner := engine.New(cfg.Pool)
		t.Cleanup(func() { _ = inner.Close() })
		cfg.Pool, cfg.Engine = engine.Config{}, engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			seen++
			for _, name := range []string{"traceparent", "tracestate", "baggage", "b3"} {
				if r.Header.Get(name) != "" {
					t.Errorf("%s carries %s", r.URL.Path, name)
				}
			}
			return inner.RoundTrip(r)
		}))
	})
	member, err := baggage.NewMember("k", "v")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := w.traces.Tracer("application").Start(baggage.ContextWithBaggage(t.Context(), bag), "order")
	_, err = c.Send(ctx, sms("r"))
	span.End()
	if err != nil || seen != 2 {
		t.Fatalf("Send = %v after %d requests, want nil after 2", err, seen)
	}
	if got := w.tree(); !strings.HasPrefix(got, "order internal unset\n  bizppurio.send internal") {
		t.Errorf("the send is not part of the application's trace:\n%s", got)
	}
}

// TestTelemetry_pool: connections, breakers and requests; and of a client that
// is closed, how long its connection was open.
func TestTelemetry_pool(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w := newWitness()
	c := newClient(t, s, w.watch)
	for range 5 {
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
	}
	host, port, _ := strings.Cut(strings.TrimPrefix(s.URL(), "https://"), ":")
	at := "server.address=" + host + ",server.port=" + port
	for name, want := range map[string][]string{
		"bizppurio.circuit_breaker.state": {"bizppurio.breaker=report 0", "bizppurio.breaker=send 0", "bizppurio.breaker=token 0"},
		"http.client.open_connections":    {"http.connection.state=active," + at + " 0", "http.connection.state=idle," + at + " 1"},
		"bizppurio.pool.waiting":          {at + " 0"},
		"bizppurio.pool.opened":           {at + " 1"},
		"bizppurio.pool.reused":           {at + " 5"},
		"bizppurio.pool.stale":            {at + " 0"},
		"http.client.request.duration": {
			"http.request.method=POST,http.response.status_code=200," + at + ",url.template=/v1/token 1",
			"http.request.method=POST,http.response.status_code=200," + at + ",url.template=/v3/message 5",
		},
		"bizppurio.token.refresh.duration": {" 1"},
		"http.client.connection.duration":  nil,
	} {
		if diff := cmp.Diff(want, points(w.metric(t, name))); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, diff)
		}
	}
	w.wantClosed(t)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"bizppurio.circuit_breaker.state", "http.client.open_connections", "bizppurio.pool.waiting",
		"bizppurio.pool.opened", "bizppurio.pool.reused", "bizppurio.pool.stale",
	} {
		if got := points(w.metric(t, name)); len(got) > 0 {
			t.Errorf("%s of a closed client = %q, want none", name, got)
		}
	}
	lives, _ := w.metric(t, "http.client.connection.duration").(metricdata.Histogram[float64])
	if diff := cmp.Diff([]string{at + " 1"}, points(lives)); diff != "" {
		t.Fatalf("http.client.connection.duration differs (-want +got):\n%s", diff)
	}
	want := []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}
	if diff := cmp.Diff(want, lives.DataPoints[0].Bounds); diff != "" {
		t.Errorf("its buckets differ (-want +got):\n%s", diff)
	}
}

// uncomparable is a provider that cannot be the key of a map.
type uncomparable struct {
	metric.MeterProvider
	_ func()
}

// TestTelemetry_sharedPool: of the Clients that share an engine and a provider
// one tells of the pool, and when it closes the next one does.
func TestTelemetry_sharedPool(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	w, other := newWitness(), newWitness()
	e := engine.New(engine.Config{TLS: s.TLSConfig()})
	t.Cleanup(func() { _ = e.Close() })
	open := func(change func(*bizppurio.Config)) *bizppurio.Client {
		return newClient(t, s, change, func(cfg *bizppurio.Config) { cfg.Engine, cfg.Pool = e, engine.Config{} })
	}
	clients := []*bizppurio.Client{open(w.watch), open(w.watch), open(w.watch)}
	open(other.watch)
	strange := newWitness()
	open(func(cfg *bizppurio.Config) { cfg.MeterProvider = uncomparable{MeterProvider: strange.meters} })
	for _, c := range clients {
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
	}
	idle := func(w *witness) (n int64) {
		open, _ := w.metric(t, "http.client.open_connections").(metricdata.Sum[int64])
		for _, p := range open.DataPoints {
			n += p.Value
		}
		return n
	}
	for _, c := range clients {
		if a, b, c := idle(w), idle(other), idle(strange); a != 1 || b != 1 || c != 1 {
			t.Errorf("open connections = %d, %d and %d for three providers, want 1 for each", a, b, c)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := points(w.metric(t, "http.client.open_connections")); len(got) > 0 {
		t.Errorf("open connections when all are closed = %q, want none", got)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if a, b := points(w.metric(t, "http.client.connection.duration")), points(other.metric(t, "http.client.connection.duration")); len(a) != 0 || len(b) != 1 {
		t.Errorf("connections that ended = %q and %q, want none for the closed clients and one", a, b)
	}
}

// plainPool is an engine that has Stats and no Watch.
type plainPool struct{ engine.Engine }

func (plainPool) Stats() engine.Stats { return engine.Stats{Opened: 7, Open: 2, Idle: 2} }

// TestTelemetry_plainPool: an engine of the application's own may have Stats
// alone.
func TestTelemetry_plainPool(t *testing.T) {
	t.Parallel()
	w := newWitness()
	cfg := valid()
	cfg.Engine = plainPool{engine.Wrap(nil)}
	w.watch(&cfg)
	c, err := bizppurio.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := points(w.metric(t, "bizppurio.pool.opened")); len(got) != 1 || !strings.HasSuffix(got[0], " 7") {
		t.Errorf("bizppurio.pool.opened = %q, want 7", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
