package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// createResults makes the file that the results are written to, so that a
// folder that is missing is noticed before anything is sent. Results of an
// earlier run go: should this one be killed, they would no longer be true.
func createResults(name string) (*os.File, error) {
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("-out %s: not a file", name)
	}
	part, err := os.OpenFile(partOf(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, part.Close())
	}
	return part, nil
}

// partOf is the name of the results while they are not complete.
func partOf(name string) string { return name + ".part" }

// writeResults writes what became of every row of the list, in its order and
// with all its columns. The file is there as a whole or not at all.
func writeResults(part *os.File, name string, l *list, book *journal) error {
	err := results(part, l, book)
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("the results could not be written, the same command again does that: %w", err)
	}
	return nil
}

func results(w io.Writer, l *list, book *journal) error {
	var kept []int // columns of the list
	for i, name := range l.header {
		if !strings.HasPrefix(name, ours) {
			kept = append(kept, i)
		}
	}
	if _, err := io.WriteString(w, bom); err != nil { // else Excel takes it for EUC-KR
		return err
	}
	out := csv.NewWriter(w)
	record := func(fields []string, own ...string) {
		line := make([]string, 0, len(kept)+len(own))
		for _, i := range kept {
			field := ""
			if fields != nil {
				field = fields[i]
			}
			line = append(line, field)
		}
		_ = out.Write(append(line, own...)) // Error tells
	}
	record(l.header, columnOutcome, ours+"reason", ours+"code", ours+"refkey", ours+"messagekey", ours+"attempts", ours+"retry_after",
		columnRow, columnCampaign, ours+"bad_row")
	for _, r := range l.rows {
		e := book.of(r.id)
		raw, after, code := "", "", ""
		if r.bad != nil {
			raw = r.raw
			if e.Outcome == send.NotSent.String() {
				e.Outcome, e.Reason = send.Rejected.String(), string(send.Invalid)
			}
		}
		if e.RefKey == "" {
			e.RefKey = r.message.RefKey
		}
		if !e.RetryAfter.IsZero() {
			after = e.RetryAfter.Format(time.RFC3339)
		}
		if e.Code != 0 {
			code = strconv.Itoa(e.Code)
		}
		record(r.fields, e.Outcome, e.Reason, code, e.RefKey, e.MessageKey, strconv.Itoa(e.Attempts), after,
			strconv.Itoa(r.id), l.campaign, raw)
	}
	out.Flush()
	return out.Error()
}

// errUnfinished says that the campaign is over and there is more to do.
var errUnfinished = errors.New("rows are left")

// unfinished is nil if every row was accepted, or refused by the vendor. With
// no journal it looks at nothing but the list.
func unfinished(l *list, book *journal) error {
	bad, tally := 0, make(map[string]int)
	for _, r := range l.rows {
		switch {
		case r.bad != nil:
			bad++
		case book != nil:
			tally[book.of(r.id).Outcome]++
		}
	}
	notSent, unknown := tally[send.NotSent.String()], tally[send.Unknown.String()]
	if bad+notSent+unknown == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s bad, %s not sent, %s unknown", errUnfinished, grouped(bad), grouped(notSent), grouped(unknown))
}
