package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/report/live"
	"github.com/go-bizppurio/sdk/send"
)

// offer is what the page can ask for.
type offer struct {
	simulated bool
	kinds     []kind
}

// console ties the parts together:
//
//	POST /messages ─► sender ─► outcome ─┐
//	                                     ├► board ─► hub ─► GET /events
//	POST /reports/… ─► tracker ─► status ┘    └─► GET /state
type console struct {
	offer   offer
	sender  send.Sender
	secret  string // of the report URL; "": reports are not taken
	boot    string // tells the page that the program was started anew
	board   *board
	hub     *live.Hub
	tracker *report.Tracker

	places  chan struct{} // one for each send under way
	sending sync.WaitGroup
}

func newConsole(sender send.Sender, o offer, secret string) *console {
	hub := live.NewHub(live.Config{
		Topic:  sessionOf, // who has the session's cookie reads its topic, nobody else
		Replay: 4 * maxRows,
	})
	return &console{
		offer: o, sender: sender, secret: secret, boot: rand.Text(),
		board:   newBoard(func(topic string, data []byte) { hub.Publish(topic, "row", data) }),
		hub:     hub,
		tracker: report.NewTracker(report.TrackerConfig{Max: 50_000}),
		places:  make(chan struct{}, maxSending),
	}
}

// handler returns the routes for a server that listens on host.
func (c *console) handler(host string) http.Handler {
	page := http.NewServeMux()
	page.Handle("GET /", assets())
	page.Handle("GET /events", c.hub)
	page.HandleFunc("GET /state", c.serveState)
	page.HandleFunc("POST /messages", c.serveMessages)

	all := http.NewServeMux()
	all.Handle("/", guard(host, page))
	if c.secret != "" {
		// Reports come from a machine, not from the page: their secret guards them.
		all.Handle("POST /reports/{secret}", report.Handler(report.Config{Secret: c.secret}, c.reported))
	}
	return all
}

// reported takes a delivery report.
func (c *console) reported(_ context.Context, r report.Report) error {
	c.board.reported(c.tracker, r, time.Now())
	return nil
}

// state is what the page needs to draw itself from nothing.
type state struct {
	Boot      string `json:"boot"`
	Simulated bool   `json:"simulated"`
	Kinds     []kind `json:"kinds"`
	MaxCount  int    `json:"maxCount"`
	Rows      []row  `json:"rows"`
}

// serveState answers with everything the session has. The page asks for it
// after it has subscribed to the events, so that nothing falls in between.
func (c *console) serveState(w http.ResponseWriter, r *http.Request) {
	session, err := sessionOf(r)
	if err != nil {
		refuse(w, http.StatusForbidden, "session")
		return
	}
	answer(w, http.StatusOK, state{
		Boot: c.boot, Simulated: c.offer.simulated, Kinds: c.offer.kinds, MaxCount: c.maxCount(),
		Rows: c.board.rows(session),
	})
}

// close waits for the sends under way and ends the events. The sender is closed
// before, so that they end.
func (c *console) close() error {
	c.sending.Wait()
	return c.hub.Close()
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may be gone
}

// refuse answers with a word that the page has a sentence for.
func refuse(w http.ResponseWriter, status int, word string) {
	answer(w, status, map[string]string{"error": word})
}
