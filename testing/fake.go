package bizppuriotest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// Fake is a [send.Sender] in memory for unit tests. The zero value is ready:
// it takes what a client with a sender number in its Config would take,
// accepts it, and records it. The recipient numbers of the package comment give the verdicts
// that a client comes to. A Fake is safe for concurrent use and must not be
// copied.
//
// It validates as the client does, returns the same types of errors, and
// decides in the same order: the context, then the message, then the ad
// window; and only then come the scripts. It does not retry, and what a
// client would wait for it answers at once. Receipt.Attempts is 1, or 0 where
// a client comes to that answer without a request.
type Fake struct {
	// AdWindow is when advertisements may be sent. Zero: 08:00 to 20:50
	// Korea time.
	AdWindow send.Window

	first   firsts
	mu      sync.Mutex
	sent    []*fakeCall // two pointers deep: fmt prints the fields of a Fake that is part of another value
	script  []*fakeReply
	respond func(send.Message) error
}

type (
	fakeCall  struct{ *Sent }
	fakeReply struct{ err *error }
)

// Sent is one call of [Fake.Send]: what was asked and what was answered.
type Sent struct {
	Message send.Message // as it was given
	Receipt send.Receipt
	Err     error
}

var errNilContext = errors.New("nil context")

// Send implements [send.Sender].
func (f *Fake) Send(ctx context.Context, m send.Message) (send.Receipt, error) {
	m = cloneMessage(m)
	r := send.Receipt{RefKey: m.RefKey}
	if r.RefKey == "" {
		r.RefKey = send.NewRefKey()
	}
	err := f.refuse(ctx, m, r.RefKey)
	if err == nil {
		r.Attempts = 1
		if err = f.answer(&r, m); decidedHere(err) {
			r.Attempts = 0
		}
	}
	if err == nil {
		r.MessageKey = newMessageKey(m.Type())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, &fakeCall{&Sent{m, r, err}})
	return r, err
}

// refuse decides what a client decides by itself.
func (f *Fake) refuse(ctx context.Context, m send.Message, refKey string) error {
	if ctx == nil {
		return &send.Error{Outcome: send.NotSent, Reason: send.Canceled, RefKey: refKey, Err: errNilContext}
	}
	if err := contextError(ctx); err != nil {
		return &send.Error{Outcome: send.NotSent, Reason: send.Canceled, RefKey: refKey, Err: err}
	}
	if err := m.Validate(); err != nil {
		return &send.Error{Outcome: send.Rejected, Reason: send.Invalid, RefKey: refKey, Err: err}
	}
	now := time.Now()
	if due := m.Due(now); m.Advertises() && !f.AdWindow.Contains(due) {
		e := &send.Error{Outcome: send.NotSent, Reason: send.OutsideWindow, RefKey: refKey}
		if next := f.AdWindow.Next(now); due.Equal(now) && !next.IsZero() {
			e.RetryAfter = next.Sub(now)
		}
		return e
	}
	return nil
}

// contextError returns why ctx ended, nil if it did not. Its cause is beside
// the error of the context, never in place of it.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); err != nil && !errors.Is(err, cause) {
		return &endedError{err, cause}
	}
	return err
}

// endedError is the end of a context that has a cause, which is the
// application's own: errors.Is and errors.As find it, the text leaves it out.
type endedError struct{ err, cause error }

func (e *endedError) Error() string    { return e.err.Error() }
func (e *endedError) GoString() string { return e.Error() }
func (e *endedError) Unwrap() []error  { return []error{e.err, e.cause} }

// answer decides what the vendor decides.
func (f *Fake) answer(r *send.Receipt, m send.Message) error {
	f.mu.Lock()
	scripted, respond := len(f.script) > 0, f.respond
	var answer error
	if scripted {
		answer = *f.script[0].err
		f.script = f.script[1:]
	}
	f.mu.Unlock()
	switch {
	case scripted:
		return typed(answer, r.RefKey)
	case respond != nil:
		return typed(respond(m), r.RefKey)
	}
	t := trickOf(digits(m.To))
	switch {
	case t == nil || t.err.Reason == "" && !t.once:
		return nil
	case t.once:
		if f.first.mark(r.RefKey) {
			r.Attempts++
		}
		return nil
	}
	e := t.err
	e.RefKey = r.RefKey
	return &e
}

