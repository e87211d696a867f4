package shop_test

import (
	"errors"
	"testing"
	"time"

	shop "example.com/consumer"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// calls counts what the shop did about a confirmation.
type calls struct{ later, parked int }

func confirm(t *testing.T, s send.Sender, to string) (calls, error) {
	t.Helper()
	var c calls
	err := (&shop.Shop{
		Sender: s,
		Later:  func(string, time.Duration) { c.later++ },
		Parked: func(string) { c.parked++ },
	}).Confirm(t.Context(), "order-1", to)
	return c, err
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		to      string
		want    calls
		refused bool
	}{
		"accepted": {to: "010-0000-0000"},
		"rejected": {to: "010-0000-2000", refused: true},
		"not sent": {to: "010-0000-5004", want: calls{later: 1}},
		"unknown":  {to: "010-0000-6001", want: calls{parked: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor := bizppuriotest.NewServer(t)
			client, err := bizppurio.New(bizppurio.Config{
				Account: vendor.Account(), Password: vendor.Password(), From: "0212345678",
				BaseURL: vendor.URL(), Pool: engine.Config{TLS: vendor.TLSConfig()}, Retry: engine.Retry{Attempts: 1},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := client.Close(); err != nil {
					t.Errorf("Close() = %v, want nil", err)
				}
			})
			for kind, sender := range map[string]send.Sender{"client": client, "fake": &bizppuriotest.Fake{}} {
				got, err := confirm(t, sender, test.to)
				if got != test.want || errors.Is(err, send.Refused) != test.refused {
					t.Errorf("Confirm with the %s = %+v, %v, want %+v, refused %v", kind, got, err, test.want, test.refused)
				}
			}
		})
	}
}

func TestOpen(t *testing.T) {
	t.Setenv("BIZPPURIO_ACCOUNT", "")
	t.Setenv("BIZPPURIO_PASSWORD", "")
	if _, _, err := shop.Open(); err == nil {
		t.Error("Open() without an account = nil, want an error")
	}
}
