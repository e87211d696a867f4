package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

const (
	tokenTree = `
  bizppurio.token internal unset outcome=accepted attempts=1
    POST /v1/token client unset status_code=200`
	accepted = `{"code":1000,"messagekey":"260429185700123#sms027420abcdefgh"}`
)

// turns answers each request with the next function, and the last one for
// good.
func turns(next ...func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	var mu sync.Mutex
	return func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		f := next[0]
		if len(next) > 1 {
			next = next[1:]
		}
		mu.Unlock()
		return f(r)
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// outcome is a row of the table of outcomes: what the vendor does to a send
// of a fresh client, and what an operator sees of it.
type outcome struct {
	name   string
	config bizppurio.Config
	token  func(*http.Request) (*http.Response, error) // nil: a good one
	vendor func(*http.Request) (*http.Response, error)
	before func(context.Context, *bizppurio.Client)
	send   func(context.Context, *bizppurio.Client) // nil: an SMS
	tree   string
	metric string // attributes of bizppurio.send.duration
}

func outcomes() []outcome {
	once := engine.Retry{Attempts: 1}
	within := func(d time.Duration) func(context.Context, *bizppurio.Client) {
		return func(ctx context.Context, c *bizppurio.Client) {
			ctx, cancel := context.WithTimeout(ctx, d)
			defer cancel()
			_, _ = c.Send(ctx, sms("r"))
		}
	}
	warm := func(ctx context.Context, c *bizppurio.Client) { _ = c.Warm(ctx) }
	ad := send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}}
	return []outcome{
		{
			name: "accepted", vendor: status(200, accepted),
			tree: `
bizppurio.send internal unset outcome=accepted attempts=1 result_code=1000` + tokenTree + `
  POST /v3/message client unset status_code=200`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=accepted",
		},
		{
			name: "accepted, token at hand", vendor: status(200, accepted), before: warm,
			tree: `
bizppurio.send internal unset outcome=accepted attempts=1 result_code=1000 source=cache
  POST /v3/message client unset status_code=200`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=accepted",
		},
		{
			name: "accepted after a retry", before: warm,
			vendor: turns(status(503, `{"code":5004}`), fails(errUnsent), status(200, accepted)),
			tree: `
bizppurio.send internal unset outcome=accepted attempts=3 result_code=1000 source=cache
  POST /v3/message client error error.type=busy status_code=503
  POST /v3/message client error error.type=unreachable resend_count=1
  POST /v3/message client unset status_code=200 resend_count=2`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=accepted",
		},
		{
			name: "accepted with a new token", before: warm,
			vendor: turns(status(401, `{"code":3002}`), status(200, accepted)),
			tree: `
bizppurio.send internal unset outcome=accepted attempts=2 result_code=1000
  POST /v3/message client error error.type=refused status_code=401` + tokenTree + `
  POST /v3/message client unset status_code=200 resend_count=1`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=accepted",
		},
		{
			name: "token after a retry", vendor: status(200, accepted),
			token: turns(status(503, ""), status(200, `{"accesstoken":"t"}`)),
			tree: `
bizppurio.send internal unset outcome=accepted attempts=1 result_code=1000
  bizppurio.token internal unset outcome=accepted attempts=2
    POST /v1/token client error error.type=vendor_fault status_code=503
    POST /v1/token client unset status_code=200 resend_count=1
  POST /v3/message client unset status_code=200`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=accepted",
		},
		{
			name: "refused", vendor: status(400, `{"code":2000}`), before: warm,
			tree: `
bizppurio.send internal error error.type=refused outcome=rejected attempts=1 result_code=2000 source=cache
  POST /v3/message client error error.type=refused status_code=400`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=rejected,error.type=refused",
		},
		{
			name: "refused with status 200", vendor: status(200, `{"code":3014}`), before: warm,
			tree: `
bizppurio.send internal error error.type=refused outcome=rejected attempts=1 result_code=3014 source=cache
  POST /v3/message client unset status_code=200`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=rejected,error.type=refused",
		},
		{
			name: "refused credentials", token: status(401, `{"code":3007}`),
			tree: `
bizppurio.send internal error error.type=refused outcome=rejected attempts=0 result_code=3007
  bizppurio.token internal error error.type=refused outcome=rejected attempts=1 result_code=3007
    POST /v1/token client error error.type=refused status_code=401`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=rejected,error.type=refused",
		},
		{
			name: "invalid",
			send: func(ctx context.Context, c *bizppurio.Client) { _, _ = c.Send(ctx, send.Message{}) },
			tree: `
bizppurio.send internal error error.type=invalid outcome=rejected attempts=0`,
			metric: "bizppurio.channel=other,bizppurio.outcome=rejected,error.type=invalid",
		},
		{
			name: "closed",
			send: func(ctx context.Context, c *bizppurio.Client) {
				_ = c.Close()
				_, _ = c.Send(ctx, sms("r"))
			},
			tree: `
bizppurio.send internal error error.type=closed outcome=not_sent attempts=0`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=closed",
		},
		{
			name: "canceled before", send: within(-1),
			tree: `
bizppurio.send internal error error.type=canceled outcome=not_sent attempts=0`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=canceled",
		},
		{
			name: "canceled in the back-off", before: warm, vendor: status(503, `{"code":5004}`), send: func(ctx context.Context, c *bizppurio.Client) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Millisecond, cancel)
				_, _ = c.Send(ctx, sms("r"))
			},
			tree: `
bizppurio.send internal error error.type=canceled outcome=not_sent attempts=1 result_code=5004 source=cache
  POST /v3/message client error error.type=busy status_code=503`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=canceled",
		},
		{
			name: "outside the window", config: bizppurio.Config{AdWindow: send.Window{Open: time.Hour, Close: 2 * time.Hour}},
			send: func(ctx context.Context, c *bizppurio.Client) { _, _ = c.Send(ctx, ad) },
			tree: `
bizppurio.send internal error error.type=outside_window outcome=not_sent attempts=0`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=outside_window",
		},
		{
			name: "rate limited by the vendor", config: bizppurio.Config{Retry: once}, before: warm, vendor: status(429, `{"code":5002}`),
			tree: `
bizppurio.send internal error error.type=rate_limited outcome=not_sent attempts=1 result_code=5002 source=cache
  POST /v3/message client error error.type=rate_limited status_code=429`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=rate_limited",
		},
		{
			name: "rate limited here", config: bizppurio.Config{Rate: 0.1}, before: warm, send: within(time.Second),
			tree: `
bizppurio.send internal error error.type=rate_limited outcome=not_sent attempts=0`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=rate_limited",
		},
		{
			name: "circuit open", config: bizppurio.Config{Breaker: engine.Breaker{Failures: 1}}, vendor: status(502, "<html>"),
			before: func(ctx context.Context, c *bizppurio.Client) {
				_, _ = c.UploadImage(ctx, send.Upload{Name: "a.jpg", JPEG: bytes.NewReader(jpeg())})
			},
			tree: `
bizppurio.send internal error error.type=circuit_open outcome=not_sent attempts=0 source=cache`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=circuit_open",
		},
		{
			name: "pool timeout", before: warm, vendor: fails(&engine.Error{Phase: engine.Acquire, Unsent: true, Err: errors.New("full")}),
			tree: `
bizppurio.send internal error error.type=pool_timeout outcome=not_sent attempts=1 source=cache
  POST /v3/message client error error.type=pool_timeout`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=pool_timeout",
		},
		{
			name: "unreachable", before: warm, vendor: fails(errUnsent),
			tree: `
bizppurio.send internal error error.type=unreachable outcome=not_sent attempts=3 source=cache
  POST /v3/message client error error.type=unreachable
  POST /v3/message client error error.type=unreachable resend_count=1
  POST /v3/message client error error.type=unreachable resend_count=2`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=unreachable",
		},
		{
			name: "no token", token: fails(io.EOF),
			tree: `
bizppurio.send internal error error.type=token_unavailable outcome=not_sent attempts=0
  bizppurio.token internal error error.type=connection_lost outcome=unknown attempts=1
    POST /v1/token client error error.type=connection_lost`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=token_unavailable",
		},
		{
			name: "no token, a panic", token: func(*http.Request) (*http.Response, error) { panic("engine") },
			tree: `
bizppurio.send internal error error.type=token_unavailable outcome=not_sent attempts=0
  bizppurio.token internal error error.type=interrupted outcome=unknown attempts=1
    POST /v1/token client error error.type=interrupted`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=token_unavailable",
		},
		{
			name: "busy", config: bizppurio.Config{Retry: once}, before: warm, vendor: status(400, `{"code":3008}`),
			tree: `
bizppurio.send internal error error.type=busy outcome=not_sent attempts=1 result_code=3008 source=cache
  POST /v3/message client error error.type=busy status_code=400`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=not_sent,error.type=busy",
		},
		{
			name: "timeout", before: warm, vendor: hang,
			tree: `
bizppurio.send internal error error.type=timeout outcome=unknown attempts=1 source=cache
  POST /v3/message client error error.type=timeout`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=timeout",
		},
		{
			name: "connection lost", before: warm, vendor: fails(io.EOF),
			tree: `
bizppurio.send internal error error.type=connection_lost outcome=unknown attempts=1 source=cache
  POST /v3/message client error error.type=connection_lost`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=connection_lost",
		},
		{
			name: "bad response", before: warm, vendor: status(200, `<html>`),
			tree: `
bizppurio.send internal error error.type=bad_response outcome=unknown attempts=1 source=cache
  POST /v3/message client error error.type=bad_response status_code=200`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=bad_response",
		},
		{
			name: "vendor fault", before: warm, vendor: status(500, `{"code":9000}`),
			tree: `
bizppurio.send internal error error.type=vendor_fault outcome=unknown attempts=1 result_code=9000 source=cache
  POST /v3/message client error error.type=vendor_fault status_code=500`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=vendor_fault",
		},
		{
			name: "interrupted", before: warm, vendor: hang, send: within(time.Second),
			tree: `
bizppurio.send internal error error.type=interrupted outcome=unknown attempts=1 source=cache
  POST /v3/message client error error.type=interrupted`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=interrupted",
		},
		{
			name: "a panic", before: warm, vendor: func(*http.Request) (*http.Response, error) { panic("engine") },
			send: func(ctx context.Context, c *bizppurio.Client) {
				defer func() { _ = recover() }()
				_, _ = c.Send(ctx, sms("r"))
			},
			tree: `
bizppurio.send internal error error.type=interrupted outcome=unknown attempts=1 source=cache
  POST /v3/message client error error.type=interrupted`,
			metric: "bizppurio.channel=sms,bizppurio.outcome=unknown,error.type=interrupted",
		},
	}
}

