package report

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "REDACTED"

// String returns what may be logged: the vendor's keys and the result, without
// number, name, RefKey and user information.
func (r Report) String() string {
	return fmt.Sprintf("report.Report{MessageKey:%q MessageID:%q Medium:%s Result:%s/%d Status:%s To:%s}",
		r.MessageKey, r.MessageID, mediumLabel(r.Medium), r.Result.Family, r.Result.Code, r.Status(), mask(r.To))
}

// GoString returns the same as String.
func (r Report) GoString() string { return r.String() }

// Format writes what String returns, whatever the verb.
func (r Report) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// LogValue returns the attributes that String shows.
func (r Report) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("messagekey", r.MessageKey),
		slog.String("messageid", r.MessageID),
		slog.String("medium", mediumLabel(r.Medium)),
		slog.String("family", string(r.Result.Family)),
		slog.Int("code", r.Result.Code),
		slog.String("status", r.Status().String()),
		slog.String("to", mask(r.To)),
	)
}

func mask(s string) string {
	if s == "" {
		return ""
	}
	return redacted
}

// mediumLabel is Medium from a closed set: what the vendor sends there is open.
func mediumLabel(medium string) string {
	if m := knownMedium(medium); m != "" {
		return m
	}
	return "other"
}
