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
	confirmTime = 5 * time.Second  // for a confirmation once ctx has ended
)

// ConsumeReports fetches delivery reports (전송결과 POLLING, spec 1.7) and
// gives them to handle one at a time, in order. What handle returned nil for
// is confirmed to Bizppurio after each batch, also when ctx ended meanwhile
// (it gets 5 seconds then); the rest comes again, and so does a batch whose
// confirmation was lost, and a report that shares its MessageID with one that
// was not taken: handle may see a report twice and should know it by its
// MessageID. Reports that nobody confirms are deleted after 3 days.
//
// It runs until ctx ends, and returns ctx.Err() then, or until the Client is
// closed or the vendor refuses the account for good, with a [*send.Error]. It
// pauses for 1 to 5 seconds after a batch that was not full, had a failure or
// could not be confirmed, and for up to 30 seconds while nothing gets through,
// or nothing but what was confirmed before, because frequent polling is
// blocked. That fetching or confirming fails, and that it works again, is a
// warning each to Config.Logger. One consumer per account is enough; polling
// must have been applied for at the vendor.
func (c *Client) ConsumeReports(ctx context.Context, handle func(context.Context, report.Report) error) error {
	switch {
	case ctx == nil || c == nil || c.engine == nil:
		l, _ := c.begin(ctx, opPoll, "")
		return l.error()
	case handle == nil:
		return invalid(&send.FieldError{Field: "handle", Problem: "required"}).error("")
	}
	consumer := consumer{client: c, handle: handle}
	pause := shortPause
	for {
		progress, idle, err := consumer.batch(ctx)
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
		limit := longPause
		if idle {
			limit = quietPause
		}
		pause = min(pause, limit-limit/10) // rest adds a tenth
		if err := c.rest(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// rest waits between batches, up to a tenth longer than d.
func (c *Client) rest(ctx context.Context, d time.Duration) error {
	l := &call{Context: ctx, client: c}
	err := sleep(l, d+rand.N(d/10+1)) //nolint:gosec // jitter
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
	someProgress          // something was confirmed that the last confirmation did not hold
	allOfMany             // and the batch was full, and all of it confirmed: ask for the next at once
)

// consumer is one run of ConsumeReports.
type consumer struct {
	client *Client
	handle func(context.Context, report.Report) error
	before map[string]struct{} // MSGIDs that were confirmed last

	polls, confirms bool // trouble with them was told
}

// batch polls once, handles and confirms. Its error ends the loop.
func (c *consumer) batch(ctx context.Context) (p progress, idle bool, err error) {
	batch, err := c.client.poll(ctx)
	c.client.logReports(ctx, "poll", &c.polls, err)
	if err != nil {
		if send.AccountRefused(err) || errors.Is(err, send.Closed) {
			return noProgress, false, err
		}
		return noProgress, false, nil
	}
	if len(batch) == 0 {
		return noProgress, true, nil
	}
	taken, all := c.take(ctx, batch)
	if len(taken) == 0 {
		return noProgress, false, nil
	}
	err = c.client.confirm(ctx, taken)
	c.client.logReports(ctx, "confirm", &c.confirms, err)
	if err != nil {
		if send.AccountRefused(err) {
			return noProgress, false, err
		}
		return noProgress, false, nil
	}
	switch news := c.remember(taken); {
	case !news:
		return noProgress, false, nil
	case all && len(batch) >= fullBatch:
		return allOfMany, false, nil
	}
	return someProgress, false, nil
}

// take hands a batch over until ctx ends. It returns the MSGIDs of which
// handle took every entry, each once, and whether these are all: a
// confirmation is by MSGID, and what it covers does not come again.
func (c *consumer) take(ctx context.Context, batch []report.Report) (taken []string, all bool) {
	open := make(map[string]int, len(batch)) // entries not taken
	for _, r := range batch {
		open[r.MessageID]++
	}
	for _, r := range batch {
		if ctx.Err() != nil {
			break
		}
		if c.handle(ctx, r) != nil || r.MessageID == "" {
			continue
		}
		if open[r.MessageID]--; open[r.MessageID] == 0 {
			taken = append(taken, r.MessageID)
		}
	}
	return taken, len(taken) == len(open)
}

// remember keeps what was confirmed, and reports whether any of it was not
// confirmed the last time: a vendor that hands out the same over and over is
// not to be polled without a pause.
func (c *consumer) remember(ids []string) (news bool) {
	confirmed := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		confirmed[id] = struct{}{}
		if _, known := c.before[id]; !known {
			news = true
		}
	}
	c.before = confirmed
	return news
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

// confirm acknowledges what handle took, also when ctx has ended or ends
// meanwhile: else all of it would come again. It has confirmTime from then on.
func (c *Client) confirm(ctx context.Context, ids []string) error {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(confirmTime, cancel) })()
	type entry struct {
		ID string `json:"msgid"`
	}
	for len(ids) > 0 {
		n := min(len(ids), fullBatch)
		entries := make([]entry, n)
		for i, id := range ids[:n] {
			entries[i] = entry{id}
		}
		if err := c.confirmSome(late, entries); err != nil {
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
