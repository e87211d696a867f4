package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// campaign sends the rows of a list that may be sent.
type campaign struct {
	list     *list
	book     *journal
	client   *bizppurio.Client
	parallel int
	ad       bool
	stderr   io.Writer

	pulled []row     // by Receipt.Index
	pause  time.Time // nothing is begun before
	halt   error     // nothing more is begun
}

// run sends until all is sent or ctx ends, and then waits for what is on the
// wire: no outcome is lost. stop gives the signals back, so that a second one
// ends the program at once.
func (c *campaign) run(ctx context.Context, stop func()) error {
	p := newProgress(c.stderr, c.plan)
	for _, r := range c.list.rows {
		if r.bad == nil {
			p.expect(c.book, r.line)
		}
	}
	p.start()
	defer context.AfterFunc(ctx, func() {
		stop()
		p.say("stopping: waiting for what is on the wire; once more ends the program at once, which leaves that unknown")
		_ = c.client.Close() // what waits comes back as not sent, what is on the wire runs to its end
	})()
	// The sends do not end with ctx: that would make outcomes unknown.
	batch := send.Batch{Parallel: c.parallel}
	for r, err := range c.client.SendAll(context.WithoutCancel(ctx), c.messages(ctx), batch) {
		p.add(c.settle(r, err))
	}
	p.finish()
	if c.halt == nil && ctx.Err() != nil {
		return errStopped
	}
	return c.halt
}

// messages yields what may be sent. Its RefKey is in the journal before.
func (c *campaign) messages(ctx context.Context) iter.Seq[send.Message] {
	return func(yield func(send.Message) bool) {
		for _, r := range c.list.rows {
			if r.bad != nil || !c.book.may(r.line) {
				continue
			}
			if !c.ready(ctx) {
				return
			}
			m := r.message
			if m.RefKey == "" {
				if m.RefKey = c.book.rows[r.line].RefKey; m.RefKey == "" {
					m.RefKey = send.NewRefKey()
				}
			}
			if err := c.book.begin(r.line, m.RefKey); err != nil {
				c.halt = fmt.Errorf("journal: %w", err)
				return
			}
			c.pulled = append(c.pulled, r)
			if !yield(m) {
				return
			}
		}
	}
}

// ready waits while the vendor has asked for a pause. It is false when nothing
// more shall be begun.
func (c *campaign) ready(ctx context.Context) bool {
	if d := time.Until(c.pause); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return c.halt == nil && ctx.Err() == nil
}

// settle writes an outcome down, and draws the conclusions.
func (c *campaign) settle(r send.Receipt, err error) entry {
	line := c.pulled[r.Index].line
	if failed := c.book.end(line, r, err); failed != nil {
		c.halt = fmt.Errorf("journal: %w", failed)
	}
	var e *send.Error
	switch {
	case send.AccountRefused(err):
		c.halt = fmt.Errorf("the account was refused, so nothing more is sent: %w", err)
	case errors.As(err, &e) && e.Outcome == send.NotSent && e.Reason != send.OutsideWindow && e.RetryAfter > 0:
		c.pause = time.Now().Add(e.RetryAfter)
	}
	return c.book.rows[line]
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
