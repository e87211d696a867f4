package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// service names the program in traces and metrics.
func service() *resource.Resource {
	return resource.NewSchemaless(semconv.ServiceName("telemetry-example"))
}

// tracing sends spans to an OTLP collector, or prints them where none is
// named.
func tracing(ctx context.Context, out io.Writer, otlp string) (*sdktrace.TracerProvider, error) {
	if otlp == "" {
		return sdktrace.NewTracerProvider(sdktrace.WithResource(service()), sdktrace.WithSpanProcessor(newPrinter(out))), nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(otlp))
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(sdktrace.WithResource(service()), sdktrace.WithBatcher(exporter)), nil
}

// metering serves the metrics at /metrics until the listener is closed.
func metering(listener net.Listener) (*sdkmetric.MeterProvider, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	go server.Serve(listener) //nolint:errcheck // ends with the program
	return sdkmetric.NewMeterProvider(sdkmetric.WithResource(service()), sdkmetric.WithReader(exporter)), nil
}
