package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// latency times sends one after another, a bare one and one of ours in turn,
// each on a connection that is open.
func latency(ctx context.Context, s sizes) ([]row, error) {
	var theirs, ours []time.Duration
	counted, err := during(ctx, far, func(v *vendor) error {
		bodies, err := v.bodies(s.pairs)
		if err != nil {
			return err
		}
		b := newBare(v, 0)
		defer b.close()
		c, err := newClient(v, engine.Config{}, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		if err := errors.Join(b.login(ctx, v), c.Warm(ctx)); err != nil {
			return err
		}
		for _, body := range bodies {
			begun := time.Now()
			if err := b.send(ctx, body); err != nil {
				return err
			}
			between := time.Now()
			if _, err := c.Send(ctx, message()); err != nil {
				return err
			}
			theirs, ours = append(theirs, between.Sub(begun)), append(ours, time.Since(between))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	reference, p50 := median(theirs), median(ours)
	return []row{{
		what:    "p50 of a send, RTT 10 ms + 18 ms service",
		against: "bare exchange, connection reused", reference: millis(reference), ours: millis(p50),
		ratio: over(p50, reference), target: "≤ 1.03", published: "35.5 ms, 1.27 × 28 ms",
	}}, counted.check(2 * s.pairs)
}
