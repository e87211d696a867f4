package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-bizppurio/sdk/send"
)

// list is a file of recipients, read and checked as a whole before anything is
// sent.
type list struct {
	digest   string   // of the file and of what is taken from it
	encoding string   // of the file
	header   []string // as in the file
	unused   []string // columns that are neither ours nor the template's
	rows     []row
	other    int // rows that -only leaves out
}

// row is one recipient.
type row struct {
	line    int      // in the file, from 1
	fields  []string // as in the file
	message send.Message
	bad     error // why it cannot be sent
}

// Columns of a list that are no variables. Those behind refkey are written by
// a run, and read again with -only.
const (
	columnTo     = "to"
	columnRefKey = "refkey"
)

var resultColumns = []string{"row", "outcome", "reason", "code", "messagekey", "attempts", "retry_after"} //nolint:gochecknoglobals // constant

// readList reads the recipients and makes their messages.
func readList(o options) (*list, error) {
	tpl, err := readTemplate(o.template)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.template, err)
	}
	b, err := os.ReadFile(o.in)
	if err != nil {
		return nil, err
	}
	l, err := parseList(b, o, tpl)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.in, err)
	}
	return l, nil
}

func parseList(b []byte, o options, tpl send.Template) (*list, error) {
	sum := sha256.Sum256(append(bytes.Clone(b), o.only...))
	l := &list{digest: hex.EncodeToString(sum[:])}
	text, encoding, err := decode(b, o.encoding)
	if err != nil {
		return nil, err
	}
	l.encoding = encoding
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	if l.header, err = r.Read(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	cols, err := l.columns(o.only, tpl.Variables())
	if err != nil {
		return nil, err
	}
	keys := make(map[string]int) // RefKey: line
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		line := 0
		var broken *csv.ParseError
		switch {
		case errors.As(err, &broken):
			line = broken.StartLine
			if r.InputOffset() >= int64(len(text)) && strings.Count(text[:r.InputOffset()], "\n") > line {
				return nil, fmt.Errorf("line %d: a quote is not closed, so nothing behind it can be read", line)
			}
		case err != nil:
			return nil, err
		default:
			line, _ = r.FieldPos(0)
		}
		rw := row{line: line, fields: fields}
		switch {
		case err != nil:
			rw.bad = broken.Err
		case len(fields) != len(l.header):
			rw.bad = fmt.Errorf("%d fields, want %d", len(fields), len(l.header))
		case o.only != "" && fields[cols.outcome] != o.only:
			l.other++
			continue
		default:
			rw.message, rw.bad = cols.message(fields, tpl, o.ad)
		}
		if key := rw.message.RefKey; key != "" && rw.bad == nil {
			if first, twice := keys[key]; twice {
				rw.bad = fmt.Errorf("the refkey of line %d again", first)
			} else {
				keys[key] = line
			}
		}
		l.rows = append(l.rows, rw)
	}
}

// columns says where in a row what is.
type columns struct {
	to, refKey, outcome int // -1: no such column
	variables           map[string]int
}

func (l *list) columns(only string, variables []string) (columns, error) {
	at := make(map[string]int, len(l.header))
	for i, name := range l.header {
		name = strings.TrimSpace(name)
		l.header[i] = name
		if _, twice := at[name]; twice {
			return columns{}, fmt.Errorf("header: the column %q is there twice", name)
		}
		at[name] = i
	}
	find := func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		return -1
	}
	c := columns{to: find(columnTo), refKey: find(columnRefKey), outcome: find("outcome"), variables: make(map[string]int)}
	var problems []error
	if c.to < 0 {
		problems = append(problems, errors.New("header: no column \"to\""))
	}
	for _, name := range variables {
		if c.variables[name] = find(name); c.variables[name] < 0 {
			problems = append(problems, fmt.Errorf("header: no column %q, which the template asks for", name))
		}
	}
	switch {
	case only == "" && c.outcome >= 0 && find("messagekey") >= 0:
		problems = append(problems, errors.New("header: this is a result file; say -only not_sent to send what was not sent"))
	case only != "" && c.outcome < 0:
		problems = append(problems, errors.New("header: no column \"outcome\", which -only asks for"))
	}
	for _, name := range l.header {
		if name != columnTo && name != columnRefKey && !slices.Contains(resultColumns, name) && !slices.Contains(variables, name) {
			l.unused = append(l.unused, name)
		}
	}
	return c, errors.Join(problems...)
}

// message makes the message of a row, and checks it.
func (c columns) message(fields []string, tpl send.Template, ad bool) (send.Message, error) {
	vars := make(map[string]string, len(c.variables))
	for name, i := range c.variables {
		vars[name] = fields[i]
	}
	m := send.Message{To: fields[c.to], Ad: ad}
	if c.refKey >= 0 {
		m.RefKey = fields[c.refKey]
	}
	content, err := tpl.Render(vars)
	if err != nil {
		return m, err
	}
	m.Content = content
	return m, m.Validate()
}

// report says what was read, and which rows cannot be sent.
func (l *list) report(w io.Writer) {
	var b strings.Builder
	bad := 0
	for _, r := range l.rows {
		if r.bad != nil {
			bad++
			fmt.Fprintf(&b, "line %d: skipped: %s\n", r.line, strings.ReplaceAll(r.bad.Error(), "\n", "; "))
		}
	}
	if len(l.unused) > 0 {
		fmt.Fprintf(&b, "columns that the template does not use: %s\n", strings.Join(l.unused, ", "))
	}
	fmt.Fprintf(&b, "%s rows to send, %s bad", grouped(len(l.rows)-bad), grouped(bad))
	if l.other > 0 {
		fmt.Fprintf(&b, ", %s left out by -only", grouped(l.other))
	}
	fmt.Fprintf(&b, " (%s)\n", l.encoding)
	_, _ = io.WriteString(w, b.String())
}
