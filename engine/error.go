package engine

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// ErrClosed is what a request meets when its engine was closed before it
// began or while it waited for a free connection.
var ErrClosed = errors.New("engine is closed")

// ErrMalformed is in the error of a request that was answered with what is not
// HTTP/1.x or has a header beyond all bounds. A header that the end of the
// connection cut off, and was in order so far, is not malformed.
var ErrMalformed = errors.New("the answer is malformed")

// Phase says how far a request got before it failed.
type Phase string

// The phases of a request, in the order in which they happen.
const (
	Acquire Phase = "acquire" // waiting for a free connection
	Resolve Phase = "resolve" // looking up the host's address
	Dial    Phase = "dial"    // TCP, and CONNECT where a proxy stands between
	TLS     Phase = "tls"     // the TLS handshake
	Write   Phase = "write"   // sending the request
	Wait    Phase = "wait"    // waiting for the header of the answer
	Read    Phase = "read"    // reading the body of the answer
)

// Error is what the engines of this package return when a request fails.
//
// When the context of the request has ended, Err is its ctx.Err(), together
// with the cause where that differs. When a limit of [Config] ran out
// instead, Err is [os.ErrDeadlineExceeded] and never a context error, so
// that nobody takes it for a deadline of the caller.
type Error struct {
	Phase  Phase
	Unsent bool // proven: no request byte was offered to any connection; false is the cautious zero
	Err    error
}

// Error names the phase, says whether the request is proven unsent, and adds
// the kind of the cause where that kind is known. It never prints the text of
// Err, which may quote addresses or bytes of an answer.
func (e *Error) Error() string {
	s := "engine: " + string(e.Phase) + " failed"
	if e.Unsent {
		s += ", nothing was sent"
	}
	if d := detail(e.Err); d != "" {
		s += ": " + d
	}
	return s
}

// GoString is the text of Error: the fields of Err may hold what it does not.
func (e Error) GoString() string { return e.Error() }

// Format prints the text of Error, whatever the verb, quoted for %q.
func (e Error) Format(s fmt.State, verb rune) {
	text := e.Error()
	if verb == 'q' {
		text = strconv.Quote(text)
	}
	_, _ = io.WriteString(s, text)
}

// LogValue returns the text of Error.
func (e Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// NotSent reports whether it is proven that no byte of the request was
// offered to any connection.
func (e *Error) NotSent() bool { return e.Unsent }
