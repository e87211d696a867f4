package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// unsent is an engine's error that proves nothing was sent.
var errUnsent = &engine.Error{Phase: engine.Dial, Unsent: true, Err: errors.New("refused")}

// TestRetry covers cases 1, 3, 6 and 10: what is repeated, and nothing else.
func TestRetry(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			resp := respond(r, status, body)
			for i := 0; i < len(header); i += 2 {
				resp.Header.Set(header[i], header[i+1])
			}
			return resp, nil
		}
	}
	fail := func(err error) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	tests := []struct {
		name     string
		engine   func(*http.Request) (*http.Response, error)
		retry    engine.Retry
		requests int
		outcome  send.Outcome
		reason   send.Reason
		least    time.Duration // of virtual time
		most     time.Duration
	}{
		{"dial refused", fail(errUnsent), engine.Retry{}, 3, send.NotSent, send.Unreachable, 150 * time.Millisecond, 300 * time.Millisecond},
		{"dial refused, one attempt", fail(errUnsent), engine.Retry{Attempts: 1}, 1, send.NotSent, send.Unreachable, 0, 0},
		{"dial refused, seven attempts", fail(errUnsent), engine.Retry{Attempts: 7, MaxWait: 200 * time.Millisecond}, 7, send.NotSent, send.Unreachable, 550 * time.Millisecond, 1100 * time.Millisecond},
		{"busy", answer(400, `{"code":3008}`), engine.Retry{}, 3, send.NotSent, send.Busy, 150 * time.Millisecond, 300 * time.Millisecond},
		{"rate limited", answer(429, `{"code":5002}`, "RateLimit-Reset", "0.5"), engine.Retry{}, 3, send.NotSent, send.RateLimited, time.Second, 1100 * time.Millisecond},
		{"rate limited for longer than MaxWait", answer(429, `{"code":5002}`, "RateLimit-Reset", "2.1"), engine.Retry{}, 1, send.NotSent, send.RateLimited, 0, 0},
		{"lost after a byte", fail(io.EOF), engine.Retry{Attempts: 9}, 1, send.Unknown, send.ConnectionLost, 0, 0},
		{"lost after a byte, typed", fail(&engine.Error{Phase: engine.Wait, Err: io.EOF}), engine.Retry{Attempts: 9}, 1, send.Unknown, send.ConnectionLost, 0, 0},
		{"500", answer(500, ""), engine.Retry{Attempts: 9}, 1, send.Unknown, send.VendorFault, 0, 0},
		{"503 of a gateway", answer(503, `{"message":"service unavailable"}`), engine.Retry{Attempts: 9}, 1, send.Unknown, send.VendorFault, 0, 0},
		{"9000", answer(500, `{"code":9000}`), engine.Retry{Attempts: 9}, 1, send.Unknown, send.VendorFault, 0, 0},
		{"5003", answer(502, `{"code":5003}`), engine.Retry{Attempts: 9}, 1, send.Unknown, send.VendorFault, 0, 0},
		{"5005", answer(504, `{"code":5005}`), engine.Retry{Attempts: 9}, 1, send.Unknown, send.VendorFault, 0, 0},
		{"408", answer(408, ""), engine.Retry{Attempts: 9}, 1, send.Unknown, send.BadResponse, 0, 0},
		{"refused", answer(400, `{"code":2000}`), engine.Retry{Attempts: 9}, 1, send.Rejected, send.Refused, 0, 0},
		{"no free connection", fail(&engine.Error{Phase: engine.Acquire, Unsent: true, Err: errors.New("busy")}), engine.Retry{Attempts: 9}, 1, send.NotSent, send.PoolTimeout, 0, 0},
		{"neither answer nor error", fail(nil), engine.Retry{Attempts: 9}, 1, send.Unknown, send.ConnectionLost, 0, 0},
		{"redirect", answer(307, "", "Location", "https://elsewhere.example"), engine.Retry{Attempts: 9}, 1, send.Unknown, send.BadResponse, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c := stubbed(t, bizppurio.Config{Retry: tt.retry}, func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/v1/token" {
						return respond(r, 200, `{"accesstoken":"t"}`), nil
					}
					requests++
					body, err := io.ReadAll(r.Body)
					if err != nil || !bytes.Contains(body, []byte(`"refkey":"r"`)) {
						t.Errorf("attempt %d has no whole body: %v", requests, err)
					}
					return tt.engine(r)
				})
				begun := time.Now()
				receipt, err := c.Send(t.Context(), sms("r"))
				wantError(t, tt.name, err, tt.outcome, tt.reason)
				if requests != tt.requests || receipt.Attempts != tt.requests {
					t.Errorf("requests = %d, Attempts = %d, want %d", requests, receipt.Attempts, tt.requests)
				}
				if took := time.Since(begun); took < tt.least || took > tt.most {
					t.Errorf("Send took %v, want %v to %v", took, tt.least, tt.most)
				}
			})
		})
	}
}

