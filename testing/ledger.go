package bizppuriotest

import (
	"bytes"
	"slices"
	"sync"
)

// keptMessages bounds what Server.Messages remembers.
const keptMessages = 10_000

// ledger counts what a server saw and did.
type ledger struct {
	mu         sync.Mutex
	conns      int
	open, peak int
	resumed    int
	requests   map[string]int // by path
	seen       map[string]int // by refkey
	accepted   map[string]int // by refkey
	total      int
	messages   [][]byte
	violations []string
}

func newLedger() *ledger {
	return &ledger{requests: map[string]int{}, seen: map[string]int{}, accepted: map[string]int{}}
}

func (l *ledger) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns++
	l.open++
	l.peak = max(l.peak, l.open)
}

func (l *ledger) closed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
}

func (l *ledger) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resumed++
}

func (l *ledger) request(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[path]++
}

func (l *ledger) saw(refKey string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[refKey]++
}

func (l *ledger) accept(refKey string, body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	l.accepted[refKey]++
	if len(l.messages) < keptMessages {
		l.messages = append(l.messages, bytes.Clone(body))
	}
}

// violation notes a rule that a client broke, once for each rule.
func (l *ledger) violation(rule string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.violations, rule) {
		l.violations = append(l.violations, rule)
	}
}

// Accepted returns how many messages with that refkey were accepted: 2 means
// that somebody got a message twice.
func (s *Server) Accepted(refKey string) int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.accepted[refKey]
}

// TotalAccepted returns how many messages were accepted.
func (s *Server) TotalAccepted() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.total
}

// Duplicates returns the refkeys that were accepted more than once, sorted.
func (s *Server) Duplicates() []string {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	var keys []string
	for key, n := range s.ledger.accepted {
		if n > 1 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Seen returns how often a refkey came out of a connection, above TLS, also
// in requests that broke off or were dropped. A message that a client calls
// NotSent without having got an answer must have 0.
func (s *Server) Seen(refKey string) int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.seen[refKey]
}

// Messages returns the bodies of the accepted messages in order, the first
// 10,000 at most. They are the caller's to change.
func (s *Server) Messages() [][]byte {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	bodies := make([][]byte, len(s.ledger.messages))
	for i, b := range s.ledger.messages {
		bodies[i] = bytes.Clone(b)
	}
	return bodies
}

// Requests returns how many requests an endpoint saw, such as [PathMessage],
// those included that were dropped after their first line.
func (s *Server) Requests(path string) int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.requests[path]
}

// Conns returns how many connections were opened so far.
func (s *Server) Conns() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.conns
}

// Resumed returns how many connections resumed an earlier TLS session, which
// saves a signature and the certificates.
func (s *Server) Resumed() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.resumed
}

// OpenConns returns how many connections are open now.
func (s *Server) OpenConns() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.open
}

// MaxOpenConns returns how many connections were open at once at most.
func (s *Server) MaxOpenConns() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.peak
}

// Violations returns what clients did that no client of this vendor may do:
// a header that makes net/http repeat a POST, a trace header, a redirect that
// was followed, HTTP/2, a body of the wrong content type. [NewServer] fails
// the test when there are any.
func (s *Server) Violations() []string {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return slices.Clone(s.ledger.violations)
}
