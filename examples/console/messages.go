package main

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// Limits of what one person can start.
const (
	maxOrder   = 32 << 10 // bytes of a request
	maxTo      = 20       // bytes of a number
	maxSending = 256      // sends under way, all sessions together
	maxBurst   = 50       // messages of one request in the simulation
)

// order is what the form posts.
type order struct {
	Kind  string `json:"kind"`
	To    string `json:"to"`
	Text  string `json:"text"`
	Count int    `json:"count"` // 0 means 1
}

// maxCount is one where each message costs money.
func (c *console) maxCount() int {
	if c.offer.simulated {
		return maxBurst
	}
	return 1
}

// serveMessages starts the sends and answers at once: what becomes of them is
// told by events.
func (c *console) serveMessages(w http.ResponseWriter, r *http.Request) {
	session, err := sessionOf(r)
	if err != nil {
		refuse(w, http.StatusForbidden, "session")
		return
	}
	// A form of another site cannot send JSON without being asked first.
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "order")
		return
	}
	var o order
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOrder))
	body.DisallowUnknownFields()
	if err := body.Decode(&o); err != nil {
		refuse(w, http.StatusBadRequest, "order")
		return
	}
	o.Count = max(o.Count, 1)
	i := slices.IndexFunc(c.offer.kinds, func(k kind) bool { return k.Name == o.Kind })
	if i < 0 || o.Count > c.maxCount() || len(o.To) > maxTo {
		refuse(w, http.StatusBadRequest, "order")
		return
	}
	if !c.reserve(o.Count) {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "busy")
		return
	}
	ids := make([]string, o.Count)
	for n := range ids {
		ids[n] = send.NewRefKey()
		c.start(context.WithoutCancel(r.Context()), session, c.offer.kinds[i], o, ids[n])
	}
	answer(w, http.StatusAccepted, map[string][]string{"ids": ids})
}

// reserve takes n places, or none.
func (c *console) reserve(n int) bool {
	for taken := range n {
		select {
		case c.places <- struct{}{}:
		default:
			for range taken {
				<-c.places
			}
			return false
		}
	}
	return true
}

// start sends one message in the background. It is tracked before it leaves: a
// report may be faster than the answer. The answer to the page is out before
// the outcome is known, so ctx must not end with the request: the client bounds
// the send, and closing the client ends it.
func (c *console) start(ctx context.Context, session string, k kind, o order, refKey string) {
	m := k.message(o.To, refKey, o.Text)
	c.tracker.Begin(refKey, 1+len(m.Fallback))
	c.board.add(session, newRow(m, k, time.Now()))
	c.sending.Go(func() {
		defer func() { <-c.places }()
		begin := time.Now()
		receipt, err := c.sender.Send(ctx, m)
		took := time.Since(begin)
		if o := send.OutcomeOf(err); o == send.Rejected || o == send.NotSent {
			c.tracker.Forget(refKey) // nothing was taken, so nothing will be reported
		}
		c.board.change(refKey, func(r *row) { r.finish(receipt, err, took) })
	})
}
