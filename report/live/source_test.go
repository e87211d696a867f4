package live_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what a real socket shall bring.
const patience = time.Minute

// message is an event as a page sees it.
type message struct{ ID, Name, Data string }

// parser reads an event stream as HTML 9.2.6 says, and knows nothing of the
// code under test.
type parser struct {
	in       *bufio.Reader
	lines    []string // read, not yet looked at
	lastID   string
	comments int
}

func newParser(r io.Reader) *parser { return &parser{in: bufio.NewReader(r)} }

// line reads up to CR, LF or CRLF; the last line of a stream ends with LF.
func (p *parser) line() (string, error) {
	if len(p.lines) == 0 {
		s, err := p.in.ReadString('\n')
		if err != nil {
			return "", err
		}
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
		p.lines = strings.Split(s, "\r")
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line, nil
}

// next returns the next event that a page would be told of.
func (p *parser) next() (message, error) {
	var data []string
	name, id := "", p.lastID
	for {
		line, err := p.line()
		if err != nil {
			return message{}, err // an event cut short is dropped
		}
		if line == "" {
			p.lastID = id
			if len(data) > 0 {
				return message{ID: id, Name: name, Data: strings.Join(data, "\n")}, nil
			}
			name = ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			p.comments++
		case "event":
			name = value
		case "data":
			data = append(data, value)
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		}
	}
}

// all reads to the end.
func (p *parser) all() []message {
	var got []message
	for {
		m, err := p.next()
		if err != nil {
			return got
		}
		got = append(got, m)
	}
}

// source is a page's connection.
type source struct {
	*parser

	resp   *http.Response
	cancel context.CancelFunc
}

// open connects and returns once the header is there.
func open(t *testing.T, client *http.Client, url, lastID string) *source {
	t.Helper()
	s, err := dial(t.Context(), client, url, lastID)
	if err != nil {
		t.Fatalf("GET = %v, want a stream", err)
	}
	t.Cleanup(s.close)
	return s
}

func dial(ctx context.Context, client *http.Client, url, lastID string) (*source, error) {
	ctx, cancel := context.WithCancel(ctx)
	watchdog := time.AfterFunc(patience, cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := client.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		cancel()
		return nil, errors.New(resp.Status)
	}
	p := newParser(resp.Body)
	p.lastID = lastID
	return &source{parser: p, resp: resp, cancel: func() { watchdog.Stop(); cancel() }}, nil
}

func (s *source) close() {
	s.cancel()
	_ = s.resp.Body.Close()
}

// want reads one event and compares name and data.
func (s *source) want(t *testing.T, name, data string) message {
	t.Helper()
	m, err := s.next()
	if err != nil {
		t.Fatalf("next() = %v, want event %q", err, name)
	}
	if m.Name != name || m.Data != data {
		t.Fatalf("next() = %q %.40q, want %q %.40q", m.Name, m.Data, name, data)
	}
	return m
}

// eventually waits for a condition that no channel tells of.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
