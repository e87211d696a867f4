package report

import (
	"context"
	"crypto/sha256"
	"strconv"
	"strings"
	"sync"
)

// memory makes the handling of one report happen once: it joins those who
// bring the same report at the same time, and remembers what was handled. It
// keeps hashes, so that its size does not depend on what is sent.
type memory struct {
	mu      sync.Mutex
	handled map[identity]struct{}
	order   []identity // of handled: a ring once it is full
	oldest  int
	limit   int
	flights map[identity]*flight
}

// flight is a report that is being handled. Err is set when done is closed.
type flight struct {
	done chan struct{}
	err  error
}

func newMemory(limit int) *memory {
	return &memory{
		handled: make(map[identity]struct{}),
		flights: make(map[identity]*flight),
		limit:   limit,
	}
}

// do calls handle unless this report was handled before, or is being handled:
// then it waits for that result, or until ctx ends. First is true if handle
// was called. Only success is remembered; a panic passes through and counts as
// a failure for those who wait.
func (m *memory) do(ctx context.Context, r Report, handle func() error) (first bool, err error) {
	if r.MessageID == "" {
		return true, handle() // nothing tells it apart: handled each time it comes
	}
	id := r.message()
	m.mu.Lock()
	if _, ok := m.handled[id]; ok {
		m.mu.Unlock()
		return false, nil
	}
	if f, ok := m.flights[id]; ok {
		m.mu.Unlock()
		select {
		case <-f.done:
			return false, f.err
		case <-ctx.Done():
			return false, contextError(ctx)
		}
	}
	f := &flight{done: make(chan struct{}), err: errUnfinished}
	m.flights[id] = f
	m.mu.Unlock()

	defer m.land(id, f)
	f.err = handle()
	return true, f.err
}

// land ends a flight.
func (m *memory) land(id identity, f *flight) {
	m.mu.Lock()
	delete(m.flights, id)
	if f.err == nil {
		m.remember(id)
	}
	m.mu.Unlock()
	close(f.done)
}

func (m *memory) remember(id identity) {
	m.handled[id] = struct{}{}
	if len(m.order) < m.limit {
		m.order = append(m.order, id)
		return
	}
	delete(m.handled, m.order[m.oldest])
	m.order[m.oldest] = id
	m.oldest = (m.oldest + 1) % m.limit
}

// message identifies what r says: the MessageID, and the medium and the
// results with it. The vendor pushes a record again on request (spec 1.6), and
// a result that has changed by then, or is another channel's, is news and no
// identity tells records apart.
type identity [sha256.Size]byte

// duplicate.
func (r Report) message() identity {
	return sha256.Sum256([]byte(strings.Join([]string{
		r.MessageID, strings.ToUpper(strings.TrimSpace(r.Medium)), string(r.Result.Family), strconv.Itoa(r.Result.Code),
		r.Fallback.TelRes, r.Fallback.KaoRes, r.Fallback.RCSRes,
	}, "\x00")))
}
