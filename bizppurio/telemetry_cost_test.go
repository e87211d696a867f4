package bizppurio_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"go.opentelemetry.io/otel"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
)

// foreign is a tracer provider that does nothing, and does not say so by its
// type.
type foreign struct{ tracenoop.TracerProvider }

// instant makes a client whose engine answers at once.
func instant(tb testing.TB, change func(*bizppurio.Config)) *bizppurio.Client {
	tb.Helper()
	cfg := bizppurio.Config{Account: "acct01", Password: "pw", From: "0212345678"}
	cfg.Engine = engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v1/token" {
			return respond(r, 200, `{"accesstoken":"t","type":"Bearer"}`), nil
		}
		return respond(r, 200, `{"code":1000,"messagekey":"260429185700123#sms027420abcdefgh"}`), nil
	}))
	change(&cfg)
	c, err := bizppurio.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	if _, err := c.Send(tb.Context(), sms("r")); err != nil {
		tb.Fatal(err)
	}
	return c
}

// off is what telemetry costs nothing with: no-op providers are recognised.
func off(cfg *bizppurio.Config) {
	cfg.TracerProvider, cfg.MeterProvider = tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider()
}

// unset is the default: the providers of package otel, none of them set.
func unset(*bizppurio.Config) {}

// BenchmarkSend_Telemetry compares a send without telemetry with the default,
// a provider that does nothing, and the SDK with every span sampled.
func BenchmarkSend_Telemetry(b *testing.B) {
	for _, bb := range []struct {
		name   string
		change func(*bizppurio.Config)
	}{
		{"off", off},
		{"unset", unset},
		{"noop", func(cfg *bizppurio.Config) {
			cfg.TracerProvider, cfg.MeterProvider = foreign{}, metricnoop.NewMeterProvider()
		}},
		{"sdk", func(cfg *bizppurio.Config) {
			cfg.TracerProvider = sdktrace.NewTracerProvider()
			cfg.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			c, ctx, m := instant(b, bb.change), b.Context(), sms("r")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Send(ctx, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSend_unsetAllocations: where no provider is set, telemetry allocates
// nothing.
func TestSend_unsetAllocations(t *testing.T) { //nolint:paralleltest // counts allocations
	with, without := allocations(t, instant(t, unset)), allocations(t, instant(t, off))
	if with > without {
		t.Errorf("allocations of a send = %v, and %v without telemetry: want no more", with, without)
	}
}

// TestSend_providerSetLater: a client made before the application sets its
// providers uses them from then on. They are the process's, so the test runs
// in one of its own.
func TestSend_providerSetLater(t *testing.T) {
	t.Parallel()
	const own = "BIZPPURIO_TEST_OWN_PROCESS"
	if os.Getenv(own) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSend_providerSetLater$", "-test.count=1")
		cmd.Env = append(os.Environ(), own+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	w := newWitness()
	c := instant(t, unset)
	otel.SetTracerProvider(w.traces)
	otel.SetMeterProvider(w.meters)
	if _, err := c.Send(t.Context(), sms("r")); err != nil {
		t.Fatal(err)
	}
	want := "bizppurio.send internal unset outcome=accepted attempts=1 result_code=1000 source=cache\n  POST /v3/message client unset status_code=200\n"
	if got := w.tree(); got != want {
		t.Errorf("trace = %s, want %s", got, want)
	}
	if got := points(w.metric(t, "bizppurio.send.duration")); len(got) != 1 {
		t.Errorf("bizppurio.send.duration = %q, want one series", got)
	}
	if got := points(w.metric(t, "bizppurio.circuit_breaker.state")); len(got) != 3 {
		t.Errorf("bizppurio.circuit_breaker.state = %q, want three series", got)
	}
}

func allocations(t *testing.T, c *bizppurio.Client) float64 {
	t.Helper()
	ctx, m := t.Context(), sms("r")
	return testing.AllocsPerRun(1000, func() {
		if _, err := c.Send(ctx, m); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSend_unsetMemory is case 75: without an SDK nothing grows, neither what
// a send allocates nor what stays of it.
func TestSend_unsetMemory(t *testing.T) { //nolint:paralleltest // counts allocations
	c := instant(t, unset)
	first, held := allocations(t, c), heap()
	sends(t, c, 100_000)
	last, after := allocations(t, c), heap()
	if last > first+1 {
		t.Errorf("allocations of a send = %v at first and %v after 100,000, want no more", first, last)
	}
	if grown := int64(after) - int64(held); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes over 100,000 sends, want less than 1 MB", grown)
	}
}

func sends(t *testing.T, c *bizppurio.Client, n int) {
	t.Helper()
	ctx, m := context.WithoutCancel(t.Context()), sms("r")
	for range n {
		if _, err := c.Send(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
