package send

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"
)

// Error is what a failed call returns: a verdict, and why. Its text is safe
// to log: it holds no number, no text and no credential.
type Error struct {
	Outcome    Outcome
	Reason     Reason        // from a closed set
	Code       Code          // the vendor's code in the last answer, 0 if it sent none
	Status     int           // HTTP status of the last answer, 0 if there was none
	RefKey     string        // of the message; empty for calls that are not sends
	RetryAfter time.Duration // when it is worth trying again; 0: not known
	Err        error         // the cause, nil if the answer says it all; its text is part of ours, so it must be safe to log
}

// Error returns one line such as
// "bizppurio: not_sent: rate_limited (code 5002, status 429)".
func (e *Error) Error() string {
	if e == nil {
		return "bizppurio: unknown"
	}
	b := append([]byte("bizppurio: "), e.Outcome.String()...)
	if e.Reason != "" {
		b = append(append(b, ": "...), e.Reason...)
	}
	switch {
	case e.Code != 0 && e.Status != 0:
		b = strconv.AppendInt(append(b, " (code "...), int64(e.Code), 10)
		b = strconv.AppendInt(append(b, ", status "...), int64(e.Status), 10)
		b = append(b, ')')
	case e.Code != 0:
		b = append(strconv.AppendInt(append(b, " (code "...), int64(e.Code), 10), ')')
	case e.Status != 0:
		b = append(strconv.AppendInt(append(b, " (status "...), int64(e.Status), 10), ')')
	case e.Outcome == NotSent:
		b = append(b, " (decided here)"...)
	}
	if e.Err != nil {
		b = append(append(b, ": "...), e.Err.Error()...)
	}
	return string(b)
}

// Is reports whether target is the Reason of e.
func (e *Error) Is(target error) bool {
	r, ok := target.(Reason)
	return ok && e != nil && r != "" && r == e.Reason
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// ErrorType returns the Reason, which OpenTelemetry takes for error.type.
func (e *Error) ErrorType() string {
	if e == nil {
		return ""
	}
	return string(e.Reason)
}

// GoString returns the verdict. It does not look into the cause, whose fields
// may hold what its text does not.
func (e Error) GoString() string {
	return fmt.Sprintf("send.Error{Outcome:%v, Reason:%q, Code:%d, Status:%d, RetryAfter:%v}",
		e.Outcome, string(e.Reason), int(e.Code), e.Status, e.RetryAfter)
}

// Format prints the text of Error, or GoString for %#v.
func (e Error) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('#'):
		_, _ = io.WriteString(s, e.GoString())
	case verb == 'q':
		_, _ = io.WriteString(s, strconv.Quote(e.Error()))
	default:
		_, _ = io.WriteString(s, e.Error())
	}
}

// LogValue returns the text of Error.
func (e Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// AccountRefused reports whether err is about the account and not about one
// message: credentials, token, address or path refused (codes 3000 to 3007,
// 3009, 3010 and 5001). Every message will be refused until the account is
// mended: stop the worker and keep the queue. Of several errors, as
// errors.Join makes them, one is enough.
func AccountRefused(err error) bool {
	for e := range verdicts(err) {
		if e != nil && e.Outcome == Rejected && e.Code.account() {
			return true
		}
	}
	return false
}