// TestTelemetry_outcomes: for each outcome and reason the whole tree, every
// span ended, the status by the rules, and one point of the metric.
func TestTelemetry_outcomes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tt := range outcomes() {
		_, reason, _ := strings.Cut(tt.metric, "error.type=")
		seen[reason] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWitness()
				cfg := tt.config
				w.watch(&cfg)
				c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
					switch {
					case r.URL.Path != "/v1/token":
						return tt.vendor(r)
					case tt.token != nil:
						return tt.token(r)
					}
					return respond(r, 200, `{"accesstoken":"t"}`), nil
				})
				if tt.before != nil {
					tt.before(t.Context(), c)
				}
				if tt.send != nil {
					tt.send(t.Context(), c)
				} else {
					_, _ = c.Send(t.Context(), sms("r"))
				}
				synctest.Wait()
				if diff := cmp.Diff(strings.TrimPrefix(tt.tree, "\n")+"\n", w.tree()); diff != "" {
					t.Errorf("trace differs (-want +got):\n%s", diff)
				}
				w.wantClosed(t)
				if diff := cmp.Diff([]string{tt.metric + " 1"}, points(w.metric(t, "bizppurio.send.duration"))); diff != "" {
					t.Errorf("bizppurio.send.duration differs (-want +got):\n%s", diff)
				}
				if lines := w.log.from(-4); !strings.Contains(lines[len(lines)-1], `msg="bizppurio: send" channel=`) {
					t.Errorf("last line of the log = %s, want that of the send", lines[len(lines)-1])
				}
			})
		})
	}
	for _, r := range reasons() {
		if !seen[r] {
			t.Errorf("no row for the reason %s", r)
		}
	}
}

