package send

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
)

// Batch says how [All] sends.
type Batch struct {
	Parallel int // most sends in flight; 0 means 16

	// Done hears of every finished send, one at a time, on the goroutine that
	// ranges over the results, also after the loop was left. It is called
	// before the loop sees the result. May be nil.
	Done func(Receipt, error)
}

// defaultParallel is what Parallel 0 means.
const defaultParallel = 16

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
// the outcome is Unknown.
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
		limit := b.Parallel
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
	left    bool // the loop was left
}

type result struct {
	receipt Receipt
	err     error
	panic   any // what the sender panicked with
}

func (r *run) all(ctx context.Context, msgs iter.Seq[Message]) {
	defer r.land()
	if ctx.Err() != nil {
		return
	}
	next := 0
	for m := range msgs {
		r.start(ctx, m, next)
		next++
		for !r.left && (r.flying == cap(r.results) || len(r.results) > 0) {
			r.take(<-r.results)
		}
		if r.left || ctx.Err() != nil {
			break
		}
	}
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
	r.tell(out)
	if out.panic != nil {
		panic(out.panic)
	}
	if !r.yield(out.receipt, out.err) {
		r.left = true
	}
}

func (r *run) tell(out result) {
	if r.done != nil {
		r.done(out.receipt, out.err)
	}
}

// land waits for the sends in flight and tells Done of them. Whatever Done
// does then, the others are waited for first.
func (r *run) land() {
	var landed []result
	for ; r.flying > 0; r.flying-- {
		landed = append(landed, <-r.results)
	}
	for _, out := range landed {
		r.tell(out)
	}
	for _, out := range landed {
		if out.panic != nil {
			panic(out.panic)
		}
	}
}
