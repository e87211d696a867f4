package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// outcomeOf is what is known of a row: a row that was begun and has no outcome
// may have been sent.
func outcomeOf(book *journal, line int) string {
	e, begun := book.rows[line]
	switch {
	case !begun:
		return send.NotSent.String()
	case e.Outcome == "":
		return send.Unknown.String()
	}
	return e.Outcome
}

// writeResults writes what became of every row of the list, in its order and
// with all its columns. The file is there as a whole or not at all.
func writeResults(name string, l *list, book *journal) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".results-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // gone after Rename
	err = results(file, l, book)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

func results(w io.Writer, l *list, book *journal) error {
	var kept []int // columns of the list that are not written anew
	for i, name := range l.header {
		if name != columnRefKey && !slices.Contains(resultColumns, name) {
			kept = append(kept, i)
		}
	}
	if _, err := io.WriteString(w, bom); err != nil { // else Excel takes it for EUC-KR
		return err
	}
	out := csv.NewWriter(w)
	record := func(r row, first string, rest ...string) {
		fields := []string{first}
		for _, i := range kept {
			field := ""
			if i < len(r.fields) {
				field = r.fields[i]
			}
			fields = append(fields, field)
		}
		_ = out.Write(append(fields, rest...)) // Error tells
	}
	record(row{fields: l.header}, "row", columnRefKey, "outcome", "reason", "code", "messagekey", "attempts", "retry_after")
	for _, r := range l.rows {
		e := book.rows[r.line]
		e.Outcome = outcomeOf(book, r.line)
		switch {
		case r.bad != nil:
			e.Outcome, e.Reason = send.Rejected.String(), string(send.Invalid)
		case e.RefKey == "":
			e.Reason = "not_begun"
		case e.Outcome == send.Unknown.String() && e.Reason == "":
			e.Reason = string(send.Interrupted)
		}
		if e.RefKey == "" {
			e.RefKey = r.message.RefKey
		}
		after, code := "", ""
		if !e.RetryAfter.IsZero() {
			after = e.RetryAfter.Format(time.RFC3339)
		}
		if e.Code != 0 {
			code = strconv.Itoa(e.Code)
		}
		record(r, strconv.Itoa(r.line), e.RefKey, e.Outcome, e.Reason, code, e.MessageKey, strconv.Itoa(e.Attempts), after)
	}
	out.Flush()
	return out.Error()
}
