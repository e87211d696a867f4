package main_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestNeverSentAgain holds the table "Never sent again" of README.md, row by
// row (cases 3, 4, 8, 15, 22, 24, 80): with three attempts allowed, the vendor
// sees one request.
func TestNeverSentAgain(t *testing.T) {
	t.Parallel()
	rows := []struct {
		row     string
		numbers []string // see the package comment of bizppuriotest
		want    send.Outcome
		config  func(*bizppurio.Config)
		cancel  bool // the caller gives up once the request has arrived
	}{
		{
			row: "no answer within AttemptTimeout", numbers: []string{"010-0000-6003", "010-0000-6006"}, want: send.Unknown,
			config: func(cfg *bizppurio.Config) { cfg.AttemptTimeout = 300 * time.Millisecond },
		},
		{
			row: "the connection broke once a byte may have left", want: send.Unknown,
			numbers: []string{"010-0000-6001", "010-0000-6002", "010-0000-6004", "010-0000-6005"},
		},
		{row: "your context ended once a byte may have left", numbers: []string{"010-0000-6003"}, want: send.Unknown, cancel: true},
		{row: "HTTP 5xx without a code of the vendor", numbers: []string{"010-0000-0500", "010-0000-0502", "010-0000-0503"}, want: send.Unknown},
		{
			row: "3011, 5003, 5005, 9000: an error inside the vendor", want: send.Unknown,
			numbers: []string{"010-0000-3011", "010-0000-5003", "010-0000-5005", "010-0000-9000"},
		},
		{row: "an answer that breaks off, or belongs to another message", numbers: []string{"010-0000-6007", "010-0000-6008"}, want: send.Unknown},
		{row: "a redirect", numbers: []string{"010-0000-0301", "010-0000-0307", "010-0000-0308"}, want: send.Unknown},
		{row: "a refusal", numbers: []string{"010-0000-2000", "010-0000-3014"}, want: send.Rejected},
	}
	readme := strings.Join(readmeLines(t, "README.md"), "\n")
	for _, test := range rows {
		if !strings.Contains(readme, "| "+test.row+" |") {
			t.Errorf("README.md has no row %q", test.row)
		}
		for _, to := range test.numbers {
			t.Run(test.row+"/"+to, func(t *testing.T) {
				t.Parallel()
				vendor := bizppuriotest.NewServer(t)
				cfg := bizppurio.Config{
					Account: vendor.Account(), Password: vendor.Password(), From: "0212345678",
					BaseURL: vendor.URL(), Pool: engine.Config{TLS: vendor.TLSConfig()},
					Retry: engine.Retry{Attempts: 3, MinWait: time.Millisecond, MaxWait: time.Millisecond},
				}
				if test.config != nil {
					test.config(&cfg)
				}
				client, err := bizppurio.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel {
					go func() {
						for vendor.Requests(bizppuriotest.PathMessage) == 0 && ctx.Err() == nil {
							wait := time.NewTimer(time.Millisecond)
							<-wait.C
						}
						cancel()
					}()
				}
				_, err = client.Send(ctx, send.Message{To: to, Content: send.SMS{Text: "한 번만"}})
				if got := send.OutcomeOf(err); got != test.want {
					t.Errorf("Send = %v, outcome %v, want %v", err, got, test.want)
				}
				if err := client.Close(); err != nil { // whatever would come later has come now
					t.Errorf("Close() = %v, want nil", err)
				}
				if n := vendor.Requests(bizppuriotest.PathMessage); n != 1 {
					t.Errorf("the vendor saw %d requests, want 1", n)
				}
			})
		}
	}
}
