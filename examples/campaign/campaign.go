package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// campaign sends the rows of a list that may be sent. It is the [send.Sender]
// of its own batch, so that an outcome is written down as soon as it is known,
// whatever the batch waits for.
type campaign struct {
	list     *list
	book     *journal
	client   *bizppurio.Client
	parallel int
	ad       bool
	stderr   io.Writer

	progress *progress
	halt     context.CancelCauseFunc // nothing more is begun

	mu    sync.Mutex
	pause time.Time // nothing is begun before
	why   send.Reason
}

// patience is the longest pause that is waited for.
const patience = 5 * time.Minute

// run sends until all is sent, something forbids to go on or signals ends, and
// then waits for what is on the wire: no outcome is lost. giveBack gives the
// signals back, so that a second one ends the program at once.
func (c *campaign) run(signals context.Context, giveBack func()) error {
	c.progress = newProgress(c.stderr, c.plan)
	for _, r := range c.list.rows {
		if r.bad == nil {
			c.progress.expect(c.book, r.id)
		}
	}
	c.progress.start()
	sends := context.WithoutCancel(signals) // ending them would make outcomes unknown
	ctx, halt := context.WithCancelCause(sends)
	defer halt(nil)
	c.halt = halt
	defer context.AfterFunc(signals, func() {
		giveBack()
		halt(errStopped)
		c.progress.say("stopping: waiting for what is on the wire; once more ends the program at once, which leaves that unknown")
		_ = c.client.Close() // what waits comes back as not sent, what is on the wire runs to its end
	})()
	results := send.All(sends, c, c.messages(ctx), send.Batch{Parallel: c.parallel})
	for range results { //nolint:errcheck // Send has seen to it
	}
	c.progress.finish()
	return context.Cause(ctx)
}

// messages yields what may be sent. Its RefKey is in the journal before.
func (c *campaign) messages(ctx context.Context) iter.Seq[send.Message] {
	return func(yield func(send.Message) bool) {
		for _, r := range c.list.rows {
			if r.bad != nil || !c.book.may(r.id) {
				continue
			}
			if !c.ready(ctx) {
				return
			}
			m := r.message
			if m.RefKey == "" {
				if m.RefKey = c.book.of(r.id).RefKey; m.RefKey == "" {
					m.RefKey = send.NewRefKey()
				}
			}
			if err := c.book.begin(r.id, m.RefKey); err != nil {
				c.halt(fmt.Errorf("journal: %w", err))
				return
			}
			if !yield(m) {
				return
			}
		}
	}
}

// ready waits while there is a pause. It is false when nothing more shall be
// begun.
func (c *campaign) ready(ctx context.Context) bool {
	for ctx.Err() == nil {
		c.mu.Lock()
		pause, why := c.pause, c.why
		c.mu.Unlock()
		d := time.Until(pause)
		if d <= 0 {
			return true
		}
		if d > time.Second {
			c.progress.say(fmt.Sprintf("paused until %s: %s", pause.Format(time.TimeOnly), why))
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return false
}

// Send sends a message, writes down what became of it, and draws the
// conclusions. It is called by many at once.
func (c *campaign) Send(ctx context.Context, m send.Message) (send.Receipt, error) {
	r, err := c.client.Send(ctx, m)
	outcome, failed := c.book.end(m.RefKey, r, err)
	c.progress.add(outcome)
	var e *send.Error
	asked := errors.As(err, &e) && e.Outcome == send.NotSent && e.Reason != send.OutsideWindow && e.RetryAfter > 0
	switch {
	case failed != nil:
		c.halt(fmt.Errorf("journal: %w", failed))
	case send.AccountRefused(err):
		c.halt(fmt.Errorf("the account was refused, so nothing more is sent: %w", err))
	case asked && e.RetryAfter > patience:
		c.halt(fmt.Errorf("%w: nothing can be sent before %s; run the same command again then",
			e.Reason, time.Now().Add(e.RetryAfter).Format(time.DateTime)))
	case asked:
		c.hold(time.Now().Add(e.RetryAfter), e.Reason)
	}
	return r, err
}

// hold begins a pause, or makes it longer.
func (c *campaign) hold(until time.Time, why send.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.pause) {
		c.pause, c.why = until, why
	}
}

// plan says how fast it goes and, for advertisements, how many can still be
// sent.
func (c *campaign) plan() (perSecond float64, room int) {
	if !c.ad {
		_, perSecond = c.client.Capacity(time.Now())
		return perSecond, -1
	}
	room, perSecond = c.client.Capacity(time.Time{})
	return perSecond, room
}
