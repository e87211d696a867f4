package bizppurio_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// wantNoCanary checks every way of printing an error.
func wantNoCanary(tb testing.TB, err error, canaries ...string) {
	tb.Helper()
	for _, shown := range []string{fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), fmt.Sprintf("%q", err)} {
		for _, canary := range canaries {
			if strings.Contains(shown, canary) {
				tb.Errorf("the error shows %q: %s", canary, shown)
			}
		}
	}
}

// TestCanaries is case 71: whatever fails, neither error nor log shows a
// number, a text, the password or a token.
func TestCanaries(t *testing.T) {
	t.Parallel()
	faults := map[string]bizppuriotest.Fault{
		"drop": bizppuriotest.Drop(), "reset": bizppuriotest.ResetUnread(), "stall": bizppuriotest.Stall(),
		"html": bizppuriotest.HTML(502), "garbage": bizppuriotest.Garbage(), "cut": bizppuriotest.CutChunk(),
		"redirect": bizppuriotest.Redirect(307), "revoked": bizppuriotest.Revoke(), "desynchronised": bizppuriotest.OtherRefKey(),
		"endless": bizppuriotest.Endless(), "object": bizppuriotest.ObjectCode(),
	}
	for _, code := range []int{2000, 3000, 3007, 3008, 3011, 3014, 5001, 5002, 5004, 9000} {
		faults[strconv.Itoa(code)] = bizppuriotest.Code(code)
	}
	for _, path := range []string{bizppuriotest.PathMessage, bizppuriotest.PathToken} {
		for name, fault := range faults {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				s := bizppuriotest.NewServer(t, bizppuriotest.WithAccount("acct01", "canary-password"))
				s.Misbehave(fault.On(path).Always())
				var log lockedBuffer
				c := newClient(t, s, func(cfg *bizppurio.Config) {
					cfg.Retry.Attempts, cfg.AttemptTimeout = 1, time.Second
					cfg.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				})
				value := strings.TrimPrefix(bearerUnless(t, s, path == bizppuriotest.PathToken), "Bearer ")
				m := send.Message{To: "01077776666", From: "0255554444", RefKey: "r", UserInfo: "canary-user", Content: send.SMS{Text: "canary-text"}}
				_, err := c.Send(t.Context(), m)
				canaries := []string{"canary", "77776666", "55554444", value, "Y2FuYXJ5"} // the last is "canary" in Basic authentication
				wantNoCanary(t, err, canaries...)
				for _, canary := range canaries {
					if strings.Contains(log.String(), canary) {
						t.Errorf("the log shows %q: %s", canary, log.String())
					}
				}
				if log.String() == "" {
					t.Error("the log is empty")
				}
				for cause := err; cause != nil; cause = errors.Unwrap(cause) {
					wantNoCanary(t, cause, canaries...)
				}
			})
		}
	}
}

// bearerUnless is bearer, or a text that occurs nowhere.
func bearerUnless(tb testing.TB, s *bizppuriotest.Server, ill bool) string {
	tb.Helper()
	if ill {
		return "Bearer no-token"
	}
	return bearer(tb, s)
}
