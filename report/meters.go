package report

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

const scope = "github.com/go-bizppurio/sdk/report"

// maxDelay is how long the vendor keeps a result (spec 1.1). What is older, or
// from the future, says more about a clock than about the delivery.
const maxDelay = 35 * 24 * time.Hour

// meters counts reports that were handed over, each once.
type meters struct {
	received metric.Int64Counter
	delay    metric.Float64Histogram
}

func newMeters(p metric.MeterProvider) meters {
	if p == nil {
		p = otel.GetMeterProvider()
	}
	m, err := instruments(p)
	if err != nil {
		otel.Handle(err)
		m, _ = instruments(noop.NewMeterProvider())
	}
	return m
}

func instruments(p metric.MeterProvider) (m meters, err error) {
	meter := p.Meter(scope)
	m.received, err = meter.Int64Counter("bizppurio.report.received",
		metric.WithUnit("{report}"),
		metric.WithDescription("Delivery reports handed over, without duplicates."))
	if err != nil {
		return meters{}, err
	}
	m.delay, err = meter.Float64Histogram("bizppurio.report.delay",
		metric.WithUnit("s"),
		metric.WithDescription("Time from sending a message to its delivery report."),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21600, 86400, 259200))
	return m, err
}

// record counts r. Both attributes come from closed sets.
func (m meters) record(ctx context.Context, r Report, arrived time.Time) {
	counted, timed := m.received.Enabled(ctx), m.delay.Enabled(ctx)
	if !counted && !timed {
		return
	}
	attributes := metric.WithAttributeSet(attribute.NewSet(
		attribute.String("bizppurio.channel", strings.ToLower(mediumLabel(r.Medium))),
		attribute.String("bizppurio.status", r.Status().String()),
	))
	if counted {
		m.received.Add(ctx, 1, attributes)
	}
	if delay := arrived.Sub(r.Time); timed && !r.Time.IsZero() && 0 <= delay && delay <= maxDelay {
		m.delay.Record(ctx, delay.Seconds(), attributes)
	}
}
