package main

import (
	"context"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// recipients are numbers by which the simulated vendor decides what to do.
var recipients = []string{ //nolint:gochecknoglobals // constant
	"010-1234-5678", // accepted
	"010-0000-6009", // busy, and accepted at the second attempt
	"010-1234-5678",
	"010-0000-2000", // refused
	"010-1234-5678",
	"010-0000-6005", // read, and the connection is reset: nobody knows
	"010-1234-5678",
	"010-0000-9000", // an error inside the vendor
	"010-1234-5678",
	"010-0000",      // no number: refused here
	"010-0000-6011", // the token is revoked, and fetched once more
}

// text sends an SMS. What became of it is in the trace and in the metrics.
func text(ctx context.Context, client *bizppurio.Client, to string) {
	_, _ = client.Send(ctx, send.Message{To: to, Content: send.SMS{Text: "인증번호는 123456 입니다."}})
}

// traffic sends to them in turn until ctx ends, and four at once after each
// round.
func traffic(ctx context.Context, client *bizppurio.Client) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for {
		for _, to := range recipients {
			select {
			case <-ctx.Done():
				return
			case <-pace.C:
				text(context.WithoutCancel(ctx), client, to)
			}
		}
		var burst sync.WaitGroup
		for range 4 {
			burst.Go(func() { text(context.WithoutCancel(ctx), client, recipients[0]) })
		}
		burst.Wait()
	}
}
