package engine

// Stats is a snapshot of a [Pooled].
type Stats struct {
	Opened  uint64 // connections established since New, TLS included
	Open    int    // connections open now; the sum of Idle and InUse
	Idle    int    // open connections without a request, those dialled ahead included
	InUse   int    // open connections that carry a request, to the end of its answer
	Waiting int    // requests that wait for a free connection now
	Waited  uint64 // requests that had to wait for a free connection
	Reused  uint64 // requests written to a connection that had been in the pool
	Stale   uint64 // times that a connection was refused to a request because it was idle too long or discarded
}

// Stats returns a consistent snapshot. It is cheap and safe for concurrent
// use.
func (p *Pooled) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Open = len(p.conns)
	s.Idle = s.Open - s.InUse
	return s
}

// waiting counts a request that begins (1) or ends (-1) to wait for a slot.
func (p *Pooled) waiting(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Waiting += n
	if n > 0 {
		p.stats.Waited++
	}
}
