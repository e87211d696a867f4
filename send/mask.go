package send

import (
	"fmt"
	"io"
	"log/slog"
)

// hide prints name in place of a value that holds a number, a text or a
// credential, whatever the verb: "send.SMS{…}". It is the Format method of
// each such type.
func hide(s fmt.State, name string) { _, _ = io.WriteString(s, hidden(name)) }

// hidden is what String and GoString return for such a type.
func hidden(name string) string { return "send." + name + "{…}" }

// hiddenValue is what LogValue returns for such a type.
func hiddenValue(name string) slog.Value { return slog.StringValue(hidden(name)) }

// Only json.Marshal tells what a message says; fmt and slog print the name of
// the type. Format answers every verb of fmt, so that none finds the fields by
// reflection.

// String returns the name of the type, and nothing of the value.
func (Message) String() string { return hidden("Message") }

// GoString returns the name of the type, and nothing of the value.
func (Message) GoString() string { return hidden("Message") }

// Format prints the name of the type, and nothing of the value.
func (Message) Format(s fmt.State, _ rune) { hide(s, "Message") }

// LogValue returns the name of the type, and nothing of the value.
func (Message) LogValue() slog.Value { return hiddenValue("Message") }

// String returns the name of the type, and nothing of the value.
func (SMS) String() string { return hidden("SMS") }

// GoString returns the name of the type, and nothing of the value.
func (SMS) GoString() string { return hidden("SMS") }

// Format prints the name of the type, and nothing of the value.
func (SMS) Format(s fmt.State, _ rune) { hide(s, "SMS") }

// LogValue returns the name of the type, and nothing of the value.
func (SMS) LogValue() slog.Value { return hiddenValue("SMS") }

// String returns the name of the type, and nothing of the value.
func (LMS) String() string { return hidden("LMS") }

// GoString returns the name of the type, and nothing of the value.
func (LMS) GoString() string { return hidden("LMS") }

// Format prints the name of the type, and nothing of the value.
func (LMS) Format(s fmt.State, _ rune) { hide(s, "LMS") }

// LogValue returns the name of the type, and nothing of the value.
func (LMS) LogValue() slog.Value { return hiddenValue("LMS") }

// String returns the name of the type, and nothing of the value.
func (MMS) String() string { return hidden("MMS") }

// GoString returns the name of the type, and nothing of the value.
func (MMS) GoString() string { return hidden("MMS") }

// Format prints the name of the type, and nothing of the value.
func (MMS) Format(s fmt.State, _ rune) { hide(s, "MMS") }

// LogValue returns the name of the type, and nothing of the value.
func (MMS) LogValue() slog.Value { return hiddenValue("MMS") }

// String returns the name of the type, and nothing of the value.
func (AlimTalk) String() string { return hidden("AlimTalk") }

// GoString returns the name of the type, and nothing of the value.
func (AlimTalk) GoString() string { return hidden("AlimTalk") }

// Format prints the name of the type, and nothing of the value.
func (AlimTalk) Format(s fmt.State, _ rune) { hide(s, "AlimTalk") }

// LogValue returns the name of the type, and nothing of the value.
func (AlimTalk) LogValue() slog.Value { return hiddenValue("AlimTalk") }

// String returns the name of the type, and nothing of the value.
func (Raw) String() string { return hidden("Raw") }

// GoString returns the name of the type, and nothing of the value.
func (Raw) GoString() string { return hidden("Raw") }

// Format prints the name of the type, and nothing of the value.
func (Raw) Format(s fmt.State, _ rune) { hide(s, "Raw") }

// LogValue returns the name of the type, and nothing of the value.
func (Raw) LogValue() slog.Value { return hiddenValue("Raw") }

// String returns the name of the type, and nothing of the value.
func (Encoded) String() string { return hidden("Encoded") }

// GoString returns the name of the type, and nothing of the value.
func (Encoded) GoString() string { return hidden("Encoded") }

// Format prints the name of the type, and nothing of the value.
func (Encoded) Format(s fmt.State, _ rune) { hide(s, "Encoded") }

// LogValue returns the name of the type, and nothing of the value.
func (Encoded) LogValue() slog.Value { return hiddenValue("Encoded") }

// String returns the name of the type, and nothing of the value.
func (Button) String() string { return hidden("Button") }

// GoString returns the name of the type, and nothing of the value.
func (Button) GoString() string { return hidden("Button") }

// Format prints the name of the type, and nothing of the value.
func (Button) Format(s fmt.State, _ rune) { hide(s, "Button") }

// LogValue returns the name of the type, and nothing of the value.
func (Button) LogValue() slog.Value { return hiddenValue("Button") }

// String returns the name of the type, and nothing of the value.
func (ItemList) String() string { return hidden("ItemList") }

// GoString returns the name of the type, and nothing of the value.
func (ItemList) GoString() string { return hidden("ItemList") }

// Format prints the name of the type, and nothing of the value.
func (ItemList) Format(s fmt.State, _ rune) { hide(s, "ItemList") }

// LogValue returns the name of the type, and nothing of the value.
func (ItemList) LogValue() slog.Value { return hiddenValue("ItemList") }

// String returns the name of the type, and nothing of the value.
func (Item) String() string { return hidden("Item") }

// GoString returns the name of the type, and nothing of the value.
func (Item) GoString() string { return hidden("Item") }

// Format prints the name of the type, and nothing of the value.
func (Item) Format(s fmt.State, _ rune) { hide(s, "Item") }

// LogValue returns the name of the type, and nothing of the value.
func (Item) LogValue() slog.Value { return hiddenValue("Item") }

// String returns the name of the type, and nothing of the value.
func (Highlight) String() string { return hidden("Highlight") }

// GoString returns the name of the type, and nothing of the value.
func (Highlight) GoString() string { return hidden("Highlight") }

// Format prints the name of the type, and nothing of the value.
func (Highlight) Format(s fmt.State, _ rune) { hide(s, "Highlight") }

// LogValue returns the name of the type, and nothing of the value.
func (Highlight) LogValue() slog.Value { return hiddenValue("Highlight") }

// String returns the name of the type, and nothing of the value.
func (Link) String() string { return hidden("Link") }

// GoString returns the name of the type, and nothing of the value.
func (Link) GoString() string { return hidden("Link") }

// Format prints the name of the type, and nothing of the value.
func (Link) Format(s fmt.State, _ rune) { hide(s, "Link") }

// LogValue returns the name of the type, and nothing of the value.
func (Link) LogValue() slog.Value { return hiddenValue("Link") }

// String returns the name of the type, and nothing of the value.
func (Upload) String() string { return hidden("Upload") }

// GoString returns the name of the type, and nothing of the value.
func (Upload) GoString() string { return hidden("Upload") }

// Format prints the name of the type, and nothing of the value.
func (Upload) Format(s fmt.State, _ rune) { hide(s, "Upload") }

// LogValue returns the name of the type, and nothing of the value.
func (Upload) LogValue() slog.Value { return hiddenValue("Upload") }

// String returns the name of the type, and nothing of the value.
func (Template) String() string { return hidden("Template") }

// GoString returns the name of the type, and nothing of the value.
func (Template) GoString() string { return hidden("Template") }

// Format prints the name of the type, and nothing of the value.
func (Template) Format(s fmt.State, _ rune) { hide(s, "Template") }

// LogValue returns the name of the type, and nothing of the value.
func (Template) LogValue() slog.Value { return hiddenValue("Template") }
