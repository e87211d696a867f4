package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// newClient makes a client of a server and closes it with the test.
func newClient(tb testing.TB, s venue, change ...func(*bizppurio.Config)) *bizppurio.Client {
	tb.Helper()
	cfg := bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), From: "0212345678",
		Pool: engine.Config{TLS: s.TLSConfig()},
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := bizppurio.New(cfg)
	if err != nil {
		tb.Fatalf("New = %v", err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Errorf("Close() = %v", err)
		}
	})
	return c
}

func once(cfg *bizppurio.Config) { cfg.Retry.Attempts = 1 }

func sms(refKey string) send.Message {
	return send.Message{To: "010-1234-5678", RefKey: refKey, Content: send.SMS{Text: "인증번호는 123456 입니다."}}
}

// wantError checks the verdict of an error of a call.
func wantError(tb testing.TB, what string, err error, outcome send.Outcome, reason send.Reason) send.Error {
	tb.Helper()
	if got := send.OutcomeOf(err); got != outcome {
		tb.Fatalf("%s: outcome = %v (%v), want %v", what, got, err, outcome)
	}
	if err == nil {
		return send.Error{}
	}
	e, ok := errors.AsType[*send.Error](err)
	if !ok {
		tb.Fatalf("%s: error is a %T, want a *send.Error", what, err)
	}
	if e.Reason != reason {
		tb.Fatalf("%s: reason = %q (%v), want %q", what, e.Reason, err, reason)
	}
	return *e
}

func TestClient_Send(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithPathPrefix("/vendor"))
	c := newClient(t, s)
	r, err := c.Send(t.Context(), sms("order-1"))
	if err != nil {
		t.Fatalf("Send = %v, want nil", err)
	}
	if r.RefKey != "order-1" || r.MessageKey == "" || r.Attempts != 1 {
		t.Errorf("Send receipt = %+v, want RefKey order-1, a MessageKey and 1 attempt", r)
	}
	if got := s.Accepted("order-1"); got != 1 {
		t.Errorf("the server accepted %d, want 1", got)
	}
}

// TestClient_oneConnection is case 43: one token call and 1,050 sequential
// sends ride on one connection.
func TestClient_oneConnection(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	for i := range 1050 {
		if _, err := c.Send(t.Context(), sms(fmt.Sprintf("r-%d", i))); err != nil {
			t.Fatalf("Send %d = %v, want nil", i, err)
		}
	}
	if got := s.Conns(); got != 1 {
		t.Errorf("connections = %d, want 1", got)
	}
	if got := s.Requests(bizppuriotest.PathToken); got != 1 {
		t.Errorf("token calls = %d, want 1", got)
	}
	if got := s.TotalAccepted(); got != 1050 {
		t.Errorf("accepted = %d, want 1050", got)
	}
}

// TestClient_concurrent covers cases 5 and 84: each of many concurrent
// messages arrives once, with its own body.
func TestClient_concurrent(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Pool.AcquireTimeout = time.Minute })
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			m := send.Message{To: "01012345678", RefKey: fmt.Sprintf("r-%d", i), Content: send.SMS{Text: fmt.Sprintf("text %d", i)}}
			if _, err := c.Send(t.Context(), m); err != nil {
				t.Errorf("Send %d = %v, want nil", i, err)
			}
		})
	}
	wg.Wait()
	if d := s.Duplicates(); len(d) > 0 || s.TotalAccepted() != 200 {
		t.Errorf("accepted %d with duplicates %v, want 200 and none", s.TotalAccepted(), d)
	}
	seen := map[string]bool{}
	for _, body := range s.Messages() {
		var m send.Message
		if err := m.UnmarshalJSON(body); err != nil {
			t.Fatalf("a body does not decode: %v", err)
		}
		text, _ := m.Content.(send.SMS)
		seen[m.RefKey+"="+text.Text] = true
	}
	for i := range 200 {
		if key := fmt.Sprintf("r-%d=text %d", i, i); !seen[key] {
			t.Errorf("no body for %s", key)
		}
	}
	if got := s.Conns(); got > 16 {
		t.Errorf("connections = %d, want at most 16", got)
	}
}

// TestClient_guards is case 57.
func TestClient_guards(t *testing.T) {
	t.Parallel()
	_, err := new(bizppurio.Client).Send(t.Context(), sms(""))
	wantError(t, "zero client", err, send.NotSent, send.Closed)
	_, err = (*bizppurio.Client)(nil).Send(t.Context(), sms(""))
	wantError(t, "nil client", err, send.NotSent, send.Closed)
	if err := new(bizppurio.Client).Close(); err != nil {
		t.Errorf("zero client: Close() = %v, want nil", err)
	}
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	_, err = c.Send(nil, sms("")) //nolint:staticcheck // what happens is the point
	wantError(t, "nil context", err, send.NotSent, send.Canceled)
	r, err := c.Send(t.Context(), send.Message{})
	wantError(t, "empty message", err, send.Rejected, send.Invalid)
	if r.RefKey == "" || len(r.RefKey) > 32 {
		t.Errorf("RefKey of an invalid message = %q, want a generated one", r.RefKey)
	}
	if got := s.Requests(bizppuriotest.PathToken); got != 0 {
		t.Errorf("token calls for nothing = %d, want 0", got)
	}
}

// TestClient_expired is case 21: nothing is sent for a context that is over.
func TestClient_expired(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := c.Send(ctx, sms("r"))
	wantError(t, "expired", err, send.NotSent, send.Canceled)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("errors.Is(%v, DeadlineExceeded) = false, want true", err)
	}
	if s.Requests(bizppuriotest.PathMessage) != 0 || s.Conns() != 0 {
		t.Errorf("the network was touched")
	}
}
