// Simulator runs the vendor's simulation as a program, for clients in any
// language. It listens on loopback until it is interrupted.
//
//	go run ./examples/simulator -addr 127.0.0.1:8443 -cert /tmp/vendor.pem
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", "127.0.0.1:8443", "loopback address to listen on")
	account := flag.String("account", "acct01", "account that is taken")
	password := flag.String("password", "simulator", "password that is taken")
	cert := flag.String("cert", "", "file to write the certificate of the simulator's own authority to")
	plain := flag.Bool("plain", false, "plain HTTP, for programs that cannot be given a certificate")
	webhook := flag.String("webhook", "", "URL that delivery reports are pushed to; empty: they wait to be polled")
	rtt := flag.Duration("rtt", 0, "simulated round trip")
	service := flag.Duration("service", 0, "simulated time to serve a request")
	limit := flag.Int("limit", 0, "calls a second before 429; 0: no limit")
	chaos := flag.Float64("chaos", 0, "probability that a send meets a fault, 0 to 1")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the faults")
	flag.Parse()

	options := []bizppuriotest.Option{
		bizppuriotest.WithAddr(*addr),
		bizppuriotest.WithAccount(*account, *password),
		bizppuriotest.WithLatency(*rtt, *service),
	}
	if *plain {
		options = append(options, bizppuriotest.WithPlainHTTP())
	}
	if *webhook != "" {
		options = append(options, bizppuriotest.WithWebhook(*webhook))
	}
	if *limit > 0 {
		options = append(options, bizppuriotest.WithRateLimit(*limit, time.Second))
	}
	server, err := bizppuriotest.Start(options...)
	if err != nil {
		return err
	}
	defer server.Close()
	if *chaos > 0 {
		server.Chaos(*seed, *chaos)
	}
	if *cert != "" {
		if err := os.WriteFile(*cert, server.CertPEM(), 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("simulating the vendor at %s, account %s (seed %d)\n", server.URL(), *account, *seed)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	fmt.Printf("accepted %d messages over %d connections\n", server.TotalAccepted(), server.Conns())
	return nil
}
