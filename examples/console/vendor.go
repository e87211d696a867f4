package main

import (
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// account is a real one, from the environment.
type account struct {
	bizppurio.Config

	secret              string // of the report URL; "": no reports
	senderKey, template string // for Kakao's kinds; "": not offered
}

// vendor is whom the messages go to.
type vendor struct {
	client  *bizppurio.Client
	kinds   []kind
	reports bool                  // may arrive
	server  *bizppuriotest.Server // nil: the real one
}

// openVendor opens the real vendor where settings have an account, else a
// simulation that pushes its reports to webhook.
func openVendor(s settings, webhook string) (*vendor, error) {
	if s.real != nil {
		client, err := bizppurio.New(s.real.Config)
		if err != nil {
			return nil, err
		}
		return &vendor{client: client, kinds: kindsOf(s.real.senderKey, s.real.template, false), reports: s.real.secret != ""}, nil
	}
	server, err := bizppuriotest.Start(
		bizppuriotest.WithWebhook(webhook),
		bizppuriotest.WithReportDelay(s.reportDelay),
		bizppuriotest.WithLatency(s.rtt, s.service),
	)
	if err != nil {
		return nil, err
	}
	client, err := bizppurio.New(bizppurio.Config{
		Account: server.Account(), Password: server.Password(), From: simulatedFrom,
		BaseURL:        server.URL(),
		Pool:           engine.Config{TLS: server.TLSConfig(), AcquireTimeout: 10 * time.Second}, // a burst may queue
		AttemptTimeout: s.attemptTimeout,
		AdWindow:       send.Window{Close: 24 * time.Hour}, // nobody is woken by a simulation
	})
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return &vendor{client: client, kinds: kindsOf(simulatedSenderKey, simulatedTemplate, true), reports: true, server: server}, nil
}

// close ends the simulation. The client is closed before.
func (v *vendor) close() error {
	if v.server == nil {
		return nil
	}
	return v.server.Close()
}
