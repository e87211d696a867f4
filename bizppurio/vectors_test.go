package bizppurio_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
	"github.com/go-bizppurio/sdk/token"
)

// vector is a row of testdata/responses.json: an answer of the vendor, and
// what it means.
type vector struct {
	Name     string         `json:"name"`
	Endpoint string         `json:"endpoint"`
	Status   int            `json:"status"`
	Headers  map[string]any `json:"headers"`
	Body     string         `json:"body"`
	Base64   string         `json:"body_base64"`
	Repeat   *struct {
		Prefix, Unit, Suffix string
		Count                int
	} `json:"body_repeat"`
	Cut      bool      `json:"cut"`
	Received time.Time `json:"received"`
	Expect   struct {
		Outcome          any     `json:"outcome"`
		Reason           any     `json:"reason"`
		Code             *int    `json:"code"`
		MessageKey       *string `json:"messagekey"`
		FileKey          *string `json:"filekey"`
		Reports          *int    `json:"reports"`
		RetryAfter       []int64 `json:"retry_after_ms"`
		Requests         *int    `json:"requests"`
		Token            string  `json:"token"`
		Expires          any     `json:"expires"`
		MaxTokenRequests int     `json:"max_token_requests"`
	} `json:"expect"`
}

// one lists what a member allows: one value or several.
func one(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, e.(string))
		}
		return all
	}
	return nil
}

// constant turns the name of a Reason constant into its value: RateLimited
// into rate_limited.
func constant(name string) send.Reason {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return send.Reason(strings.ToLower(b.String()))
}

func vectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/responses.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []vector
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

func (v vector) answer(t *testing.T) bizppuriotest.Answer {
	t.Helper()
	a := bizppuriotest.Answer{Status: v.Status, Header: http.Header{}, Body: []byte(v.Body), Cut: v.Cut}
	for name, value := range v.Headers {
		for _, one := range one(value) {
			a.Header.Add(name, one)
		}
	}
	if v.Base64 != "" {
		b, err := base64.StdEncoding.DecodeString(v.Base64)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = b
	}
	if r := v.Repeat; r != nil {
		a.Body = []byte(r.Prefix + strings.Repeat(r.Unit, r.Count) + r.Suffix)
	}
	// No call but polling asks for gzip: what would be accepted goes plain.
	if a.Header.Get("Content-Encoding") == "gzip" && slices.Contains(one(v.Expect.Outcome), "accepted") {
		a.Header.Del("Content-Encoding")
		if zipped, err := gunzip(a.Body); err == nil {
			a.Body = zipped
		}
	}
	return a
}

// TestVectors runs every row of responses.json over real TLS: it covers cases
// 24, 25, 29, 50 to 54 and 80, and many more.
func TestVectors(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		"token": bizppuriotest.PathToken, "message": bizppuriotest.PathMessage, "file": bizppuriotest.PathFile,
		"report": bizppuriotest.PathReport, "poll": bizppuriotest.PathPoll, "confirm": bizppuriotest.PathConfirm,
	}
	for _, v := range vectors(t) {
		if v.Expect.Token != "" {
			continue // good on one day only: TestVectors_token
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			s.Misbehave(bizppuriotest.Reply(v.answer(t)).On(paths[v.Endpoint]).Always())
			c := newClient(t, s, once)

			var receipt send.Receipt
			var image send.Image
			var err error
			handled, counted := 0, v.Endpoint
			switch v.Endpoint {
			case "token", "message":
				receipt, err = c.Send(t.Context(), sms("order-0001"))
				counted = "message"
			case "file":
				image, err = c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg())})
			case "report":
				err = c.RequestReport(t.Context(), "260429185700123#sms027420abcdefgh")
			case "poll":
				var got []report.Report
				got, err = c.Poll(t.Context())
				handled = len(got)
			case "confirm":
				err = c.Confirm(t.Context(), []string{"0429se_SL46760273836abcdefgh"})
			}

			want := v.Expect
			if got := send.OutcomeOf(err).String(); !slices.Contains(one(want.Outcome), got) {
				t.Fatalf("outcome = %s (%v), want %v", got, err, want.Outcome)
			}
			var e *send.Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("error is a %T, want a *send.Error", err)
			}
			if e != nil && want.Reason != nil {
				ok := slices.ContainsFunc(one(want.Reason), func(name string) bool { return constant(name) == e.Reason })
				if !ok {
					t.Errorf("reason = %q (%v), want %v", e.Reason, err, want.Reason)
				}
			}
			if e != nil && want.Code != nil && int(e.Code) != *want.Code {
				t.Errorf("code = %d, want %d", e.Code, *want.Code)
			}
			if want.MessageKey != nil && receipt.MessageKey != *want.MessageKey {
				t.Errorf("messagekey = %q, want %q", receipt.MessageKey, *want.MessageKey)
			}
			if want.FileKey != nil && image.Key != *want.FileKey {
				t.Errorf("filekey = %q, want %q", image.Key, *want.FileKey)
			}
			if want.Reports != nil && handled != *want.Reports {
				t.Errorf("reports = %d, want %d", handled, *want.Reports)
			}
			if r := want.RetryAfter; r != nil {
				if got := e.RetryAfter.Milliseconds(); got < r[0] || got > r[1] {
					t.Errorf("retry after = %d ms, want %d to %d", got, r[0], r[1])
				}
			}
			if want.Requests != nil {
				if got := s.Requests(paths[counted]); got != *want.Requests {
					t.Errorf("requests = %d, want %d", got, *want.Requests)
				}
			}
			if want.MaxTokenRequests > 0 {
				for range 99 {
					_, _ = c.Send(t.Context(), sms("order-0001"))
				}
				if got := s.Requests(paths["token"]); got > want.MaxTokenRequests {
					t.Errorf("token requests = %d, want at most %d", got, want.MaxTokenRequests)
				}
			}
			if s.Violations() != nil {
				t.Errorf("violations: %v", s.Violations())
			}
		})
	}
}

// TestVectors_token reads value and expiry of the token rows, each with the
// clock at its instant of receipt.
func TestVectors_token(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, v := range vectors(t) {
		if v.Expect.Token == "" {
			continue
		}
		ran++
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				advance(time.Until(v.Received))
				a := v.answer(t)
				saved := &spyStore{}
				c, err := bizppurio.New(bizppurio.Config{
					Account: "acct01", Password: "pw", From: "0212345678", Tokens: saved,
					Engine: engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
						status, body := a.Status, a.Body
						if r.URL.Path != "/v1/token" {
							status, body = 200, []byte(`{"code":1000}`)
						}
						return &http.Response{StatusCode: status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
					})),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if _, err := c.Send(t.Context(), sms("order-0001")); err != nil {
					t.Fatalf("Send = %v, want nil", err)
				}
				synctest.Wait()
				got := saved.last()
				if got.Value != v.Expect.Token {
					t.Errorf("token differs from %q", v.Expect.Token)
				}
				ok := false
				for _, want := range one(v.Expect.Expires) {
					if want == "fallback" {
						ok = ok || got.Expires.After(v.Received) && !got.Expires.After(v.Received.Add(24*time.Hour))
						continue
					}
					at, err := time.Parse(time.RFC3339, want)
					if err != nil {
						t.Fatal(err)
					}
					ok = ok || got.Expires.Equal(at)
				}
				if !ok {
					t.Errorf("expires = %v, want %v", got.Expires, v.Expect.Expires)
				}
			})
		})
	}
	if ran < 20 {
		t.Errorf("only %d token rows ran", ran)
	}
}

var _ token.Store = (*spyStore)(nil)
