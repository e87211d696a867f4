package main

import (
	"errors"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// target is the real vendor where the environment names an account, else the
// simulation, at a distance of 10 ms and with 18 ms to serve a request.
func target(o options) (cfg bizppurio.Config, vendor *bizppuriotest.Server, err error) {
	if o.account != "" {
		if cfg, err = bizppurio.ConfigFromEnv(); err == nil && cfg.From == "" {
			err = errors.New("BIZPPURIO_FROM: not set, and every message needs a sender number")
		}
	} else if vendor, err = bizppuriotest.Start(bizppuriotest.WithLatency(10*time.Millisecond, 18*time.Millisecond)); err == nil {
		cfg = bizppurio.Config{
			Account: vendor.Account(), Password: vendor.Password(), From: "02-1234-5678",
			BaseURL: vendor.URL(), Pool: engine.Config{TLS: vendor.TLSConfig()},
		}
	}
	cfg.Pool.MaxConns = o.parallel
	cfg.Rate = o.rate
	return cfg, vendor, err
}