// TestTelemetry_calls: the other calls have the same shape of tree.
func TestTelemetry_calls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for path, name := range map[string]string{
			"/v2/file": "upload", "/v2/report": "report", "/v1/result/request": "poll", "/v1/result/confirm": "confirm", "": "warm",
		} {
			w := newWitness()
			cfg := bizppurio.Config{}
			w.watch(&cfg)
			c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == "/v1/token" {
					return respond(r, 200, `{"accesstoken":"t"}`), nil
				}
				return respond(r, 200, `{"code":1000,"filekey":"f","report":[]}`), nil
			})
			if err := everyCall(t.Context(), c)[name](); err != nil {
				t.Errorf("%s = %v, want nil", name, err)
			}
			want := "bizppurio." + name + " internal unset outcome=accepted attempts=1 result_code=1000" + tokenTree + "\n  POST " + path + " client unset status_code=200\n"
			if path == "" {
				want = "bizppurio.warm internal unset outcome=accepted attempts=0" + tokenTree + "\n"
			}
			if diff := cmp.Diff(want, w.tree()); diff != "" {
				t.Errorf("%s: trace differs (-want +got):\n%s", name, diff)
			}
			w.wantClosed(t)
		}
	})
}

// everyCall lists all calls of a client.
func everyCall(ctx context.Context, c *bizppurio.Client) map[string]func() error {
	return map[string]func() error{
		"send": func() error {
			_, err := c.Send(ctx, sms("r"))
			return err
		},
		"upload": func() error {
			_, err := c.UploadImage(ctx, send.Upload{Name: "사진.jpg", JPEG: strings.NewReader(string(jpeg()))})
			return err
		},
		"poll": func() error {
			_, err := c.Poll(ctx)
			return err
		},
		"confirm": func() error { return c.Confirm(ctx, []string{"m"}) },
		"report":  func() error { return c.RequestReport(ctx, "260429185700123#sms027420abcdefgh") },
		"warm":    func() error { return c.Warm(ctx) },
	}
}

