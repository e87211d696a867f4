package report_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/go-bizppurio/sdk/report"
)

// Reports are counted once each, with attributes from closed sets; the delay
// only where it can be one.
func TestHandler_Meters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader := sdkmetric.NewManualReader()
		provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
		broken := true
		h := report.Handler(report.Config{MeterProvider: provider}, func(context.Context, report.Report) error {
			if broken {
				broken = false
				return errors.New("once")
			}
			return nil
		})
		now := time.Now()
		post := func(id, media, result string, sent time.Time) {
			unix := ""
			if !sent.IsZero() {
				unix = strconv.FormatInt(sent.Unix(), 10)
			}
			pushDirectly(h, fmt.Sprintf(`{"MSGID":%q,"MEDIA":%q,"RESULT":%q,"UNIXTIME":%q,"REFKEY":"order-canary-77","PHONE":"01098765432"}`, id, media, result, unix))
		}
		post("a", "SMS", "4100", now.Add(-3*time.Second)) // fails, not counted
		post("a", "SMS", "4100", now.Add(-3*time.Second))
		post("a", "SMS", "4100", now.Add(-3*time.Second)) // duplicate
		post("b", "sms", "4100", now.Add(-40*time.Second))
		post("c", "SMS", "4410", time.Time{})
		post("d", canaryNumber, "4100", now.Add(time.Hour))            // from the future
		post("e", canaryNumber, "4100", now.Add(-36*24*time.Hour))     // too old
		post("f", "KAT", "7305", now.Add(-35*24*time.Hour))            // just sane
		post("g", "NEW", "1", time.Unix(1, 0))                         // 1970
		pushDirectly(h, `{"code":1000,"report":[]}`)                   // no report
		pushDirectly(h, `{"hello":"`+canaryNumber+`","world":"4100"}`) // no report

		var data metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		if len(data.ScopeMetrics) != 1 || len(data.ScopeMetrics[0].Metrics) != 2 {
			t.Fatalf("metrics = %v, want two of one scope", data.ScopeMetrics)
		}
		set := func(channel, status string) attribute.Set {
			return attribute.NewSet(attribute.String("bizppurio.channel", channel), attribute.String("bizppurio.status", status))
		}
		for _, m := range data.ScopeMetrics[0].Metrics {
			switch m.Name {
			case "bizppurio.report.received":
				want := metricdata.Sum[int64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: []metricdata.DataPoint[int64]{
					{Attributes: set("sms", "delivered"), Value: 2},
					{Attributes: set("sms", "failed"), Value: 1},
					{Attributes: set("other", "delivered"), Value: 2},
					{Attributes: set("other", "failed"), Value: 1},
					{Attributes: set("kat", "uncertain"), Value: 1},
				}}
				metricdatatest.AssertAggregationsEqual(t, want, m.Data, metricdatatest.IgnoreTimestamp())
			case "bizppurio.report.delay":
				hist, ok := m.Data.(metricdata.Histogram[float64])
				if !ok || m.Unit != "s" {
					t.Fatalf("delay is %T in %q, want a histogram in s", m.Data, m.Unit)
				}
				got := map[string]string{}
				for _, p := range hist.DataPoints {
					channel, _ := p.Attributes.Value("bizppurio.channel")
					got[channel.AsString()] = fmt.Sprintf("%d in %g s", p.Count, p.Sum)
				}
				want := map[string]string{"sms": "2 in 43 s", "kat": "1 in 3.024e+06 s"}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("delays = %v, want %v", got, want)
				}
			default:
				t.Errorf("metric %s", m.Name)
			}
		}
		if s := fmt.Sprint(data); strings.Contains(s, canaryNumber) || strings.Contains(s, canaryRefKey) {
			t.Error("metrics hold a number or a RefKey")
		}
	})
}

// brokenMeters cannot make instruments.
type brokenMeters struct{ noop.MeterProvider }

func (brokenMeters) Meter(string, ...metric.MeterOption) metric.Meter { return brokenMeter{} }

type brokenMeter struct{ noop.Meter }

func (brokenMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return nil, errors.New("no counters here")
}

// A meter provider that fails costs the metrics, not the reports.
func TestHandler_BrokenMeters(t *testing.T) {
	t.Parallel()
	h := report.Handler(report.Config{MeterProvider: brokenMeters{}}, func(context.Context, report.Report) error { return nil })
	if status := pushDirectly(h, pushBody); status != 200 {
		t.Errorf("status = %d, want 200", status)
	}
}
