// Package report reads Bizppurio's delivery reports (전송 결과): whether a
// message that was accepted reached the handset, or why it did not.
//
// Reports come to a webhook (PUSH) or are fetched (POLLING). Both forms are
// one [Report] here:
//
//	http.Handle("POST /bizppurio/{secret}", report.Handler(
//		report.Config{Secret: os.Getenv("REPORT_SECRET")},
//		func(ctx context.Context, r report.Report) error {
//			return save(ctx, r) // nil: answered 200 and not handed over again
//		}))
//
// For POLLING see ConsumeReports of the client, which calls [Decode].
//
// # One message, several reports
//
// With alternative send (대체발송) a message has up to three channels. The
// failure of the first comes as a record of its own before the second one's
// delivery, or both sit in one record; the vendor documents either form. So a
// failed record is not a failed message: [Settle] takes all records of one
// RefKey, and [Tracker] does the same as they arrive. Silence means nothing:
// no report is never a reason to send again.
//
// # Whom to believe
//
// The vendor signs nothing and may deliver a report more than once, in any
// order. Trust a report whose RefKey you know (package send makes them
// unguessable), keep the webhook's URL secret, and make the function
// idempotent by MessageID.
//
// # Numbers and names
//
// A [Report] holds a person's number. fmt and slog print it masked;
// encoding/json writes everything, for outboxes and queues. Two things are
// out of reach: slog's JSON of a slice of reports, and what fmt prints of a
// report in an unexported field.
package report
