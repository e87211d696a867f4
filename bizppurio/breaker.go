package bizppurio

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	"github.com/go-bizppurio/sdk/token"
)

// breaker stops calls for a while when the vendor is ill. It sits around one
// attempt and never abandons it.
type breaker struct {
	which   string                                     // "send", "token" or "report"
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}] // nil: off
	log     *slog.Logger
	cool    time.Duration

	mu      sync.Mutex
	opened  time.Time
	changes [][2]gobreaker.State // from and to, not yet reported
}

func newBreaker(which string, cfg engine.Breaker, log *slog.Logger) *breaker {
	b := &breaker{which: which, log: log, cool: cfg.Cooldown}
	if cfg.Failures == math.MaxUint32 {
		return b
	}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         which,
		MaxRequests:  cfg.Probes,
		Timeout:      cfg.Cooldown,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= cfg.Failures },
		IsSuccessful: func(err error) bool { return err == nil },
		IsExcluded:   func(err error) bool { return errors.Is(err, errNeutral) },
		// Called under the circuit's lock: only noted here, told later.
		OnStateChange: func(_ string, from, to gobreaker.State) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if to == gobreaker.StateOpen {
				b.opened = time.Now()
			}
			b.changes = append(b.changes, [2]gobreaker.State{from, to})
		},
	})
	return b
}

// What an attempt tells the circuit.
var (
	errIll     = errors.New("the vendor is ill")
	errNeutral = errors.New("says nothing about the vendor")
)

// health says what a verdict tells about the vendor: an answer that refuses
// is a sign of health, whatever the caller did is none of either.
func health(v verdict) error {
	switch v.outcome {
	case send.Accepted, send.Rejected:
		return nil
	case send.NotSent, send.Unknown:
	}
	switch v.reason { //nolint:exhaustive // all others are neutral
	case send.Unreachable, send.Timeout, send.ConnectionLost, send.VendorFault:
		return errIll
	case send.RateLimited:
		return nil
	}
	return errNeutral
}

// guarded runs one exchange inside the breaker.
func (c *call) guarded(tok token.Token) verdict {
	b := c.client.breakerOf(c.op)
	if b.circuit == nil {
		return c.exchange(tok)
	}
	done, err := b.circuit.Allow()
	b.tell(c)
	if err != nil {
		v := notSent(send.CircuitOpen, errors.New("circuit breaker: "+b.which+" calls are stopped for now"))
		v.retryAfter = b.left()
		return v
	}
	// A probe whose end is never told would keep the circuit half-open for
	// ever: a panic or Goexit in an engine must not do that.
	outcome := errIll
	defer func() {
		done(outcome)
		b.tell(c)
	}()
	v := c.exchange(tok)
	outcome = health(v)
	return v
}

// state is 0 closed, 1 half-open, 2 open.
func (b *breaker) state() int64 {
	if b.circuit == nil {
		return 0
	}
	return int64(b.circuit.State())
}

// left is how long an open circuit stays open.
func (b *breaker) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Half-open and busy with its probes: soon, and never "now".
	return max(b.cool-time.Since(b.opened), min(b.cool, time.Second))
}

// tell logs the changes of state, outside every lock.
func (b *breaker) tell(ctx context.Context) {
	b.mu.Lock()
	changes := b.changes
	b.changes = nil
	b.mu.Unlock()
	for _, change := range changes {
		b.logChange(ctx, change[0], change[1])
	}
}
