package send

import "iter"

// Outcome says what became of a message. The zero value is the cautious one.
type Outcome int

// The outcomes, and whether the application may send the message again.
const (
	Unknown  Outcome = iota // it may have been accepted: do not send again, wait for a delivery report with its RefKey
	NotSent                 // provably not accepted: may be sent again
	Rejected                // refused for what it is: not unchanged
	Accepted                // Bizppurio took it (code 1000); accepted is not delivered
)

// String returns unknown, not_sent, rejected or accepted.
func (o Outcome) String() string {
	switch o {
	case Accepted:
		return "accepted"
	case Rejected:
		return "rejected"
	case NotSent:
		return "not_sent"
	case Unknown:
		return "unknown"
	}
	return "unknown"
}

// OutcomeOf returns what err, as a [Sender] returned it, says about the
// message: Accepted for nil, the verdict of the [*Error] in it, and Unknown
// where there is none. Of several, as errors.Join makes them, the most
// cautious counts: Unknown, then Rejected, then NotSent.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return Accepted
	}
	verdict, found := Unknown, false
	for e := range verdicts(err) {
		if o := e.verdict(); !found || o.caution() > verdict.caution() {
			verdict, found = o, true
		}
	}
	return verdict
}

// verdicts walks the tree of err and yields each *Error, also a nil one. It
// does not look below an *Error: its verdict stands, whatever its cause says
// about some other call.
func verdicts(err error) iter.Seq[*Error] {
	return func(yield func(*Error) bool) { walk(err, yield) }
}

func walk(err error, yield func(*Error) bool) bool {
	switch e := err.(type) { //nolint:errorlint // errors.As stops at the first of several
	case *Error:
		return yield(e)
	case interface{ Unwrap() error }:
		return walk(e.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, branch := range e.Unwrap() {
			if !walk(branch, yield) {
				return false
			}
		}
	}
	return true
}

// verdict is the Outcome of an error: Unknown where it makes no sense.
func (e *Error) verdict() Outcome {
	if e == nil || e.Outcome != NotSent && e.Outcome != Rejected {
		return Unknown
	}
	return e.Outcome
}

// caution orders the outcomes of several errors.
func (o Outcome) caution() int {
	switch o {
	case Accepted:
		return 0
	case NotSent:
		return 1
	case Rejected:
		return 2
	case Unknown:
		return 3
	}
	return 3
}
