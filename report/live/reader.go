package live

import (
	"sync/atomic"
	"time"
)

// queue is how far a reader may fall behind, in bytes, the next event and what
// it asked to get again not counted. They are shared with the topic's other
// readers, so this bounds what slow readers pin for each topic.
const queue = 8 << 20

// The states of a reader on a hijacked connection. Whoever moves it from idle
// to busy is the only one that writes to it, and moves pos.
const (
	idle int32 = iota
	busy
)

// reader is one connection. At rest it is this struct and the connection: no
// goroutine, no buffer.
type reader struct {
	hub   *Hub
	out   outlet
	wake  chan struct{} // nil on a hijacked connection, else its handler waits here
	pos   atomic.Pointer[link]
	asked int64 // what came before this place was asked for, or not given
	state atomic.Int32

	// Guarded by Hub.mu.
	group *group // nil once it left
	place int    // in group.readers
	slot  int    // in the shard's wheel
	seat  int    // in that slot
}

// behind is how much waits for the reader up to end, as [queue] counts.
func (r *reader) behind(end int64) int64 {
	pos := r.pos.Load()
	if next := pos.event.Load(); next != nil {
		pos = next.next
	}
	return end - max(pos.at, r.asked)
}

// run writes b, then all events there are, and lets go of the reader. Each
// write may wait, up to the hub's WriteTimeout: it runs on a goroutine of its
// own. The caller has moved the reader from idle to busy.
func (r *reader) run(b []byte) {
	var more batch
	for {
		if len(b) > 0 && r.out.write(b, r.hub.deadline()) != nil {
			r.hub.leave(r)
			r.out.abort()
			return
		}
		closing := r.hub.closing() // asked first: then nothing comes after the tail
		pos := r.pos.Load()
		next, to, _ := more.after(pos)
		if to != pos {
			r.pos.Store(to)
			b = next
			continue
		}
		if closing {
			r.hub.leave(r)
			late := time.AfterFunc(time.Until(r.hub.deadline()), r.out.abort) // TLS gives its farewell 5 s
			r.out.close()
			late.Stop()
			return
		}
		b = nil
		more.forget()
		// An event that comes now finds either an idle reader or, below, us.
		r.state.Store(idle)
		if !r.pending() || !r.state.CompareAndSwap(idle, busy) {
			return
		}
	}
}

// pending reports whether an idle reader has anything to do.
func (r *reader) pending() bool {
	return r.hub.closing() || r.pos.Load().event.Load() != nil
}

// batchSize is how many bytes of small events one write carries.
const batchSize = 32 << 10

// batch joins small events that wait for the same reader, so that a burst
// costs a reader one write instead of one for each event. Readers at the same
// place get the same bytes. The zero value is ready.
type batch struct {
	buf      []byte
	from, to *link
}

// after returns the bytes that follow pos and the place behind them: pos itself
// if there is nothing. Lent means that the bytes are the batch's and last until
// its next call; else they are the event's and never change.
func (b *batch) after(pos *link) (wire []byte, to *link, lent bool) {
	if pos == b.from {
		return b.buf, b.to, true
	}
	first := pos.event.Load()
	if first == nil {
		return nil, pos, false
	}
	second := first.next.event.Load()
	if second == nil || len(first.wire)+len(second.wire) > batchSize {
		return first.wire, first.next, false
	}
	if b.buf == nil {
		b.buf = make([]byte, 0, batchSize)
	}
	b.buf = b.buf[:0]
	b.from, b.to = pos, pos
	for e := first; e != nil && len(b.buf)+len(e.wire) <= batchSize; e = e.next.event.Load() {
		b.buf = append(b.buf, e.wire...)
		b.to = e.next
	}
	return b.buf, b.to, true
}

// forget lets go of the chain: a link holds all events after it.
func (b *batch) forget() { b.from, b.to = nil, nil }
