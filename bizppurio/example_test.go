package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// A campaign that waits while nothing can leave. The source runs on the
// goroutine of the loop, so the two share variables without a lock.
func ExampleClient_SendAll() {
	client, err := bizppurio.New(bizppurio.Config{
		Account: "account", Password: "password", From: "0212345678",
		Engine:  engine.Wrap(lateVendor()), // cannot be reached at first
		Retry:   engine.Retry{Attempts: 1},
		Breaker: engine.Breaker{Failures: 5, Cooldown: 50 * time.Millisecond},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ctx := context.Background()
	pending := make([]send.Message, 100)
	for i := range pending {
		pending[i] = send.Message{To: "010-1234-5678", Content: send.SMS{Text: "점검 안내"}}
	}

	accepted := 0
	var resume time.Time // nothing leaves before
	for len(pending) > 0 && ctx.Err() == nil {
		var later []send.Message
		pulled := 0
		source := func(yield func(send.Message) bool) {
			for _, m := range pending {
				if !waitUntil(ctx, resume) {
					return
				}
				pulled++
				if !yield(m) {
					return
				}
			}
		}
		for r, err := range client.SendAll(ctx, source, send.Batch{Parallel: 4}) {
			if err == nil {
				accepted++
			}
			if e, ok := errors.AsType[*send.Error](err); ok && e.Outcome == send.NotSent {
				later = append(later, pending[r.Index])
				resume = time.Now().Add(e.RetryAfter)
			}
		}
		pending = append(later, pending[pulled:]...)
	}
	fmt.Println(accepted, "accepted,", len(pending), "left")
	// Output: 100 accepted, 0 left
}

func waitUntil(ctx context.Context, t time.Time) bool {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func lateVendor() roundTrip {
	var calls atomic.Int32
	return func(r *http.Request) (*http.Response, error) {
		switch {
		case r.URL.Path == "/v1/token":
			return respond(r, 200, `{"accesstoken":"t"}`), nil
		case calls.Add(1) <= 20:
			return nil, &engine.Error{Phase: engine.Dial, Unsent: true, Err: errors.New("no route to host")}
		}
		return fine(r)
	}
}