// TestRetry_untilItWorks: refused twice, then accepted.
func TestRetry_untilItWorks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			if n++; n < 3 {
				return nil, errUnsent
			}
			return respond(r, 200, `{"code":1000,"messagekey":"k"}`), nil
		})
		r, err := c.Send(t.Context(), sms("r"))
		if err != nil || r.Attempts != 3 || r.MessageKey != "k" {
			t.Errorf("Send = %+v, %v, want 3 attempts and nil", r, err)
		}
	})
}

// TestRetry_deadline is case 19: a wait that cannot fit is not begun.
func TestRetry_deadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{MaxWait: time.Minute}}, vendor(func(*http.Request) string { return `{"code":5002}` }))
		if _, err := c.Send(t.Context(), sms("first")); send.OutcomeOf(err) != send.NotSent {
			t.Fatal(err)
		}
		c = stubbed(t, bizppurio.Config{Retry: engine.Retry{MaxWait: time.Minute}}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			resp := respond(r, 429, `{"code":5002}`)
			resp.Header.Set("RateLimit-Reset", "10")
			return resp, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := c.Send(ctx, sms("r"))
		e := wantError(t, "deadline", err, send.NotSent, send.RateLimited)
		if e.RetryAfter != 10*time.Second || time.Since(begun) != 0 {
			t.Errorf("RetryAfter = %v after %v, want 10s at once", e.RetryAfter, time.Since(begun))
		}
	})
}

// TestRetry_cancelled is case 20: cancelled in the back-off, both the context's
// error and the last answer are there.
func TestRetry_cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{MinWait: time.Minute, MaxWait: time.Hour}}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			return respond(r, 503, `{"code":5004}`), nil
		})
		cause := errors.New("shift is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		begun := time.Now()
		_, err := c.Send(ctx, sms("r"))
		e := wantError(t, "cancelled", err, send.NotSent, send.Canceled)
		if e.Status != 503 || e.Code != 5004 {
			t.Errorf("status %d, code %d, want 503, 5004", e.Status, e.Code)
		}
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("%v is not both Canceled and its cause", err)
		}
		if time.Since(begun) != time.Second {
			t.Errorf("Send took %v, want 1s", time.Since(begun))
		}
	})
}

// TestRetry_rules covers cases 2 and 14: every public call has a rule for
// repeating it, the token call one of its own.
func TestRetry_rules(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *bizppurio.Client) error{
		"/v3/message": func(ctx context.Context, c *bizppurio.Client) error {
			_, err := c.Send(ctx, sms("r"))
			return err
		},
		"/v2/file": func(ctx context.Context, c *bizppurio.Client) error {
			_, err := c.UploadImage(ctx, send.Upload{JPEG: bytes.NewReader(jpeg())})
			return err
		},
		"/v2/report": func(ctx context.Context, c *bizppurio.Client) error { return c.RequestReport(ctx, "k") },
		"/v1/result/request": func(ctx context.Context, c *bizppurio.Client) error {
			_, err := c.Poll(ctx)
			return err
		},
		"/v1/result/confirm": func(ctx context.Context, c *bizppurio.Client) error { return c.Confirm(ctx, []string{"m"}) },
	}
	if got, want := bizppurio.Paths(), len(calls)+1; len(got) != want {
		t.Fatalf("operations = %v, want %d: give the new one a row here", got, want)
	}
	for path, call := range calls {
		for name, want := range map[string]int{"unsent": 3, "lost": 1, "fault": 1} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := 0
					c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
						switch {
						case r.URL.Path == "/v1/token":
							return respond(r, 200, `{"accesstoken":"t"}`), nil
						case r.URL.Path != path:
							t.Errorf("path = %s, want %s", r.URL.Path, path)
						}
						for _, key := range []string{"Idempotency-Key", "X-Idempotency-Key", "Traceparent", "Baggage", "Cookie"} {
							if _, ok := r.Header[key]; ok { // cases 11, 12 and 76: net/http repeats a POST that has the first
								t.Errorf("header %s is set", key)
							}
						}
						n++
						switch name {
						case "unsent":
							return nil, errUnsent
						case "lost":
							return nil, io.EOF
						}
						return respond(r, 500, ""), nil
					})
					if err := call(t.Context(), c); err == nil {
						t.Error("the call succeeded")
					}
					if n != want {
						t.Errorf("requests = %d, want %d", n, want)
					}
				})
			})
		}
	}
	t.Run("/v1/token", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			for name, want := range map[string]int{"unsent": 3, "lost": 1, "fault": 3, "refused": 1} {
				n := 0
				c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
					n++
					switch name {
					case "unsent":
						return nil, errUnsent
					case "lost":
						return nil, io.EOF
					case "refused":
						return respond(r, 400, `{"code":3007}`), nil
					}
					return respond(r, 502, "<html>"), nil
				})
				if err := c.Warm(t.Context()); err == nil {
					t.Error("the call succeeded")
				}
				if n != want {
					t.Errorf("%s: token requests = %d, want %d", name, n, want)
				}
			}
		})
	})
}
