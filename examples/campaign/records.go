package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-bizppurio/sdk/send"
)

// row is one recipient.
type row struct {
	line, last int      // where it is in the file, from 1
	raw        string   // as it is there
	fields     []string // nil: it could not be split
	bad        error    // why it cannot be sent

	id      int // its line in the list that the campaign began with
	message send.Message
}

// where says which lines of the file a row is.
func (r row) where() string {
	if r.last > r.line {
		return fmt.Sprintf("lines %d to %d", r.line, r.last)
	}
	return fmt.Sprintf("line %d", r.line)
}

// records splits a CSV file. A row that cannot be split is bad, with all the
// lines that its quotes have taken in.
func records(text string) (header []string, rows []row, err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	if header, err = r.Read(); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	for {
		begin := r.InputOffset()
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return header, rows, nil
		}
		rw := row{raw: strings.Trim(text[begin:r.InputOffset()], "\r\n")}
		var broken *csv.ParseError
		switch {
		case errors.As(err, &broken):
			rw.line, rw.bad = broken.StartLine, broken.Err
		case err != nil:
			return nil, nil, err
		default:
			rw.line, _ = r.FieldPos(0)
			rw.fields = fields
		}
		rw.last = rw.line + strings.Count(rw.raw, "\n")
		switch {
		case rw.bad == nil && len(fields) != len(header):
			rw.fields, rw.bad = nil, fmt.Errorf("%d fields, want %d", len(fields), len(header))
		case rw.bad != nil && rw.last > rw.line && r.InputOffset() == int64(len(text)):
			return nil, nil, fmt.Errorf("%s: a quote is not closed, so nothing behind it can be read", rw.where())
		}
		rows = append(rows, rw)
	}
}

// marks are what no two rows may share, and the line that has it.
type marks map[[2]string]int

// add refuses a row that says the same to the same number as an earlier one,
// or has its RefKey, or is that row again.
func (m marks) add(r row) error {
	message := r.message
	message.RefKey = ""
	body, err := json.Marshal(message) // with the number as the vendor gets it
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	own := [][2]string{{"the same as", string(sum[:])}, {"the row of", strconv.Itoa(r.id)}}
	if r.message.RefKey != "" {
		own = append(own, [2]string{"the refkey of", r.message.RefKey})
	}
	for _, mark := range own {
		if line, twice := m[mark]; twice {
			return fmt.Errorf("%s line %d", mark[0], line)
		}
	}
	for _, mark := range own {
		m[mark] = r.line
	}
	return nil
}
