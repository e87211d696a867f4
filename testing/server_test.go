package bizppuriotest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// client is a plain net/http client of a server.
type client struct {
	tb    testing.TB
	s     *bizppuriotest.Server
	http  *http.Client
	token string
}

func newClient(tb testing.TB, s *bizppuriotest.Server) *client {
	tb.Helper()
	tr := &http.Transport{TLSClientConfig: s.TLSConfig(), MaxIdleConnsPerHost: 64, DisableCompression: true}
	tb.Cleanup(tr.CloseIdleConnections)
	return &client{tb: tb, s: s, http: &http.Client{
		Transport:     tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

func (c *client) request(path, auth, body string) *http.Request {
	c.tb.Helper()
	req, err := http.NewRequestWithContext(c.tb.Context(), http.MethodPost, c.s.URL()+path, strings.NewReader(body))
	if err != nil {
		c.tb.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	if auth != "" {
		req.Header.Set("Authorization", auth)
	}
	return req
}

func (c *client) do(req *http.Request) (answer, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(b)}
	_ = json.Unmarshal(b, &a.json)
	return a, err
}

func basic(account, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(account+":"+password))
}

// login fetches a token.
func (c *client) login() {
	c.tb.Helper()
	a, err := c.do(c.request(bizppuriotest.PathToken, basic(c.s.Account(), c.s.Password()), ""))
	if err != nil {
		c.tb.Fatalf("token: %v", err)
	}
	c.token, _ = a.json["accesstoken"].(string)
	if c.token == "" {
		c.tb.Fatalf("token: %d %s", a.status, a.body)
	}
}

// post sends body to path with the token.
func (c *client) post(path, body string) (answer, error) {
	c.tb.Helper()
	if c.token == "" {
		c.login()
	}
	return c.do(c.request(path, "Bearer "+c.token, body))
}

// must is post for calls that get an answer.
func (c *client) must(path, body string) answer {
	c.tb.Helper()
	a, err := c.post(path, body)
	if err != nil {
		c.tb.Fatalf("POST %s: %v", path, err)
	}
	return a
}

// sms returns the body of an SMS.
func sms(refKey, to string) string {
	return fmt.Sprintf(`{"account":"acct01","refkey":%q,"type":"sms","from":"0200000000","to":%q,"content":{"sms":{"message":"안녕하세요"}}}`, refKey, to)
}

func code(a answer) int {
	n, _ := a.json["code"].(float64)
	return int(n)
}

// Case 83: the vendor, without an account and without a network.
func TestServer_Accepts(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	for _, key := range []string{"order-1", "order-2", "order-2"} {
		a := c.must(bizppuriotest.PathMessage, sms(key, "01000000000"))
		if a.status != 200 || code(a) != 1000 || a.json["refkey"] != key || a.json["messagekey"] == "" {
			t.Errorf("message = %d %s, want an acceptance of %s", a.status, a.body, key)
		}
	}
	for key, want := range map[string]int{"order-1": 1, "order-2": 2, "order-3": 0} {
		if got := s.Accepted(key); got != want {
			t.Errorf("Accepted(%q) = %d, want %d", key, got, want)
		}
		if got := s.Seen(key); got != want {
			t.Errorf("Seen(%q) = %d, want %d", key, got, want)
		}
	}
	if got := s.Duplicates(); len(got) != 1 || got[0] != "order-2" {
		t.Errorf("Duplicates() = %q, want order-2", got)
	}
	if s.Conns() != 1 || s.MaxOpenConns() != 1 || s.OpenConns() != 1 {
		t.Errorf("Conns, MaxOpenConns, OpenConns = %d, %d, %d, want 1", s.Conns(), s.MaxOpenConns(), s.OpenConns())
	}
	if got := s.Requests(bizppuriotest.PathMessage); got != 3 {
		t.Errorf("Requests(message) = %d, want 3", got)
	}
	if got := s.Requests(bizppuriotest.PathToken); got != 1 {
		t.Errorf("Requests(token) = %d, want 1", got)
	}
	if got := s.Messages(); len(got) != 3 || !bytes.Equal(got[0], []byte(sms("order-1", "01000000000"))) {
		t.Errorf("Messages() = %q, want the bodies", got)
	}
	if got := s.TotalAccepted(); got != 3 {
		t.Errorf("TotalAccepted() = %d, want 3", got)
	}
}
