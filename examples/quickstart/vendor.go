package main

import (
	"errors"
	"os"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// target is the real vendor where the environment names an account, else the
// simulation.
func target() (cfg bizppurio.Config, to string, vendor *bizppuriotest.Server, err error) {
	if os.Getenv("BIZPPURIO_ACCOUNT") != "" {
		if to = os.Getenv("BIZPPURIO_TO"); to == "" {
			return cfg, "", nil, errors.New("BIZPPURIO_TO: set it to the number that shall get the messages")
		}
		cfg, err = bizppurio.ConfigFromEnv()
		return cfg, to, nil, err
	}
	vendor, err = bizppuriotest.Start()
	if err != nil {
		return cfg, "", nil, err
	}
	return bizppurio.Config{
		Account: vendor.Account(), Password: vendor.Password(), From: "02-1234-5678",
		BaseURL: vendor.URL(), Pool: engine.Config{TLS: vendor.TLSConfig()},
	}, "010-1234-5678", vendor, nil
}
