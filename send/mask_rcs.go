package send

import (
	"fmt"
	"log/slog"
)

// String returns the name of the type and nothing of the content.
func (RCS) String() string { return hidden("RCS") }

// GoString returns the name of the type and nothing of the content.
func (RCS) GoString() string { return hidden("RCS") }

// Format prints the name of the type and nothing of the content.
func (RCS) Format(s fmt.State, _ rune) { hide(s, "RCS") }

// LogValue returns the name of the type and nothing of the content.
func (RCS) LogValue() slog.Value { return hiddenValue("RCS") }

// String returns the name of the type and nothing of the content.
func (RCSCard) String() string { return hidden("RCSCard") }

// GoString returns the name of the type and nothing of the content.
func (RCSCard) GoString() string { return hidden("RCSCard") }

// Format prints the name of the type and nothing of the content.
func (RCSCard) Format(s fmt.State, _ rune) { hide(s, "RCSCard") }

// LogValue returns the name of the type and nothing of the content.
func (RCSCard) LogValue() slog.Value { return hiddenValue("RCSCard") }

// String returns the name of the type and nothing of the content.
func (RCSButton) String() string { return hidden("RCSButton") }

// GoString returns the name of the type and nothing of the content.
func (RCSButton) GoString() string { return hidden("RCSButton") }

// Format prints the name of the type and nothing of the content.
func (RCSButton) Format(s fmt.State, _ rune) { hide(s, "RCSButton") }

// LogValue returns the name of the type and nothing of the content.
func (RCSButton) LogValue() slog.Value { return hiddenValue("RCSButton") }

// String returns the name of the type and nothing of the content.
func (RCSLocation) String() string { return hidden("RCSLocation") }

// GoString returns the name of the type and nothing of the content.
func (RCSLocation) GoString() string { return hidden("RCSLocation") }

// Format prints the name of the type and nothing of the content.
func (RCSLocation) Format(s fmt.State, _ rune) { hide(s, "RCSLocation") }

// LogValue returns the name of the type and nothing of the content.
func (RCSLocation) LogValue() slog.Value { return hiddenValue("RCSLocation") }

// String returns the name of the type and nothing of the content.
func (RCSCompose) String() string { return hidden("RCSCompose") }

// GoString returns the name of the type and nothing of the content.
func (RCSCompose) GoString() string { return hidden("RCSCompose") }

// Format prints the name of the type and nothing of the content.
func (RCSCompose) Format(s fmt.State, _ rune) { hide(s, "RCSCompose") }

// LogValue returns the name of the type and nothing of the content.
func (RCSCompose) LogValue() slog.Value { return hiddenValue("RCSCompose") }

// String returns the name of the type and nothing of the content.
func (RCSEvent) String() string { return hidden("RCSEvent") }

// GoString returns the name of the type and nothing of the content.
func (RCSEvent) GoString() string { return hidden("RCSEvent") }

// Format prints the name of the type and nothing of the content.
func (RCSEvent) Format(s fmt.State, _ rune) { hide(s, "RCSEvent") }

// LogValue returns the name of the type and nothing of the content.
func (RCSEvent) LogValue() slog.Value { return hiddenValue("RCSEvent") }
