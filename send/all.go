package send

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
)

// Batch says how [All] sends.
type Batch struct {
	// Parallel is the most sends in flight. 0 means 16, and more than 4,096
	// means 4,096. More than the Sender has connections for is too many: what
	// waits for one in vain was not sent.
	Parallel int

	// Done hears of every finished send, one at a time, on the goroutine that
	// ranges over the results, also after the loop was left. It is called
	// before the loop sees the result. May be nil: then the results of sends in
	// flight are lost when the loop is left, so store outcomes here.
	Done func(Receipt, error)
}

const (
	defaultParallel = 16   // what Parallel 0 means
	mostParallel    = 4096 // bounds what a slip of the pen costs in memory
)

// All sends the messages of msgs with s and yields what became of each, as
// they finish: [Receipt.Index] is the place in msgs, and a message without a
// RefKey gets one here, so that every Receipt has it.
//
// The sequence is lazy and may be ranged over once; a second time it sends
// nothing and yields one error, Rejected for being Invalid. msgs is pulled on
// the ranging goroutine, and only when a send may start at once: while msgs
// blocks, results wait. A message that was pulled always gets its result.
//
// When ctx ends, no more is pulled. When the loop is left early, no more is
// pulled either, and the loop is over when the sends in flight have finished
// and Batch.Done has heard of them. A panic of msgs, s, Done or the loop
// itself reaches the ranging goroutine after that; for a send that panicked,
// the outcome is Unknown. Where msgs or s panicked, the loop, too, still sees
// what was in flight.
func All(ctx context.Context, s Sender, msgs iter.Seq[Message], b Batch) iter.Seq2[Receipt, error] {
	var used atomic.Bool
	return func(yield func(Receipt, error) bool) {
		if err := cannotSend(ctx, s, msgs); err != nil {
			yield(Receipt{}, err)
			return
		}
		if used.Swap(true) {
			yield(Receipt{}, invalid("the results of send.All were ranged over before"))
			return
		}
		limit := min(b.Parallel, mostParallel)
		if limit <= 0 {
			limit = defaultParallel
		}
		r := run{sender: s, done: b.Done, yield: yield, results: make(chan result, limit)}
		r.all(ctx, msgs)
	}
}

func cannotSend(ctx context.Context, s Sender, msgs iter.Seq[Message]) error {
	switch {
	case ctx == nil:
		return invalid("nil context")
	case s == nil:
		return invalid("nil sender")
	case msgs == nil:
		return invalid("nil messages")
	}
	return nil
}

func invalid(problem string) *Error {
	return &Error{Outcome: Rejected, Reason: Invalid, Err: errors.New(problem)}
}

// run is one range over the results of All. All of it belongs to the ranging
// goroutine but results, into which each send puts its own.
type run struct {
	sender  Sender
	done    func(Receipt, error)
	yield   func(Receipt, error) bool
	results chan result // one place for each send in flight: none blocks
	flying  int
	left    bool // the loop was left, or it or Done panicked

	unwinding bool // a panic goes on, if this is so in the end
	panicked  any  // the first panic of the sender, or of Done after the loop
}

type result struct {
	receipt Receipt
	err     error
	panic   any // what the sender panicked with
}

func (r *run) all(ctx context.Context, msgs iter.Seq[Message]) {
	r.unwinding = true
	defer r.land()
	defer r.drain() // where msgs panicked
	if ctx.Err() == nil {
		r.pull(ctx, msgs)
	}
	r.drain()
	r.unwinding = false
}

// pull starts what msgs yields.
func (r *run) pull(ctx context.Context, msgs iter.Seq[Message]) {
	next := 0
	for m := range msgs {
		r.start(ctx, m, next)
		next++
		for !r.left && (r.flying == cap(r.results) || len(r.results) > 0) {
			r.take(<-r.results)
		}
		if r.left || r.panicked != nil || ctx.Err() != nil {
			break
		}
	}
}

// drain hands on what is in flight.
func (r *run) drain() {
	for r.flying > 0 && !r.left {
		r.take(<-r.results)
	}
}

// start sends m on a goroutine of its own, which always leaves one result.
func (r *run) start(ctx context.Context, m Message, index int) {
	if m.RefKey == "" {
		m.RefKey = NewRefKey()
	}
	r.flying++
	go func() {
		// What stands if Send does not return: it panicked or ended its
		// goroutine, at a point that nobody knows.
		out := result{
			receipt: Receipt{RefKey: m.RefKey},
			err:     &Error{Outcome: Unknown, Reason: Interrupted, RefKey: m.RefKey, Err: errors.New("the sender did not return")},
		}
		defer func() {
			out.panic = recover()
			out.receipt.Index = index
			if out.receipt.RefKey == "" {
				out.receipt.RefKey = m.RefKey
			}
			r.results <- out
		}()
		receipt, err := r.sender.Send(ctx, m)
		out.receipt, out.err = receipt, err
	}()
}

// take hands on a result: first to Done, then to the loop.
func (r *run) take(out result) {
	r.flying--
	r.left = true // if Done or the loop panics
	r.tell(out)
	r.left = !r.yield(out.receipt, out.err)
}

func (r *run) tell(out result) {
	if r.panicked == nil {
		r.panicked = out.panic
	}
	if r.done != nil {
		r.done(out.receipt, out.err)
	}
}

// land waits for the sends in flight and tells Done of them, whatever Done
// does.
func (r *run) land() {
	var landed []result
	for ; r.flying > 0; r.flying-- {
		landed = append(landed, <-r.results)
	}
	r.tellAll(landed)
	if r.panicked != nil && !r.unwinding {
		panic(r.panicked)
	}
}

// tellAll goes on where Done panics or ends the goroutine.
func (r *run) tellAll(landed []result) {
	if len(landed) == 0 {
		return
	}
	defer r.tellAll(landed[1:])
	defer func() {
		if p := recover(); r.panicked == nil {
			r.panicked = p
		}
	}()
	r.tell(landed[0])
}
