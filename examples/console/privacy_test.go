package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Nothing that a browser receives holds the number or the text.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	const number, text = "01087654321", "canary text"
	p := startProgram(t, settings{})
	v := visit(t, p)
	e := v.listen()
	for _, to := range []string{number, "010-8765-4321", "+82 10 8765 4321", "x" + number} {
		ids := v.post(order{Kind: "sms", To: to, Text: text})
		if len(ids) != 1 {
			t.Fatal("the order was refused")
		}
		e.until(func(rows map[string]row) bool { return settled(1)(map[string]row{ids[0]: rows[ids[0]]}) })
	}
	raw, s := v.state()
	if len(s.Rows) != 4 {
		t.Fatalf("state has %d rows, want 4", len(s.Rows))
	}
	for where, told := range map[string]string{"state": raw, "events": e.heard.String()} {
		for _, secret := range []string{number, "8765", text} {
			if strings.Contains(told, secret) {
				t.Errorf("%s holds %q:\n%s", where, secret, told)
			}
		}
	}
}

// Who has no session, or another one, learns nothing.
func TestSessionsAreApart(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	one, two := visit(t, p), visit(t, p)
	if one.cookie.Value == two.cookie.Value || !wellFormed(one.cookie.Value) {
		t.Fatalf("sessions are the same or not random: %q", one.cookie.Value)
	}
	if !one.cookie.HttpOnly || one.cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("cookie = %v, want HttpOnly and SameSite=Lax", one.cookie)
	}
	hears := two.listen()
	own := one.listen()
	one.post(order{Kind: "sms", To: "010-0000-0000", Text: "hi"})
	own.until(settled(1))
	two.post(order{Kind: "lms", To: "010-0000-0000", Text: "hi"})
	hears.until(settled(1))
	for _, r := range hears.rows {
		if r.Kind != "lms" {
			t.Errorf("a session heard of another's message: %+v", r)
		}
	}
	if _, s := two.state(); len(s.Rows) != 1 {
		t.Errorf("state has %d rows, want the session's own one", len(s.Rows))
	}
	one.cookie = nil
	for _, path := range []string{"/events", "/state"} {
		if resp := one.do(http.MethodGet, path, nil); resp.StatusCode != http.StatusForbidden {
			t.Errorf("GET %s without a session = %s, want 403", path, resp.Status)
		}
	}
}

// A browser that has a session keeps it.
func TestSessionStays(t *testing.T) {
	t.Parallel()
	v := visit(t, startProgram(t, settings{}))
	if resp := v.do(http.MethodGet, "/", nil); len(resp.Cookies()) != 0 {
		t.Errorf("GET / with a session sets %v, want nothing", resp.Cookies())
	}
	v.cookie.Value = "guessed"
	if resp := v.do(http.MethodGet, "/", nil); len(resp.Cookies()) != 1 {
		t.Error("GET / with a bad session sets no cookie, want a new one")
	}
}

// Reports need their secret, and one about an unknown RefKey changes nothing.
func TestReportsNeedTheSecret(t *testing.T) {
	t.Parallel()
	c := newTestConsole(t, nil)
	const body = `{"MSGID":"1","REFKEY":"unknown","RESULT":"4100","MEDIA":"SMS"}`
	for path, want := range map[string]int{
		"/reports/secret": http.StatusOK,
		"/reports/guess":  http.StatusNotFound,
		"/reports/":       http.StatusMethodNotAllowed, // the page's, which has no POST there
	} {
		r := request(http.MethodPost, path, body)
		r.Header.Del("Sec-Fetch-Site")
		r.Header.Del("Cookie")
		if w := serve(c, r); w.Code != want {
			t.Errorf("POST %s = %d, want %d", path, w.Code, want)
		}
	}
	if rows := c.board.rows(session); len(rows) != 0 {
		t.Errorf("the board has %d rows, want 0", len(rows))
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	c := newTestConsole(t, nil)
	for _, path := range []string{"/", "/console.js", "/style.css", "/recipients.json", "/state", "/nothing"} {
		w := serve(c, request(http.MethodGet, path, ""))
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("GET %s: Content-Security-Policy = %q", path, csp)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("GET %s: headers = %v", path, w.Header())
		}
	}
}

// The page asks nobody but its own server, and has no script or style in line.
func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	entries, err := files.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := files.ReadFile("web/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "") // a name, not an address
		for _, bad := range []string{"http:", "https:", "src=\"//", "@import", "innerHTML", "eval(", " style=\"", "onclick="} {
			if strings.Contains(text, bad) {
				t.Errorf("web/%s holds %q", entry.Name(), bad)
			}
		}
	}
	w := serve(newTestConsole(t, nil), request(http.MethodGet, "/", ""))
	if body, _ := io.ReadAll(w.Body); !strings.Contains(string(body), "/console.js") {
		t.Errorf("GET / = %s, want the page", body)
	}
}

func TestOurs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, asked string
		want        bool
	}{
		{"127.0.0.1", "127.0.0.1:8090", true},
		{"127.0.0.1", "localhost:8090", true},
		{"127.0.0.1", "LOCALHOST", true},
		{"127.0.0.1", "[::1]:8090", true},
		{"127.0.0.1", "[::ffff:127.0.0.1]:8090", true},
		{"127.0.0.1", "evil.example:8090", false},
		{"127.0.0.1", "127.0.0.1.evil.example", false},
		{"127.0.0.1", "192.0.2.1:8090", false},
		{"127.0.0.1", "", false},
		{"192.0.2.1", "192.0.2.1:8090", true},
		{"host.example", "HOST.example:8090", true},
		{"host.example", "evil.example", false},
		{"", "anything.example", true},
		{"0.0.0.0", "anything.example", true},
		{"::", "anything.example", true},
	} {
		if got := ours(tt.host, tt.asked); got != tt.want {
			t.Errorf("ours(%q, %q) = %v, want %v", tt.host, tt.asked, got, tt.want)
		}
	}
}
