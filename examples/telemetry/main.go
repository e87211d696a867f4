// Telemetry shows what an operator sees of a client: traces as text on the
// standard output, or sent to an OTLP collector, and metrics for Prometheus.
// It talks to the simulated vendor, which misbehaves now and then.
//
//	go run . -for 1m &
//	curl -s http://127.0.0.1:9464/metrics
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9464", "address of the Prometheus endpoint /metrics")
	otlp := flag.String("otlp", "", "send the traces to this OTLP collector, such as http://127.0.0.1:4318, and print none")
	duration := flag.Duration("for", 5*time.Second, "how long to send")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *duration)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err == nil {
		err = run(ctx, os.Stdout, listener, *otlp)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run sends until ctx ends, and serves the metrics meanwhile.
func run(ctx context.Context, out io.Writer, listener net.Listener, otlp string) error {
	defer listener.Close()
	traces, err := tracing(ctx, out, otlp)
	if err != nil {
		return err
	}
	meters, err := metering(listener)
	if err != nil {
		return err
	}
	vendor, err := bizppuriotest.Start(bizppuriotest.WithLatency(time.Millisecond, 5*time.Millisecond))
	if err != nil {
		return err
	}
	client, err := bizppurio.New(bizppurio.Config{
		Account: vendor.Account(), Password: vendor.Password(), BaseURL: vendor.URL(), From: "02-1234-5678",
		Pool:           engine.Config{TLS: vendor.TLSConfig(), MaxConns: 4},
		TracerProvider: traces,
		MeterProvider:  meters,
	})
	if err != nil {
		return err
	}
	traffic(ctx, client)

	// Telemetry last: it still has to hear of the end of the others.
	ctx = context.WithoutCancel(ctx)
	return errors.Join(client.Close(), vendor.Close(), traces.Shutdown(ctx), meters.Shutdown(ctx))
}
