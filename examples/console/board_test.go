package main

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"
)

// Whatever happens at once, the changes of a session are told in the order of
// their numbers, without a gap.
func TestBoardTellsInOrder(t *testing.T) {
	t.Parallel()
	const messages, changes = 100, 5
	var told []row // by publish, which the board calls one at a time
	b := newBoard(func(_ string, data []byte) {
		var r row
		if err := json.Unmarshal(data, &r); err != nil {
			t.Error(err)
		}
		told = append(told, r)
	})
	var all sync.WaitGroup
	for i := range messages {
		all.Go(func() {
			id := strconv.Itoa(i)
			b.add("s", row{ID: id})
			for range changes {
				b.change(id, func(r *row) { r.Attempts++ })
			}
		})
	}
	all.Wait()
	if len(told) != messages*(1+changes) {
		t.Fatalf("%d changes were told, want %d", len(told), messages*(1+changes))
	}
	for i, r := range told {
		if r.Rev != i+1 {
			t.Fatalf("change %d has number %d, want %d", i, r.Rev, i+1)
		}
	}
	for _, r := range b.rows("s") {
		if r.Attempts != changes {
			t.Errorf("row %s has %d changes, want %d", r.ID, r.Attempts, changes)
		}
	}
}

func TestBoardForgets(t *testing.T) {
	t.Parallel()
	b := newBoard(func(string, []byte) {})
	for i := range maxRows + 1 {
		b.add("first", row{ID: "first-" + strconv.Itoa(i)})
	}
	rows := b.rows("first")
	if len(rows) != maxRows || rows[0].ID != "first-1" {
		t.Errorf("rows = %d from %s, want %d from first-1", len(rows), rows[0].ID, maxRows)
	}
	b.change("first-0", func(*row) { t.Error("a forgotten row was changed") })
	for i := range maxSessions {
		b.add("s"+strconv.Itoa(i), row{ID: "s" + strconv.Itoa(i)})
	}
	if rows := b.rows("first"); len(rows) != 0 {
		t.Errorf("the session that was silent longest has %d rows, want 0", len(rows))
	}
	if len(b.sessions) != maxSessions || len(b.owners) != maxSessions {
		t.Errorf("board holds %d sessions and %d rows, want %d and %d", len(b.sessions), len(b.owners), maxSessions, maxSessions)
	}
}