// TestTelemetry_shared: one of two callers fetches the token, the other waits
// for it; and a refresh ahead of time is a trace of its own.
func TestTelemetry_shared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		cfg := bizppurio.Config{}
		w.watch(&cfg)
		c := stubbed(t, cfg, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != "/v1/token" {
				return respond(r, 200, accepted), nil
			}
			advance(time.Second)
			return respond(r, 200, `{"accesstoken":"t","expired":"`+time.Now().Add(2*time.Hour).In(time.FixedZone("", 9*3600)).Format("20060102150405")+`"}`), nil
		})
		go func() { _, _ = c.Send(t.Context(), sms("a")) }()
		synctest.Wait()
		_, _ = c.Send(t.Context(), sms("b"))
		synctest.Wait()
		want := `bizppurio.send internal unset outcome=accepted attempts=1 result_code=1000 source=shared
  POST /v3/message client unset status_code=200
`
		if diff := cmp.Diff(want, w.tree()); diff != "" {
			t.Errorf("trace of who waited differs (-want +got):\n%s", diff)
		}

		advance(115 * time.Minute)
		_, _ = c.Send(t.Context(), sms("c"))
		advance(2 * time.Second)
		if got := w.tree(); got != strings.ReplaceAll(strings.TrimPrefix(tokenTree, "\n  "), "\n  ", "\n")+"\n" {
			t.Errorf("trace of the refresh:\n%s", got)
		}
		var sent, refresh int
		for _, s := range w.spans.Ended() {
			switch {
			case s.Name() == "bizppurio.token" && !s.Parent().IsValid():
				refresh++
				if l := s.Links(); len(l) != 1 || !l[0].SpanContext.IsValid() {
					t.Errorf("links of the refresh = %v, want the send that caused it", l)
				}
			case s.Name() == "bizppurio.send":
				sent++
			}
		}
		if sent != 3 || refresh != 1 {
			t.Errorf("%d sends and %d refreshes, want 3 and 1", sent, refresh)
		}
		w.wantClosed(t)
		if got := points(w.metric(t, "bizppurio.token.refresh.duration")); len(got) != 1 || got[0] != " 2" {
			t.Errorf("token fetches = %q, want 2 without an error", got)
		}
	})
}

// TestTelemetry_buckets: durations have the buckets of the conventions, a
// send 15 and 30 s besides.
func TestTelemetry_buckets(t *testing.T) {
	t.Parallel()
	w := newWitness()
	c := instant(t, w.watch)
	_ = c.Close()
	want := []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	for name, bounds := range map[string][]float64{
		"http.client.request.duration": want, "bizppurio.token.refresh.duration": want,
		"bizppurio.send.duration": append(slices.Clip(want), 15, 30),
	} {
		h, _ := w.metric(t, name).(metricdata.Histogram[float64])
		if len(h.DataPoints) == 0 {
			t.Errorf("%s has no points", name)
			continue
		}
		if diff := cmp.Diff(bounds, h.DataPoints[0].Bounds); diff != "" {
			t.Errorf("buckets of %s differ (-want +got):\n%s", name, diff)
		}
	}
}
