package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-bizppurio/sdk/send"
)

// list is a file of recipients, read and checked as a whole before anything is
// sent.
type list struct {
	campaign string   // whose rows these are
	encoding string   // of the file
	header   []string // as in the file
	unused   []string // columns that are neither ours nor the template's
	rows     []row
	other    int // rows that -only leaves out
}

// Columns of a list that are no variables.
const (
	columnTo     = "to"
	columnRefKey = "refkey"
)

// ours begins the columns that a result file adds. A list has none, so that
// its own columns are never written over.
const ours = "result_"

// Columns of a result file that -only reads.
const (
	columnRow      = ours + "row"
	columnOutcome  = ours + "outcome"
	columnCampaign = ours + "campaign"
)

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
	text, encoding, err := decode(b, o.encoding)
	if err != nil {
		return nil, err
	}
	header, rows, err := records(text)
	if err != nil {
		return nil, err
	}
	l := &list{encoding: encoding, header: header}
	cols, err := l.columns(o.only, tpl.Variables())
	if err != nil {
		return nil, err
	}
	if o.only != "" {
		l.campaign = cols.campaignOf(rows)
	} else if l.campaign, err = campaignOf(b, tpl, o); err != nil {
		return nil, err
	}
	seen := make(marks)
	for _, r := range rows {
		r.id = r.line
		if o.only != "" && r.fields == nil {
			r.id = 0 // a line of a result file is no row of the campaign
		}
		if o.only != "" && r.fields != nil {
			if r.fields[cols.outcome] != o.only {
				l.other++
				continue
			}
			r.id, r.bad = cols.resume(r.fields, l.campaign)
		}
		if r.bad == nil {
			r.message, r.bad = cols.message(r.fields, tpl, o.ad)
		}
		if r.bad == nil {
			r.bad = seen.add(r)
		}
		l.rows = append(l.rows, r)
	}
	return l, nil
}

// campaignOf is the name of a campaign: whoever changes the list, the template,
// -ad or the account begins another one. Its letter keeps Excel from taking it
// for a number.
func campaignOf(list []byte, tpl send.Template, o options) (string, error) {
	b, err := json.Marshal(struct {
		List     [sha256.Size]byte
		Template send.Template
		Ad       bool
		Account  string
	}{sha256.Sum256(list), tpl, o.ad, o.account})
	sum := sha256.Sum256(b)
	return "c" + hex.EncodeToString(sum[:8]), err
}

// columns says where in a row what is.
type columns struct {
	header                 []string
	to, refKey             int // -1: no such column
	row, outcome, campaign int // of a result file
	variables              map[string]int
	used                   []int // by a message
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
	var problems []error
	find := func(name, why string) int {
		i, ok := at[name]
		switch {
		case ok:
			return i
		case why != "":
			problems = append(problems, fmt.Errorf("header: no column %q%s", name, why))
		}
		return -1
	}
	c := columns{header: l.header, to: find(columnTo, ", the number"), refKey: find(columnRefKey, ""), variables: make(map[string]int)}
	for _, name := range variables {
		c.variables[name] = find(name, ", which the template asks for")
	}
	if only != "" {
		const why = ", which -only asks for: is this a result file?"
		c.row, c.outcome, c.campaign = find(columnRow, why), find(columnOutcome, why), find(columnCampaign, why)
	}
	for i, name := range l.header {
		switch {
		case name == columnTo, name == columnRefKey, slices.Contains(variables, name):
			c.used = append(c.used, i)
		case !strings.HasPrefix(name, ours):
			l.unused = append(l.unused, name)
		}
		if only == "" && strings.HasPrefix(name, ours) {
			problems = append(problems, fmt.Errorf("header: the column %q is one of a result file; say -only not_sent to send what was not sent, or rename it", name))
		}
	}
	return c, errors.Join(problems...)
}

// campaignOf is the campaign that a result file is of.
func (c columns) campaignOf(rows []row) string {
	for _, r := range rows {
		if r.fields != nil {
			return r.fields[c.campaign]
		}
	}
	return ""
}

// resume says which row of the campaign a row of a result file is.
func (c columns) resume(fields []string, campaign string) (id int, err error) {
	if fields[c.campaign] != campaign {
		return 0, errors.New("of another campaign than the first row")
	}
	if id, err = strconv.Atoi(fields[c.row]); err != nil || id < 1 {
		return 0, fmt.Errorf("%s: not the number of a line", columnRow)
	}
	return id, nil
}

// message makes the message of a row, and checks it.
func (c columns) message(fields []string, tpl send.Template, ad bool) (send.Message, error) {
	for _, i := range c.used { // a quote too many or too few makes one of several rows
		if strings.ContainsAny(fields[i], "\r\n") {
			return send.Message{}, fmt.Errorf("a line break in %q", c.header[i])
		}
	}
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
			fmt.Fprintf(&b, "%s: skipped: %s\n", r.where(), strings.ReplaceAll(r.bad.Error(), "\n", "; "))
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
