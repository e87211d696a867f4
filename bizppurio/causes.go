package bizppurio

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// quiet carries causes whose text must not be printed: errors of the
// transport quote addresses and bytes of an answer, and a cancel's cause is
// the application's own. errors.Is and errors.As still find them.
type quiet struct {
	text   string
	causes []error
}

func (q *quiet) Error() string    { return q.text }
func (q *quiet) GoString() string { return q.text }
func (q *quiet) Unwrap() []error  { return q.causes }

// hush keeps err findable and prints text instead.
func hush(text string, err ...error) error { return &quiet{text, err} }

// ended returns the error of a context that ended, with its cause: net/http
// returns the cause alone, and then errors.Is(err, context.Canceled) fails.
// also comes before the cause: what errors.As finds first shall be about this
// call, and the cause may be an error of another engine.
func ended(ctx context.Context, also ...error) error {
	err := ctx.Err()
	causes := []error{err}
	for _, e := range also {
		if e != nil {
			causes = append(causes, e)
		}
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		causes = append(causes, cause)
	}
	return hush(err.Error(), causes...)
}

// timeoutError says that our own clock ended an attempt. It is
// os.ErrDeadlineExceeded and no context error, so that callers do not take it
// for their own deadline.
type timeoutError struct {
	after time.Duration
	phase engine.Phase
}

func (e *timeoutError) Error() string {
	text := "no answer within " + e.after.String()
	if e.phase != "" {
		text += " (" + string(e.phase) + ")"
	}
	return text
}

func (e *timeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }
func (e *timeoutError) Timeout() bool        { return true }

// phaseOf returns how far an engine says it got, "" if it does not say.
func phaseOf(err error) engine.Phase {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e.Phase
	}
	return ""
}

// transport makes an engine's error safe to print.
func transport(err error) error {
	if endsContext(err) {
		return &detached{err}
	}
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return hush(e.Error(), err)
	}
	return hush("transport failed", err)
}

// notTheirs hides the context errors in err, which happened while the caller's
// context lived: a transport may have clocks of its own.
func notTheirs(err error) error {
	if endsContext(err) {
		return &detached{err}
	}
	return err
}

func endsContext(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// detached is an error without its context errors; a deadline is
// [os.ErrDeadlineExceeded] instead.
type detached struct{ err error }

func (e *detached) Error() string    { return "the transport gave up" }
func (e *detached) GoString() string { return e.Error() }

func (e *detached) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded, context.Canceled:
		return false
	case os.ErrDeadlineExceeded:
		return errors.Is(e.err, context.DeadlineExceeded) || errors.Is(e.err, target)
	}
	return errors.Is(e.err, target)
}

func (e *detached) As(target any) bool { return errors.As(e.err, target) }
