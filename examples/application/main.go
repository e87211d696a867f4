// Application is a small service that confirms orders by Alimtalk (알림톡).
// It depends on send.Sender, so that its unit test needs neither network nor
// account: see shop_test.go.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	log := slog.New(slog.NewTextHandler(os.Stdout, nil))
	cfg, err := bizppurio.ConfigFromEnv()
	if err != nil {
		return err
	}
	cfg.Logger = log
	client, err := bizppurio.New(cfg)
	if err != nil {
		return err
	}
	if err := client.Warm(ctx); err != nil {
		log.Warn("the first send will be slower", "error", err)
	}

	server := &http.Server{
		Addr: "127.0.0.1:8080", ReadHeaderTimeout: 5 * time.Second,
		Handler: &shop{sender: client, log: log, park: func(refKey string) { log.Warn("parked", "refkey", refKey) }},
	}
	go func() {
		<-ctx.Done()
		// Orders under way finish first, then the client lets go.
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		_ = server.Shutdown(late)
	}()
	log.Info("taking orders", "address", server.Addr)
	if err := server.ListenAndServe(); err != nil && err != http.ErrServerClosed {
		return err
	}
	return client.Close()
}