// typed returns err as a client would. What is a *send.Error already, or
// wraps one, stays as it is.
func typed(err error, refKey string) error {
	var known *send.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	e := &send.Error{Reason: send.ConnectionLost, RefKey: refKey, Err: err}
	var (
		reason send.Reason
		proof  interface{ NotSent() bool }
	)
	switch {
	case errors.As(err, &reason):
		e.Outcome, e.Reason = outcomeOf(reason), reason
		if errors.Is(reason, err) {
			e.Err = nil // the reason says it all
		}
	case errors.As(err, &proof) && proof.NotSent():
		e.Outcome, e.Reason = send.NotSent, send.Unreachable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Reason = send.Interrupted
	}
	return e
}

// outcomeOf returns the outcome that goes with a reason.
func outcomeOf(r send.Reason) send.Outcome {
	switch r {
	case send.Invalid, send.Refused:
		return send.Rejected
	case send.Closed, send.Canceled, send.OutsideWindow, send.RateLimited, send.CircuitOpen,
		send.PoolTimeout, send.Unreachable, send.TokenUnavailable, send.Busy:
		return send.NotSent
	case send.Timeout, send.ConnectionLost, send.BadResponse, send.VendorFault, send.Interrupted:
		return send.Unknown
	}
	return send.Unknown
}

// decidedHere reports whether a client comes to err without a request. With a
// code or a status there was one, but for those of the token.
func decidedHere(err error) bool {
	e, ok := errors.AsType[*send.Error](err)
	if !ok || e == nil {
		return false
	}
	switch e.Reason {
	case send.Invalid, send.TokenUnavailable:
		return true
	case send.Closed, send.Canceled, send.OutsideWindow, send.RateLimited, send.CircuitOpen:
		return e.Code == 0 && e.Status == 0
	case send.Refused, send.PoolTimeout, send.Unreachable, send.Busy,
		send.Timeout, send.ConnectionLost, send.BadResponse, send.VendorFault, send.Interrupted:
	}
	return false
}

// digits returns a Korean number as it goes out.
func digits(number string) string {
	number = strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(number))
	if rest, ok := strings.CutPrefix(number, "+82"); ok {
		return "0" + strings.TrimPrefix(rest, "0")
	}
	return number
}

// Script sets the answers for the next calls that pass validation, in order,
// behind those that are still waiting. Nil accepts. A [*send.Error] is
// returned as it is; a [send.Reason] stands for an error with that reason and
// its outcome; an error with NotSent() true is NotSent, and any other Unknown.
func (f *Fake) Script(replies ...error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, err := range replies {
		f.script = append(f.script, &fakeReply{&err})
	}
}

// Respond lets answer decide the calls that pass validation and that no
// script covers, with the errors that [Fake.Script] takes; nil takes it away.
// The function may be called from several goroutines at once, and may use the
// Fake. A recipient's number then decides nothing.
func (f *Fake) Respond(answer func(send.Message) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.respond = answer
}

// Sent returns all calls so far, in the order in which they were answered,
// refused ones included. They are copies.
func (f *Fake) Sent() []Sent {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Sent, len(f.sent))
	for i, s := range f.sent {
		all[i] = Sent{cloneMessage(s.Message), s.Receipt, s.Err}
	}
	return all
}

// Accepted returns how many messages with that refkey were accepted.
func (f *Fake) Accepted(refKey string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.sent {
		if s.Err == nil && s.Receipt.RefKey == refKey {
			n++
		}
	}
	return n
}

// Reset forgets the calls and the scripts.
func (f *Fake) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent, f.script, f.respond = nil, nil, nil
}

// AssertAccepted fails the test unless exactly n messages were accepted.
func (f *Fake) AssertAccepted(tb TB, n int) {
	tb.Helper()
	got := 0
	for _, s := range f.Sent() {
		if s.Err == nil {
			got++
		}
	}
	if got != n {
		tb.Errorf("the fake accepted %d messages, want %d", got, n)
	}
}

// AssertTo fails the test unless exactly n messages to that number were
// accepted, however the number is written.
func (f *Fake) AssertTo(tb TB, number string, n int) {
	tb.Helper()
	got := 0
	for _, s := range f.Sent() {
		if s.Err == nil && digits(s.Message.To) == digits(number) {
			got++
		}
	}
	if got != n {
		tb.Errorf("the fake accepted %d messages to that number, want %d", got, n)
	}
}
