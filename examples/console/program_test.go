package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
)

// TestMain lets tests run the program as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("CONSOLE_AS_PROGRAM") != "" {
		main()
		return
	}
	_ = os.Unsetenv("BIZPPURIO_ACCOUNT") // no test meets a real account
	os.Exit(m.Run())
}

// startProgram runs the program as main does, without its delays.
func startProgram(t *testing.T, s settings) *program {
	t.Helper()
	p, err := start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

// visitor is a browser without a page: it has a session, posts and listens.
type visitor struct {
	t      *testing.T
	url    string
	cookie *http.Cookie
}

// visit opens the page of p and takes its cookie.
func visit(t *testing.T, p *program) *visitor {
	t.Helper()
	v := &visitor{t: t, url: p.url}
	resp := v.do(http.MethodGet, "/", nil)
	if resp.StatusCode != http.StatusOK || len(resp.Cookies()) != 1 {
		t.Fatalf("GET / = %s with %d cookies, want 200 OK with 1", resp.Status, len(resp.Cookies()))
	}
	v.cookie = resp.Cookies()[0]
	return v
}

// do sends a request and reads its answer whole.
func (v *visitor) do(method, path string, body any) *http.Response {
	v.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, bytes.NewReader(encoded))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if v.cookie != nil {
		req.AddCookie(v.cookie)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(read))
	return resp
}

// post sends an order and returns the RefKeys, none if it was refused.
func (v *visitor) post(o order) []string {
	v.t.Helper()
	resp := v.do(http.MethodPost, "/messages", o)
	var answer struct {
		IDs []string `json:"ids"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		v.t.Fatal(err)
	}
	return answer.IDs
}

// state returns the body of GET /state.
func (v *visitor) state() (raw string, s state) {
	v.t.Helper()
	body, err := io.ReadAll(v.do(http.MethodGet, "/state", nil).Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := json.Unmarshal(body, &s); err != nil {
		v.t.Fatal(err)
	}
	return string(body), s
}

// ear hears the events of a visitor from now on.
type ear struct {
	t     *testing.T
	lines *bufio.Scanner
	rows  map[string]row
	heard strings.Builder
}

func (v *visitor) listen() *ear {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 4*time.Minute)
	v.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+"/events", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.AddCookie(v.cookie)
	resp, err := new(http.Client).Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		v.t.Fatalf("GET /events = %s, want 200 OK", resp.Status)
	}
	return &ear{t: v.t, lines: bufio.NewScanner(resp.Body), rows: map[string]row{}}
}

// until listens until the rows are as wanted.
func (e *ear) until(want func(rows map[string]row) bool) {
	e.t.Helper()
	for !want(e.rows) {
		if !e.lines.Scan() {
			e.t.Fatalf("events ended: %v; rows so far: %+v", e.lines.Err(), e.rows)
		}
		e.heard.WriteString(e.lines.Text() + "\n")
		data, ok := strings.CutPrefix(e.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var r row
		if err := json.Unmarshal([]byte(data), &r); err != nil {
			e.t.Fatal(err)
		}
		e.rows[r.ID] = r
	}
}

// settled reports whether n rows have an outcome and a report.
func settled(n int) func(map[string]row) bool {
	return func(rows map[string]row) bool {
		done := 0
		for _, r := range rows {
			if r.Outcome != "" && r.Delivery != deliveryWaiting {
				done++
			}
		}
		return done >= n
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	real := &account{Config: bizppurio.Config{Account: "a", Password: "p", From: "0212345678"}}
	for name, s := range map[string]settings{
		"a real account for everybody": {addr: "0.0.0.0:0", real: real},
		"a real account on all hosts":  {addr: ":0", real: real},
		"no port":                      {addr: "127.0.0.1"},
		"a real account without name":  {real: &account{}},
	} {
		if p, err := start(t.Context(), s); err == nil {
			_ = p.close(t.Context())
			t.Errorf("start(%s) = nil, want an error", name)
		}
	}
}

// A real account is offered what it can send, and one message at a time. No
// message is sent here.
func TestRealAccount(t *testing.T) {
	t.Parallel()
	real := &account{Config: bizppurio.Config{Account: "a", Password: "p", From: "0212345678"}, senderKey: "key"}
	p := startProgram(t, settings{real: real})
	_, s := visit(t, p).state()
	var kinds []string
	for _, k := range s.Kinds {
		kinds = append(kinds, k.Name)
	}
	if got, want := strings.Join(kinds, " "), "brand_lms sms lms"; got != want || s.Simulated || s.MaxCount != 1 {
		t.Errorf("state = kinds %q, simulated %v, at most %d, want %q, false, 1", got, s.Simulated, s.MaxCount, want)
	}
	if resp := visit(t, p).do(http.MethodPost, "/reports/", nil); resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /reports/ without a secret = %s, want a refusal", resp.Status)
	}
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0"}, in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "open http://127.0.0.1:") || !strings.Contains(line, "simulated") {
		t.Errorf("run prints %q, %v, want where to go and that it is a simulation", line, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run = %v, want nil after the interrupt", err)
	}
}
