package bizppuriotest

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// chaos picks faults at random.
type chaos struct {
	rand  *rand.Rand
	rate  float64
	paths []string
	menu  []Fault
}

// Chaos makes each request misbehave with the given probability, in ways
// drawn from a seed: connections lost before and after reading, before and
// after accepting, answers cut, late, garbled, one too many or of gateways,
// refusals for now, faults of the vendor, revoked tokens, idle connections
// closed. Nothing is said that is a lie: a message that was accepted is never
// answered with a refusal that invites another try. It is for the paths
// given, by default PathMessage. Queued faults come first.
func (s *Server) Chaos(seed uint64, rate float64, paths ...string) {
	if len(paths) == 0 {
		paths = []string{PathMessage}
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.chaos = &chaos{
		rand:  rand.New(rand.NewPCG(seed, seed)), //nolint:gosec // repeatable on purpose
		rate:  rate,
		paths: paths,
		menu: []Fault{
			DropUnread(), ResetUnread(), StallUnread(),
			Drop(), Reset(), Stall(),
			Drop().AfterAccepting(), Reset().AfterAccepting(), Stall().AfterAccepting(),
			Delay(20 * time.Millisecond), Drip(50 * time.Microsecond),
			CutBody(), CutChunk(), CutClose(),
			HTML(http.StatusBadGateway), HTML(http.StatusBadGateway).AfterAccepting(),
			Empty(http.StatusInternalServerError).AfterAccepting(),
			Code(9000), Code(9000).AfterAccepting(), Code(5005).AfterAccepting(),
			Code(3008), Code(5002), Code(5004), Revoke(),
			StringCode(), ObjectCode(), NumberKey(), OtherRefKey(), AnswerTwice(),
			Garbage(), Garbage().AfterAccepting(),
			Redirect(http.StatusTemporaryRedirect),
			CloseAfter(0), ResetAfter(0), Push408After(0),
			CloseAfter(time.Millisecond), ResetAfter(time.Millisecond), Push408After(time.Millisecond),
		},
	}
}

// pick returns a fault or nil. The caller holds the lock.
func (c *chaos) pick(path string) *Fault {
	if c == nil || !slices.Contains(c.paths, path) || c.rand.Float64() >= c.rate {
		return nil
	}
	return &c.menu[c.rand.IntN(len(c.menu))]
}
