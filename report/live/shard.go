package live

import (
	"bytes"
	"time"
)

// shard is one writer goroutine and its share of the readers. It gives a
// connection what that takes without waiting; where it would have to wait, the
// reader gets a goroutine of its own until it has caught up.
type shard struct {
	hub  *Hub
	wake chan struct{} // holds one: there is work

	// Guarded by Hub.mu.
	work  []*group
	beats wheel

	// The goroutine's own, kept between rounds.
	taken   []*group
	round   []*reader
	batch   batch
	attempt attempt
}

// enqueue asks for a round over g's readers. The caller holds Hub.mu.
func (s *shard) enqueue(g *group) {
	if g.queued {
		return
	}
	g.queued = true
	s.work = append(s.work, g)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run is the shard's goroutine.
func (s *shard) run() {
	beat := time.NewTicker(max(s.hub.heartbeat/spokes, time.Millisecond))
	defer beat.Stop()
	for spoke := 0; ; {
		select {
		case <-s.wake:
			s.deliver()
		case now := <-beat.C:
			s.hub.mu.Lock()
			s.hub.forget(now)
			s.round = append(s.round[:0], s.beats[spoke]...)
			s.hub.mu.Unlock()
			spoke = (spoke + 1) % spokes
			s.eachOf(s.beat)
		case <-s.hub.done:
			s.deliver()
			s.end()
			return
		}
	}
}

// deliver visits the readers of all topics that were published to.
func (s *shard) deliver() {
	s.hub.mu.Lock()
	s.taken, s.work = s.work, s.taken[:0]
	s.hub.mu.Unlock()
	for _, g := range s.taken {
		s.hub.mu.Lock()
		g.queued = false
		end := g.topic.tail.at
		s.round = append(s.round[:0], g.readers...)
		s.hub.mu.Unlock()
		s.eachOf(func(r *reader) { s.visit(r, end) })
	}
	clear(s.taken)
}

// eachOf calls f for the readers of a round and forgets them.
func (s *shard) eachOf(f func(*reader)) {
	for _, r := range s.round {
		f(r)
	}
	s.batch.forget()
	clear(s.round)
}

// visit gives r the events up to end. What is published later comes with
// another round.
func (s *shard) visit(r *reader, end int64) {
	if r.wake != nil || !r.state.CompareAndSwap(idle, busy) {
		if r.behind(end) > queue {
			r.out.abort()
		}
		r.signal()
		return
	}
	for pos := r.pos.Load(); pos.at < end; {
		wire, to, lent := s.batch.after(pos)
		r.pos.Store(to)
		if !s.offer(r, wire, lent) {
			return
		}
		pos = to
	}
	r.state.Store(idle)
}

// beat sends a heartbeat to a reader that nobody else is writing to.
func (s *shard) beat(r *reader) {
	if !r.state.CompareAndSwap(idle, busy) {
		return
	}
	if socket, ok := r.out.(*socket); ok && socket.gone(&s.attempt) {
		s.hub.leave(r)
		r.out.abort()
		return
	}
	if s.offer(r, []byte(heartbeat), false) {
		r.state.Store(idle)
	}
}

// offer writes to a busy reader without waiting. If it reports false, the
// reader is no longer the shard's: it is gone, or waits on its own goroutine.
func (s *shard) offer(r *reader, wire []byte, lent bool) bool {
	rest := wire
	if socket, ok := r.out.(*socket); ok {
		n, err := socket.offer(&s.attempt, wire)
		if err != nil {
			s.hub.leave(r)
			r.out.abort()
			return false
		}
		if n == len(wire) {
			return true
		}
		rest = wire[n:]
	}
	if lent {
		rest = bytes.Clone(rest)
	}
	s.hub.running.Go(func() { r.run(rest) })
	return false
}

// end closes the shard's connections. Handlers that wait have heard of it
// themselves.
func (s *shard) end() {
	s.hub.mu.Lock()
	s.round = s.round[:0]
	for _, slot := range s.beats {
		s.round = append(s.round, slot...)
	}
	s.hub.mu.Unlock()
	s.eachOf(func(r *reader) {
		// Who is writing to a busy reader ends it after that write. The others
		// get a goroutine, because a TLS connection says goodbye, and that can
		// wait.
		if r.state.CompareAndSwap(idle, busy) {
			s.hub.running.Go(func() { r.run(nil) })
		}
	})
}

// spokes is how many parts the heartbeats of an interval are spread over, so
// that they are never one burst before an event.
const spokes = 16

// wheel holds the readers of a shard by the time of their heartbeat.
type wheel [spokes][]*reader

func (w *wheel) add(r *reader, n int) {
	r.slot = n % spokes
	r.seat = len(w[r.slot])
	w[r.slot] = append(w[r.slot], r)
}

func (w *wheel) remove(r *reader) {
	w[r.slot] = cut(w[r.slot], r.seat, func(moved *reader) { moved.seat = r.seat })
}

// signal tells a reader's handler that there is something to write.
func (r *reader) signal() {
	select {
	case r.wake <- struct{}{}:
	default: // it knows, or has no handler: a nil channel is never ready
	}
}
