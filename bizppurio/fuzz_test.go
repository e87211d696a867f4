package bizppurio_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// FuzzClient_answer is case 50: no status and no body makes Send panic or
// call a message accepted that the vendor did not take.
func FuzzClient_answer(f *testing.F) {
	for _, body := range []string{``, `{}`, `[]`, `null`, `{"code":1000}`, `{"code":"1000","refkey":"r"}`, `{"code":3002}`, `{"code":3001,"code":1000}`, `<html>`, `{"code":1000,"refkey":"x"}`, `{"code":5002}`} {
		for _, status := range []int{0, 100, 200, 204, 304, 400, 408, 429, 500, 503, 999} {
			f.Add(status, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		sent := 0
		cfg := bizppurio.Config{Account: "a", Password: "p", From: "0212345678", Retry: engine.Retry{Attempts: 1}}
		cfg.Engine = engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			sent++
			return respond(r, status, string(body)), nil
		}))
		c, err := bizppurio.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r, err := c.Send(t.Context(), sms("r"))
		var e *send.Error
		switch {
		case err == nil && (status < 200 || status > 299 || !bytes.Contains(body, []byte("1000"))):
			t.Errorf("status %d, body %q: accepted", status, body)
		case err != nil && (!errors.As(err, &e) || e.Status != status):
			t.Errorf("status %d, body %q: error = %#v, want a *send.Error with the status", status, body, err)
		}
		if sent != r.Attempts || sent > 2 || sent == 2 && !bytes.Contains(body, []byte("300")) {
			t.Errorf("status %d, body %q: sent %d times, Attempts %d", status, body, sent, r.Attempts)
		}
	})
}

// TestAnswer_empty is case 56: empty lists and nulls in every answer.
func TestAnswer_empty(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `null`, `[]`, `{}`, `{"code":null}`, `{"code":[]}`, `{"code":1000}`, `{"code":1000,"report":null}`, `{"code":1000,"report":[]}`,
		`{"code":1000,"report":[null]}`, `{"code":1000,"report":[[]]}`, `{"code":1000,"report":{}}`, `{"code":1000,"messagekey":[],"refkey":null}`,
		`{"filekey":[]}`, `{"accesstoken":[]}`, `{"accesstoken":null,"expired":[]}`,
	} {
		c := stubbed(t, oneAttempt(), func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			return respond(r, 200, body), nil
		})
		_, err := c.Send(t.Context(), sms("r"))
		if want := strings.Contains(body, "1000"); (err == nil) != want {
			t.Errorf("Send answered %s = %v", body, err)
		}
		if _, err := c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg())}); err == nil {
			t.Errorf("UploadImage answered %s = nil, want an error", body)
		}
		if batch, err := c.Poll(t.Context()); err == nil && len(batch) > 1 {
			t.Errorf("Poll answered %s = %d reports", body, len(batch))
		}
		_ = c.RequestReport(t.Context(), "k")
		_ = c.Confirm(t.Context(), []string{"m"})
		tokenless := stubbed(t, oneAttempt(), func(r *http.Request) (*http.Response, error) { return respond(r, 200, body), nil })
		_, err = tokenless.Send(t.Context(), sms("r"))
		wantErrorf(t, body, err, send.NotSent, send.TokenUnavailable)
	}
}
