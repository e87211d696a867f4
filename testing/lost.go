package bizppuriotest

import (
	"net/http"
	"time"
)

// DropUnread closes the connection when a request begins to arrive: nothing
// of it is looked at.
func DropUnread() Fault { return Fault{early: func(c *conn) { _ = c.Close() }} }

// ResetUnread is [DropUnread] with a TCP reset.
func ResetUnread() Fault { return Fault{early: (*conn).reset} }

// StallUnread never answers, and looks at nothing, until the client leaves or
// the server closes.
func StallUnread() Fault {
	return Fault{early: func(c *conn) { c.drain(); _ = c.Close() }}
}

// Drop reads the request and closes the connection.
func Drop() Fault { return Fault{late: func(x *exchange) { _ = x.hijack().Close() }} }

// Reset reads the request and resets the connection.
func Reset() Fault { return Fault{late: func(x *exchange) { x.hijack().reset() }} }

// Stall reads the request and never answers, until the client leaves or the
// server closes.
func Stall() Fault {
	return Fault{late: func(x *exchange) {
		select {
		case <-x.r.Context().Done():
		case <-x.s.done:
		}
		_ = x.hijack().Close()
	}}
}

// Delay accepts the message and answers after d.
func Delay(d time.Duration) Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		if x.s.wait(d, x.r.Context().Done()) {
			x.send(x.answer())
			return
		}
		_ = x.hijack().Close()
	}}
}

// Drip accepts the message and answers byte by byte, header included, with a
// pause before each.
func Drip(pause time.Duration) Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		x.c.setDrip(pause)
		x.send(x.answer())
	}}
}

// CloseAfter answers as it should and closes the connection when it was idle
// for d: the race that every client of a server with keep-alive runs.
func CloseAfter(d time.Duration) Fault { return endAfter(d, FIN) }

// ResetAfter is [CloseAfter] with a TCP reset.
func ResetAfter(d time.Duration) Fault { return endAfter(d, RST) }

// Push408After answers as it should and, when the connection was idle for d,
// pushes an answer "408 Request Timeout" that nobody asked for, and closes.
func Push408After(d time.Duration) Fault { return endAfter(d, Push408) }

func endAfter(d time.Duration, how End) Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		x.c.mu.Lock()
		x.c.after = &idleRule{max(d, time.Nanosecond), how}
		x.c.mu.Unlock()
		x.send(x.answer())
	}}
}

// AnswerTwice accepts the message, answers, and from then on gives each
// request of this connection the answer of the one before it, as a server
// does that has sent one answer too many. It does nothing when the message is
// refused: a refusal may lack the refkey, which is all that tells answers
// apart.
func AnswerTwice() Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		r := x.answer()
		x.send(r)
		x.c.mu.Lock()
		if x.c.stale == nil && r.status == http.StatusOK {
			x.c.stale = r
		}
		x.c.mu.Unlock()
	}}
}
