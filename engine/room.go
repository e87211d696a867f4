package engine

import (
	"context"
	"slices"
)

// turn is a dial that waits for room.
type turn struct {
	target  target
	ready   chan struct{} // closed when its wait is over
	dropped bool          // because nobody wants the connection any more
}

// enter waits until one more connection may be opened. net/http bounds them
// for each host; this bounds all of them together, sockets that are still
// closing and connections dialled ahead included.
//
// a is the attempt on whose behalf the dial began, or nil. Once it has another
// connection, or is over, the dial is in the way of others and is given up.
func (p *Pooled) enter(ctx context.Context, t target, a *attempt) error {
	p.mu.Lock()
	if a.placedLocked() {
		p.mu.Unlock()
		return errSealed
	}
	if p.taken < p.cfg.MaxConns {
		p.taken++
		p.mu.Unlock()
		return nil
	}
	w := &turn{target: t, ready: make(chan struct{})}
	p.turns = append(p.turns, w)
	if a != nil {
		a.turn = w
	}
	victim := p.victimLocked()
	p.mu.Unlock()
	victim.shut()
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch i := slices.Index(p.turns, w); {
	case w.dropped:
		return errSealed
	case i >= 0:
		p.turns = slices.Delete(p.turns, i, i+1)
		return ctx.Err()
	case ctx.Err() != nil:
		p.leaveLocked()
		return ctx.Err()
	default:
		return nil
	}
}

// dropTurnLocked ends the wait of a dial that a began.
func (p *Pooled) dropTurnLocked(a *attempt) {
	if a.turn == nil {
		return
	}
	if i := slices.Index(p.turns, a.turn); i >= 0 {
		p.turns = slices.Delete(p.turns, i, i+1)
		a.turn.dropped = true
		close(a.turn.ready)
	}
	a.turn = nil
}

// leaveLocked gives the room of one connection to the next dial.
func (p *Pooled) leaveLocked() {
	if len(p.turns) == 0 {
		p.taken--
		return
	}
	close(p.turns[0].ready)
	p.turns = slices.Delete(p.turns, 0, 1)
}

// victimLocked picks, while a dial waits for room, the connection to another
// host that has been idle longest, and retires it. The caller calls shut.
func (p *Pooled) victimLocked() *conn {
	if len(p.turns) == 0 {
		return nil
	}
	var victim *conn
	for c := range p.conns {
		idle := c.user == nil && !c.retired && (c.used || c.spare != nil || c.dialled.placedLocked())
		if idle && c.target != p.turns[0].target && (victim == nil || c.last.Before(victim.last)) {
			victim = c
		}
	}
	if victim != nil {
		victim.retired = true
	}
	return victim
}

// admit counts a new connection, for which there was room.
func (p *Pooled) admit(c *conn) {
	p.mu.Lock()
	p.conns[c] = struct{}{}
	p.stats.Opened++
	victim := p.victimLocked()
	p.mu.Unlock()
	victim.shut()
}

// removed forgets a connection that was closed.
func (p *Pooled) removed(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	if c.user != nil {
		c.user = nil
		p.stats.InUse--
	}
	p.leaveLocked()
}
