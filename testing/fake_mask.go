package bizppuriotest

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/go-bizppurio/sdk/send"
)

const hiddenFake = "bizppuriotest.Fake{…}"

// String returns the name of the type, and nothing of the recorded calls.
func (*Fake) String() string { return hiddenFake }

// GoString returns the name of the type, and nothing of the recorded calls.
func (*Fake) GoString() string { return hiddenFake }

// Format prints the name of the type, and nothing of the recorded calls.
func (*Fake) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hiddenFake) }

// LogValue returns the name of the type, and nothing of the recorded calls.
func (*Fake) LogValue() slog.Value { return slog.StringValue(hiddenFake) }

// String returns the verdict, such as "bizppuriotest.Sent{not_sent: busy}",
// and nothing of the message.
func (s Sent) String() string {
	verdict := send.OutcomeOf(s.Err).String()
	if e, ok := errors.AsType[*send.Error](s.Err); ok && e != nil {
		verdict += ": " + string(e.Reason)
	}
	return "bizppuriotest.Sent{" + verdict + "}"
}

// GoString returns the verdict, and nothing of the message.
func (s Sent) GoString() string { return s.String() }

// Format prints the verdict, and nothing of the message.
func (s Sent) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the verdict, and nothing of the message.
func (s Sent) LogValue() slog.Value { return slog.StringValue(s.String()) }
