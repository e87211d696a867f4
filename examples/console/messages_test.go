package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

const session = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// newTestConsole is a console without network on a fake.
func newTestConsole(t *testing.T, fake *bizppuriotest.Fake) *console {
	t.Helper()
	c := newConsole(fake, offer{simulated: true, kinds: kindsOf(simulatedSenderKey, simulatedTemplate, true)}, "secret")
	t.Cleanup(func() { _ = c.close() })
	return c
}

// request is what the page itself would send.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8090"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: cookieName, Value: session})
	return r
}

func serve(c *console, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.handler("127.0.0.1").ServeHTTP(w, r)
	return w
}

func TestMessages(t *testing.T) {
	t.Parallel()
	const good = `{"kind":"sms","to":"010-1234-5678","text":"hi"}`
	tests := []struct {
		name   string
		body   string
		change func(*http.Request)
		want   int
	}{
		{"as the page does it", good, nil, http.StatusAccepted},
		{"many", `{"kind":"sms","to":"010-1234-5678","text":"hi","count":50}`, nil, http.StatusAccepted},
		{"too many", `{"kind":"sms","to":"010-1234-5678","text":"hi","count":51}`, nil, http.StatusBadRequest},
		{"an invalid number is the SDK's to refuse", `{"kind":"sms","to":"?","text":"hi"}`, nil, http.StatusAccepted},
		{"no such kind", `{"kind":"fax","to":"010-1234-5678","text":"hi"}`, nil, http.StatusBadRequest},
		{"a number without end", `{"kind":"sms","to":"` + strings.Repeat("0", maxTo+1) + `"}`, nil, http.StatusBadRequest},
		{"unknown field", `{"kind":"sms","to":"010-1234-5678","text":"hi","from":"1"}`, nil, http.StatusBadRequest},
		{"not JSON", `kind=sms`, nil, http.StatusBadRequest},
		{"too large", `{"text":"` + strings.Repeat("x", maxOrder) + `"}`, nil, http.StatusBadRequest},
		{"a form", good, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
		{"no session", good, func(r *http.Request) { r.Header.Del("Cookie") }, http.StatusForbidden},
		{"a session that can be guessed", good, func(r *http.Request) { r.Header.Set("Cookie", cookieName+"=1") }, http.StatusForbidden},
		{"another site", good, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"another port of this machine", good, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
		{"another origin in an old browser", good, func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://127.0.0.1:9999")
		}, http.StatusForbidden},
		{"the same origin in an old browser", good, func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://127.0.0.1:8090")
		}, http.StatusAccepted},
		{"a name that resolves to this machine", good, func(r *http.Request) { r.Host = "evil.example:8090" }, http.StatusMisdirectedRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := new(bizppuriotest.Fake)
			c := newTestConsole(t, fake)
			r := request(http.MethodPost, "/messages", tt.body)
			if tt.change != nil {
				tt.change(r)
			}
			w := serve(c, r)
			if w.Code != tt.want {
				t.Errorf("POST /messages = %d %s, want %d", w.Code, w.Body, tt.want)
			}
			c.sending.Wait()
			if sent := len(fake.Sent()); (sent > 0) != (tt.want == http.StatusAccepted) {
				t.Errorf("%d messages were sent at status %d", sent, w.Code)
			}
		})
	}
}

// A person cannot start sends without bound: what does not fit is refused
// whole, and places come back.
func TestMessagesUnderWay(t *testing.T) {
	t.Parallel()
	fake := new(bizppuriotest.Fake)
	release := make(chan struct{})
	fake.Respond(func(send.Message) error {
		<-release
		return nil
	})
	c := newTestConsole(t, fake)
	post := func() int {
		return serve(c, request(http.MethodPost, "/messages", `{"kind":"sms","to":"010-1234-5678","text":"hi","count":50}`)).Code
	}
	for range maxSending / maxBurst {
		if code := post(); code != http.StatusAccepted {
			t.Fatalf("POST /messages = %d, want 202 while there is room", code)
		}
	}
	if code := post(); code != http.StatusTooManyRequests {
		t.Errorf("POST /messages = %d, want 429 when %d are under way", code, maxSending)
	}
	close(release)
	c.sending.Wait()
	if len(c.places) != 0 {
		t.Errorf("%d places are taken after all sends, want 0", len(c.places))
	}
	if code := post(); code != http.StatusAccepted {
		t.Errorf("POST /messages = %d, want 202 again", code)
	}
	c.sending.Wait()
	if got, want := len(fake.Sent()), (maxSending/maxBurst+1)*maxBurst; got != want {
		t.Errorf("%d messages were sent, want %d: a refused order sends none", got, want)
	}
}
