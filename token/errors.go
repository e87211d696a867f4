package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
)

var (
	// ErrNone is what a [Store] returns when it holds no token under a key.
	ErrNone = errors.New("token: none stored")

	// ErrClosed is the answer of a [Cache] after [Cache.Close].
	ErrClosed = errors.New("token: cache closed")

	// ErrUnusable means that the fetch function returned, twice in a row and
	// without an error, a token that was empty or already past its Expires.
	ErrUnusable = errors.New("token: fetched token is empty or expired")

	errExited = errors.New("token: fetch function ended its goroutine")
	errBroken = errors.New("token: store gave no answer")
)

// PanicError is what waiters get when the fetch function panicked. The panic
// is not raised again: one bad answer must not end a process that also has
// other work. Value and Stack may hold secrets: neither fmt nor slog nor JSON
// shows them, of a pointer or a value.
type PanicError struct {
	Value any    `json:"-"`
	Stack []byte `json:"-"`
}

// Error returns a fixed text.
func (PanicError) Error() string { return "token: fetch function panicked" }

// GoString returns the text of the error, without Value and Stack.
func (e PanicError) GoString() string { return e.Error() }

// Format prints the text of the error, whatever the verb.
func (e PanicError) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, e.Error()) }

// LogValue returns the text of the error.
func (e PanicError) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// detachedError is a context error out of a fetch. No waiter's context was
// behind it, so errors.Is does not find one; a deadline is
// [os.ErrDeadlineExceeded] instead. Everything else in the chain stays visible.
type detachedError struct{ err error }

// detach returns err, with context errors hidden.
func detach(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &detachedError{err}
	}
	return err
}

func (e *detachedError) Error() string { return "token: fetch ended early: " + e.err.Error() }

func (e *detachedError) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded, context.Canceled:
		return false
	case os.ErrDeadlineExceeded:
		return errors.Is(e.err, context.DeadlineExceeded) || errors.Is(e.err, target)
	}
	return errors.Is(e.err, target)
}

func (e *detachedError) As(target any) bool { return errors.As(e.err, target) }

// ended returns why ctx ended: its Err, and its cause where that says more.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return &endedError{err, cause}
}

// endedError is the end of a context that has a cause, which is the
// application's own: errors.Is and errors.As find it, the text leaves it out.
type endedError struct{ err, cause error }

func (e *endedError) Error() string    { return e.err.Error() }
func (e *endedError) GoString() string { return e.Error() }
func (e *endedError) Unwrap() []error  { return []error{e.err, e.cause} }

// permanent reports whether err says that asking again is of no use.
func permanent(err error) bool {
	var p interface{ Permanent() bool }
	return errors.As(err, &p) && p.Permanent()
}
