package main

import (
	"errors"
	"strings"
	"time"

	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
)

// row is all that the page learns about a message. What reaches a browser is
// chosen here, not forwarded: no number but masked, no text, no name.
type row struct {
	ID       string   `json:"id"`  // the RefKey
	Rev      int      `json:"rev"` // the number of the change in its session
	Sent     int64    `json:"sent"`
	To       string   `json:"to"` // masked
	Kind     string   `json:"kind"`
	Channels []string `json:"channels"`

	Outcome  string  `json:"outcome,omitempty"` // "" while the send is on its way
	Reason   string  `json:"reason,omitempty"`
	Code     int     `json:"code,omitempty"`
	CodeText string  `json:"codeText,omitempty"`
	Error    string  `json:"error,omitempty"` // the SDK's own text, which is safe to show
	Attempts int     `json:"attempts"`
	Took     float64 `json:"took"` // ms of the send, to the outcome

	Delivery string   `json:"delivery"` // waiting, delivered, failed, uncertain; none: nothing will come
	Reports  []record `json:"reports,omitempty"`
}

// record is what the page learns of a delivery report.
type record struct {
	Medium   string `json:"medium"`
	Status   string `json:"status"`
	Family   string `json:"family,omitempty"`
	Code     int    `json:"code,omitempty"`
	Text     string `json:"text,omitempty"`
	Fallback string `json:"fallback,omitempty"` // the result of a fallback in the same record
	After    int64  `json:"after"`              // ms since the send began
}

// The words of row.Delivery beside those of [report.Status].
const (
	deliveryWaiting = "waiting"
	deliveryNone    = "none"
)

// newRow is a message that is about to be sent.
func newRow(m send.Message, k kind, now time.Time) row {
	channels := []string{m.Type()}
	for _, c := range m.Fallback {
		channels = append(channels, send.Message{Content: c}.Type())
	}
	return row{
		ID: m.RefKey, Sent: now.UnixMilli(), To: mask(m.To), Kind: k.Name, Channels: channels,
		Delivery: deliveryWaiting,
	}
}

// finish enters the outcome of the send.
func (r *row) finish(receipt send.Receipt, err error, took time.Duration) {
	outcome := send.OutcomeOf(err)
	r.Outcome = outcome.String()
	r.Attempts = receipt.Attempts
	r.Took = float64(took.Microseconds()) / 1000
	if verdict := (*send.Error)(nil); errors.As(err, &verdict) {
		r.Reason = string(verdict.Reason)
		r.Code, r.CodeText = int(verdict.Code), verdict.Code.Text()
		r.Error = verdict.Error()
	}
	if len(r.Reports) == 0 && (outcome == send.Rejected || outcome == send.NotSent) {
		r.Delivery = deliveryNone
	}
}

// report enters a delivery report, and what all of them say by now. Uncertain
// is worth showing only when a report says so.
func (r *row) report(rep report.Report, all report.Status, now time.Time) {
	r.Reports = append(r.Reports, record{
		Medium: label(rep.Medium), Status: rep.Status().String(),
		Family: string(rep.Result.Family), Code: rep.Result.Code, Text: rep.Result.Text(),
		Fallback: label(strings.Join([]string{rep.Fallback.TelRes, rep.Fallback.KaoRes, rep.Fallback.RCSRes}, "")),
		After:    now.UnixMilli() - r.Sent,
	})
	switch {
	case all != report.Uncertain:
		r.Delivery = all.String()
	case rep.Status() == report.Uncertain:
		r.Delivery = all.String()
	default: // a channel failed, its fallback is still to come
		r.Delivery = deliveryWaiting
	}
}

// label is a word of the vendor's, of which nobody knows all.
func label(s string) string {
	const most = 16
	return s[:min(len(s), most)]
}

// mask shows what tells a person's own test numbers apart, and nothing of what
// is no number.
func mask(number string) string {
	digits := strings.NewReplacer("-", "", " ", "").Replace(number)
	if strings.Trim(digits, "0123456789") != "" || len(digits) < 10 {
		return "***"
	}
	return digits[:3] + "-****-" + digits[len(digits)-4:]
}
