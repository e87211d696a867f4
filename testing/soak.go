package bizppuriotest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// Soak sends many messages through a misbehaving [Server] and holds what the
// Sender said against what the Server saw. The zero value of a field is its
// default.
type Soak struct {
	Sends    int           // 0 means 1,000
	Parallel int           // callers at once; 0 means 32
	Seed     uint64        // of the faults and the cancels; the same seed gives the same draws
	Faults   float64       // probability that a request meets a fault; 0 means 0.3
	Cancels  float64       // probability that a caller cancels; 0 means 0.1
	Patience time.Duration // within which a caller that cancels does so; 0 means 20 ms
	From     string        // sender number; "" means 0200000000
}

// SoakResult counts what came of a [Soak].
type SoakResult struct {
	Sends, Accepted, Rejected, NotSent, Unknown int

	Faults     int // requests that met a fault
	Cancels    int // callers that cancelled
	Duplicates int // refkeys that the Server accepted more than once
	False      int // verdicts that the Server's books contradict
}

// String is one line for a log.
func (r SoakResult) String() string {
	return fmt.Sprintf("sends %d: accepted %d, rejected %d, not_sent %d, unknown %d; faults %d, cancels %d; duplicates %d, false verdicts %d",
		r.Sends, r.Accepted, r.Rejected, r.NotSent, r.Unknown, r.Faults, r.Cancels, r.Duplicates, r.False)
}

// Run sends through s to server until all is sent or ctx ends. The error
// joins the verdicts that were wrong, the first hundred of them:
//
//   - Accepted must have been accepted exactly once;
//   - Rejected and NotSent must not have been accepted, and what is NotSent
//     after at most one attempt and without an answer must not have been seen;
//   - Unknown may have been accepted once;
//   - no refkey may have been accepted twice.
//
// The server misbehaves until [Server.Behave] when Run returns.
func (k Soak) Run(ctx context.Context, server *Server, s send.Sender) (SoakResult, error) {
	k = k.filled()
	server.Chaos(k.Seed, k.Faults)
	defer server.Behave()
	var (
		mu     sync.Mutex
		result = SoakResult{}
		wg     sync.WaitGroup
		errs   []error
		next   = make(chan int)
		books  = make([]entry, k.Sends)
	)
	for range k.Parallel {
		wg.Go(func() {
			for i := range next {
				e := k.one(ctx, s, i)
				mu.Lock()
				books[i] = e
				result.count(e)
				mu.Unlock()
			}
		})
	}
feed:
	for i := range k.Sends {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()

	// What the sender gave up may still arrive: look only when the server has
	// read all that was on its way.
	server.DropConns(FIN)
	for server.OpenConns() > 0 && ctx.Err() == nil {
		server.wait(time.Millisecond, ctx.Done())
	}
	for _, e := range books {
		if err := e.contradiction(server); err != nil {
			if result.False++; len(errs) < 100 {
				errs = append(errs, err)
			}
		}
	}
	result.Duplicates = len(server.Duplicates())
	for _, key := range server.Duplicates() {
		errs = append(errs, fmt.Errorf("%s: accepted %d times", key, server.Accepted(key)))
	}
	result.Faults = server.Faults()
	return result, errors.Join(errs...)
}

func (k Soak) filled() Soak {
	if k.Sends <= 0 {
		k.Sends = 1000
	}
	if k.Parallel <= 0 {
		k.Parallel = 32
	}
	if k.Faults == 0 {
		k.Faults = 0.3
	}
	if k.Cancels == 0 {
		k.Cancels = 0.1
	}
	if k.Patience <= 0 {
		k.Patience = 20 * time.Millisecond
	}
	if k.From == "" {
		k.From = "0200000000"
	}
	return k
}

// entry is what a Sender said of one message.
type entry struct {
	refKey   string
	attempts int
	err      error
	canceled bool
}

// one sends message i, and may cancel it.
func (k Soak) one(ctx context.Context, s send.Sender, i int) entry {
	draw := rand.New(rand.NewPCG(k.Seed, uint64(i))) //nolint:gosec // repeatable on purpose
	e := entry{refKey: fmt.Sprintf("soak-%x-%d", k.Seed, i)}
	if e.canceled = draw.Float64() < k.Cancels; e.canceled {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(draw.Int64N(int64(k.Patience))))
		defer cancel()
	}
	var r send.Receipt
	r, e.err = s.Send(ctx, send.Message{
		To: "01012345678", From: k.From, RefKey: e.refKey,
		Content:  send.AlimTalk{SenderKey: "SENDERKEY", TemplateCode: "T1", Text: "주문이 접수되었습니다."},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
	})
	e.attempts = r.Attempts
	return e
}

// count adds e to the result.
func (r *SoakResult) count(e entry) {
	r.Sends++
	if e.canceled {
		r.Cancels++
	}
	switch send.OutcomeOf(e.err) {
	case send.Accepted:
		r.Accepted++
	case send.Rejected:
		r.Rejected++
	case send.NotSent:
		r.NotSent++
	case send.Unknown:
		r.Unknown++
	}
}

// contradiction says where the server's books contradict the sender.
func (e entry) contradiction(server *Server) error {
	if e.refKey == "" {
		return nil // never begun
	}
	accepted, seen := server.Accepted(e.refKey), server.Seen(e.refKey)
	var answered *send.Error
	silent := !errors.As(e.err, &answered) || answered.Status == 0
	wrong := false
	switch send.OutcomeOf(e.err) {
	case send.Accepted:
		wrong = accepted != 1
	case send.Rejected:
		wrong = accepted != 0
	case send.NotSent:
		wrong = accepted != 0 || silent && e.attempts <= 1 && seen != 0
	case send.Unknown:
		wrong = accepted > 1
	}
	if !wrong {
		return nil
	}
	said := "nothing more"
	if e.err != nil {
		said = e.err.Error()
	}
	return fmt.Errorf("%s: the sender says %s after %d attempts (%s), the server saw it %d times and accepted it %d times",
		e.refKey, send.OutcomeOf(e.err), e.attempts, said, seen, accepted)
}
