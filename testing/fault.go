package bizppuriotest

import (
	"net/http"
	"sync"
)

// Fault is one way in which a [Server] misbehaves, for one request of an
// endpoint: PathMessage unless [Fault.On] says otherwise. A fault that does
// not give an answer of the vendor's does not accept the message either,
// unless [Fault.AfterAccepting] says so; those that distort the answer
// accept it, since the answer is what they distort. The zero Fault is no
// misbehaviour.
type Fault struct {
	path    string
	times   int // 0: once
	always  bool
	accepts bool
	early   func(*conn)     // in place of everything, once the request line was read
	late    func(*exchange) // in place of the answer
}

// On makes the fault one of another endpoint, such as [PathToken].
func (f Fault) On(path string) Fault { f.path = path; return f }

// Times makes the fault that of the next n requests.
func (f Fault) Times(n int) Fault { f.times = n; return f }

// Always makes the fault that of all requests until [Server.Behave].
func (f Fault) Always() Fault { f.always = true; return f }

// AfterAccepting lets the server first do what was asked of it, so that a
// message is accepted (and its reports come) although the client hears
// otherwise. It changes nothing for the Unread faults.
func (f Fault) AfterAccepting() Fault { f.accepts = true; return f }

// run misbehaves.
func (f *Fault) run(x *exchange) {
	if f.accepts {
		x.answer()
	}
	if f.late == nil {
		x.send(x.answer())
		return
	}
	f.late(x)
}

// Misbehave queues faults for the next requests of their endpoints.
func (s *Server) Misbehave(fs ...Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	for _, f := range fs {
		if f.path == "" {
			f.path = PathMessage
		}
		s.faults.queue[f.path] = append(s.faults.queue[f.path], &f)
	}
}

// Behave forgets all faults, those of [Server.Chaos] and [Server.Respond]
// included.
func (s *Server) Behave() {
	s.faults.mu.Lock()
	clear(s.faults.queue)
	s.faults.chaos = nil
	s.faults.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.canned)
}

// faults are the misbehaviours that wait for their requests.
type faults struct {
	mu    sync.Mutex
	queue map[string][]*Fault // by path
	chaos *chaos
	met   int // requests
}

// Faults returns how many requests met a fault so far.
func (s *Server) Faults() int {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	return s.faults.met
}

func newFaults() *faults { return &faults{queue: map[string][]*Fault{}} }

// take returns the fault of the next request of an endpoint, nil for none.
func (f *faults) take(path string) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	queue := f.queue[path]
	if len(queue) == 0 {
		fault := f.chaos.pick(path)
		if fault != nil {
			f.met++
		}
		return fault
	}
	f.met++
	first := queue[0]
	switch {
	case first.always:
	case first.times > 1:
		first.times--
	default:
		f.queue[path] = queue[1:]
	}
	return first
}

// Respond lets h answer an endpoint in place of the vendor, until
// [Server.Behave]; a nil h ends it. Nothing is checked or accepted; queued
// faults come first.
func (s *Server) Respond(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h == nil {
		delete(s.canned, path)
		return
	}
	s.canned[path] = h
}

func (s *Server) responder(path string) http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.canned[path]
}

// Answer is an answer to the byte.
type Answer struct {
	Status int         // 0 means 200
	Header http.Header // no Content-Type here: none is sent
	Body   []byte
	// Cut closes the connection after Body, before the end that the header
	// announces: it sends the body as a chunk without the last one. A
	// Content-Length in Header that is larger than Body cuts as well.
	Cut bool
}

// Reply answers with a, whatever the request; nothing is checked.
func Reply(a Answer) Fault {
	return Fault{late: func(x *exchange) { x.reply(a) }}
}
