package main

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

// Limits of what the program remembers.
const (
	maxRows     = 500   // of a session; the oldest goes first
	maxSessions = 1_000 // the one that was silent longest goes first
)

// board knows what became of the messages of each session, in this process's
// memory only. It is safe for concurrent use.
type board struct {
	publish func(topic string, data []byte) // must not wait: it is called in the order of the changes

	mu       sync.Mutex
	sessions map[string]*history
	owners   map[string]*history // by RefKey
}

// history is what a session has seen. All fields are guarded by board.mu.
type history struct {
	session string
	rev     int // number of the last change
	used    time.Time
	rows    []*row // the oldest first
}

func newBoard(publish func(topic string, data []byte)) *board {
	return &board{publish: publish, sessions: map[string]*history{}, owners: map[string]*history{}}
}

// add puts a new row on the board of the session.
func (b *board) add(session string, r row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.sessions[session]
	if h == nil {
		h = &history{session: session}
		b.sessions[session] = h
	}
	h.used = time.Now()
	h.rows = append(h.rows, &r)
	b.owners[r.ID] = h
	if len(h.rows) > maxRows {
		delete(b.owners, h.rows[0].ID)
		h.rows = h.rows[1:]
	}
	if len(b.sessions) > maxSessions {
		b.forgetOne()
	}
	b.tell(h, &r)
}

// change lets f change the row of a RefKey, and tells its session. Rows that
// are not there any more are left alone.
func (b *board) change(refKey string, f func(*row)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.owners[refKey]
	if h == nil {
		return
	}
	for _, r := range h.rows {
		if r.ID == refKey {
			f(r)
			b.tell(h, r)
			return
		}
	}
}

// tell numbers the change and publishes the whole row. The caller holds mu.
// So the numbers arrive in order, and the page can prove that none is missing.
func (b *board) tell(h *history, r *row) {
	h.rev++
	r.Rev = h.rev
	data, err := json.Marshal(r)
	if err != nil {
		return // cannot be: strings and numbers only
	}
	b.publish(h.session, data)
}

// rows returns copies of the session's rows, the oldest first.
func (b *board) rows(session string) []row {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows := []row{} // not null in JSON
	if h := b.sessions[session]; h != nil {
		for _, r := range h.rows {
			rows = append(rows, *r)
		}
	}
	return rows
}

// forgetOne drops the session that has not sent for longest. The caller holds
// mu.
func (b *board) forgetOne() {
	var oldest *history
	for _, h := range b.sessions {
		if oldest == nil || h.used.Before(oldest.used) {
			oldest = h
		}
	}
	for _, r := range oldest.rows {
		delete(b.owners, r.ID)
	}
	delete(b.sessions, oldest.session)
}

// reported enters a report that tracker then judges together with the others
// of its message. One lock over both: a later judgement is never overwritten
// by an earlier one.
func (b *board) reported(tracker *report.Tracker, rep report.Report, now time.Time) {
	b.change(rep.RefKey, func(r *row) {
		if all, known := tracker.Add(rep); known {
			r.report(rep, all, now)
		}
	})
}
