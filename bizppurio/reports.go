package bizppurio

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
)

// RequestReport asks Bizppurio to push the delivery report of a message once
// more (결과 재요청, spec 1.6), at most 35 days after it was sent. The report
// comes to the webhook, not back from this call. It is of no use to accounts
// that poll. Its error is a [*send.Error].
func (c *Client) RequestReport(ctx context.Context, messageKey string) error {
	l, ok := c.begin(ctx, opReport, "")
	defer l.end()
	switch {
	case !ok:
	case messageKey == "":
		l.verdict = invalid(&send.FieldError{Field: "messageKey", Problem: "required"})
	default:
		l.post(struct {
			Account    string `json:"account"`
			MessageKey string `json:"messagekey"`
		}{c.cfg.Account, messageKey})
	}
	return l.error()
}

// post runs the call with a JSON body.
func (c *call) post(request any) {
	body, err := json.Marshal(request)
	if err != nil {
		c.verdict = invalid(hush("request cannot be encoded", err))
		return
	}
	c.body = body
	c.run()
}

const (
	fullBatch   = 1000             // entries of a poll and of a confirmation (spec 1.7, 1.8)
	shortPause  = time.Second      // after a batch that was not full
	quietPause  = 5 * time.Second  // the longest while there is merely nothing
	longPause   = 30 * time.Second // the longest while nothing gets through
	confirmTime = 5 * time.Second  // for the last confirmation after ctx ended
)

// ConsumeReports fetches delivery reports (전송결과 POLLING, spec 1.7) and
// gives them to handle one at a time, in order. What handle returned nil for
// is confirmed to Bizppurio after each batch; the rest comes again, and so
// does a batch whose confirmation was lost: handle may see a report twice and
// should know it by its MessageID. Reports that nobody confirms are deleted
// after 3 days.
//
// It runs until ctx ends, and returns ctx.Err() then, or until the Client is
// closed or the vendor refuses the account for good, with a [*send.Error]. It
// pauses for 1 to 5 seconds after a batch that was not full, had a failure or
// could not be confirmed, and for up to 30 seconds while nothing gets through,
// because frequent polling is blocked. One consumer per account is enough;
// polling must have been applied for at the vendor.
func (c *Client) ConsumeReports(ctx context.Context, handle func(context.Context, report.Report) error) error {
	switch {
	case ctx == nil || c == nil || c.engine == nil:
		l, _ := c.begin(ctx, opPoll, "")
		return l.error()
	case handle == nil:
		return invalid(&send.FieldError{Field: "handle", Problem: "required"}).error("")
	}
	pause := shortPause
	for {
		progress, idle, err := c.consumeBatch(ctx, handle)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case progress == allOfMany:
			pause = shortPause
			continue
		case progress == someProgress:
			pause = shortPause
		}
		if err := c.rest(ctx, pause); err != nil {
			return err
		}
		limit := longPause
		if idle {
			limit = quietPause
		}
		pause = min(pause*2, limit)
	}
}

// rest waits between batches, with jitter.
func (c *Client) rest(ctx context.Context, d time.Duration) error {
	l := &call{Context: ctx, client: c}
	err := sleep(l, d-rand.N(d/10+1)) //nolint:gosec // jitter
	l.stop()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return notSent(send.Closed, errClosed).error("")
	}
	return nil
}

type progress int

const (
	noProgress   progress = iota
	someProgress          // something was confirmed
	allOfMany             // a full batch, all of it confirmed: ask for the next at once
)

// consumeBatch polls once, handles and confirms. Its error ends the loop.
func (c *Client) consumeBatch(ctx context.Context, handle func(context.Context, report.Report) error) (p progress, idle bool, err error) {
	batch, err := c.poll(ctx)
	if err != nil {
		if send.AccountRefused(err) || errors.Is(err, send.Closed) {
			return noProgress, false, err
		}
		return noProgress, false, nil
	}
	if len(batch) == 0 {
		return noProgress, true, nil
	}
	var taken []string
	for _, r := range batch {
		if ctx.Err() != nil {
			break
		}
		if handle(ctx, r) == nil && r.MessageID != "" {
			taken = append(taken, r.MessageID)
		}
	}
	if len(taken) == 0 {
		return noProgress, false, nil
	}
	if err := c.confirm(ctx, taken); err != nil {
		if send.AccountRefused(err) {
			return noProgress, false, err
		}
		return noProgress, false, nil
	}
	if len(taken) == len(batch) && len(batch) >= fullBatch {
		return allOfMany, false, nil
	}
	return someProgress, false, nil
}

func (c *Client) poll(ctx context.Context) (batch []report.Report, err error) {
	l, ok := c.begin(ctx, opPoll, "")
	defer l.end()
	if ok {
		l.post(struct {
			Account string `json:"account"`
		}{c.cfg.Account})
	}
	if l.verdict.outcome == send.Accepted {
		if batch, err = report.Decode(l.verdict.body); err != nil {
			l.verdict.outcome, l.verdict.reason = send.Unknown, send.BadResponse
			l.verdict.err = hush("the reports cannot be read", err)
		}
	}
	return batch, l.error()
}

// confirm acknowledges what handle took, also when ctx has just ended: else
// all of it would come again.
func (c *Client) confirm(ctx context.Context, ids []string) error {
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
		defer cancel()
		ctx = late
	}
	type entry struct {
		ID string `json:"msgid"`
	}
	for len(ids) > 0 {
		n := min(len(ids), fullBatch)
		entries := make([]entry, n)
		for i, id := range ids[:n] {
			entries[i] = entry{id}
		}
		if err := c.confirmSome(ctx, entries); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

func (c *Client) confirmSome(ctx context.Context, entries any) error {
	l, ok := c.begin(ctx, opConfirm, "")
	defer l.end()
	if ok {
		l.post(struct {
			Account string `json:"account"`
			MsgID   any    `json:"msgid"`
		}{c.cfg.Account, entries})
	}
	return l.error()
}
