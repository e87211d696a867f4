package bizppuriotest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// CheckEngine tells whether the engines that newEngine makes keep the
// contract of [engine.Engine] and the limits of the [engine.Config] that they
// are made with. It returns nil, or all broken rules joined, each named.
//
// It makes about a hundred engines, closes each, and speaks to them as
// servers of its own over TLS on loopback addresses; nothing else is reached.
// It takes some seconds, longer when rules are broken. ctx bounds the whole
// check, and may be used by other goroutines meanwhile.
//
// The rules, in short: one call puts at most one request on the wire, and
// changes, adds and follows nothing; an error that says NotSent() is true of
// a request of which the server saw nothing, whatever the cause of its context
// and the error of its body say about other requests, and one is returned
// wherever that is certain; the request's context ends the call and stays
// recognisable; an answer that is no HTTP is told from one that was cut off;
// connections are reused, never more than MaxConns, not after IdleTimeout, not
// after the server has ended them or spoken unasked; what an answer can make
// the engine store is bounded; after Close nothing is left.
func CheckEngine(ctx context.Context, newEngine func(engine.Config) engine.Engine) error {
	if newEngine == nil {
		return errors.New("bizppuriotest.CheckEngine: newEngine is nil")
	}
	return checkRules(ctx, newEngine, engineRules(), enginePatience)
}

// enginePatience is how long CheckEngine waits for what takes milliseconds.
const enginePatience = 10 * time.Second

func checkRules(ctx context.Context, newEngine func(engine.Config) engine.Engine, rules []engineRule, patience time.Duration) error {
	ca, err := newAuthority()
	if err != nil {
		return fmt.Errorf("bizppuriotest.CheckEngine: making a certificate: %w", err)
	}
	broken := make([]error, len(rules))
	seats := make(chan struct{}, 8) // rules wait more than they compute
	var wg sync.WaitGroup
	for i, rule := range rules {
		wg.Go(func() {
			seats <- struct{}{}
			defer func() { <-seats }()
			c := &engineCheck{rule: rule.name, ca: ca, newEngine: newEngine, patience: patience, said: map[string]bool{}}
			broken[i] = c.run(ctx, rule.try)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return errors.Join(errors.Join(broken...), fmt.Errorf("bizppuriotest.CheckEngine: not finished: %w", err))
	}
	return errors.Join(broken...)
}

// engineRule is one sentence of the contract and how it is tried.
type engineRule struct {
	name string
	try  func(*engineCheck)
}

// engineRules lists the contract. What a rule tries is in the file of its
// group.
func engineRules() []engineRule {
	return []engineRule{
		// checkengine_request.go
		{"one call, one request", (*engineCheck).oneRequest},
		{"follows, repeats and remembers nothing that an answer asks for", (*engineCheck).obeysNoAnswer},
		{"the request arrives unchanged", (*engineCheck).requestUnchanged},
		{"the request's body is closed", (*engineCheck).bodyClosed},
		{"a body that fails is no request", (*engineCheck).brokenBody},
		// checkengine_answer.go
		{"the answer arrives unchanged", (*engineCheck).answerUnchanged},
		{"a cut body is an error", (*engineCheck).cutBody},
		{"an answer that is no HTTP is malformed", (*engineCheck).malformedAnswer},
		{"the body comes while the context lives", (*engineCheck).slowBody},
		{"answers are not mixed up", (*engineCheck).notMixedUp},
		{"the header of an answer is bounded", (*engineCheck).endlessHeader},
		{"informational answers end", (*engineCheck).endlessInformation},
		{"the body of an answer is not stored without bound", (*engineCheck).endlessBody},
		// checkengine_unsent.go
		{"no connection: not sent", (*engineCheck).noConnection},
		{"no time, no engine: not sent", (*engineCheck).notBegun},
		{"TLS 1.2 or later, HTTP/1.1", (*engineCheck).versions},
		{"a proxy is spoken to below the request", (*engineCheck).proxied},
		{"an idle connection that ended carries nothing", (*engineCheck).idleEnds},
		{"an unasked-for answer answers nothing", (*engineCheck).unaskedAnswer},
		// checkengine_context.go
		{"the context ends the call", (*engineCheck).contextEnds},
		{"the context ends the body", (*engineCheck).contextEndsBody},
		// checkengine_pool.go
		{"connections are reused", (*engineCheck).reused},
		{"MaxConns", (*engineCheck).maxConns},
		{"MaxConns, many hosts", (*engineCheck).manyHosts},
		{"AcquireTimeout", (*engineCheck).acquireTimeout},
		{"IdleTimeout", (*engineCheck).idleTimeout},
		{"one failure leaves other connections alone", (*engineCheck).othersUnharmed},
		{"Close", (*engineCheck).closes},
		{"nothing is left after Close", (*engineCheck).nothingLeft},
		{"httptrace tells the truth", (*engineCheck).traced},
	}
}
