package bizppuriotest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// connect returns a client of s. It waits little and leaves the breaker off.
func connect(tb testing.TB, s *bizppuriotest.Server, change ...func(*bizppurio.Config)) *bizppurio.Client {
	tb.Helper()
	cfg := bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(),
		Pool:           engine.Config{TLS: s.TLSConfig(), Proxy: noProxy, AcquireTimeout: 30 * time.Second, DialTimeout: 30 * time.Second},
		Retry:          engine.Retry{Attempts: 1},
		Breaker:        engine.Breaker{Failures: 1 << 30},
		AttemptTimeout: 30 * time.Second,
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := bizppurio.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Case 81: the client on the server and the fake keep one contract.
func TestCheckSender_Client(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	if err := bizppuriotest.CheckSender(t.Context(), connect(t, s)); err != nil {
		t.Errorf("CheckSender(Client) = %v, want nil", err)
	}
	if got := s.Duplicates(); len(got) != 0 {
		t.Errorf("Duplicates() = %q, want none", got)
	}
}

// The recipients of the package comment: fake and client come to the same
// verdict, and the server accepted what the comment says.
func TestNumbers_Agree(t *testing.T) {
	t.Parallel()
	rows := map[string]int{ // to how often it is accepted
		"01000000000": 1, "01012345678": 1, "01000009999": 1, "01000000304": 1, "01000000399": 1, "01000005000": 1,
		"01000001001": 1, "01000001007": 1,
		"01000006001": 1, "01000006002": 1, "01000006003": 1, "01000006004": 0, "01000006005": 0, "01000006006": 0,
		"01000006007": 1, "01000006008": 1, "01000006012": 1,
	}
	for _, code := range []int{
		2000, 3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009, 3010, 3011, 3012, 3013, 3014,
		5001, 5002, 5003, 5004, 5005, 9000,
		301, 302, 303, 305, 307, 308, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 599,
	} {
		rows[fmt.Sprintf("0100000%04d", code)] = 0
	}
	for to, accepted := range rows {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			timeout := 30 * time.Second
			if to == "01000006003" || to == "01000006006" {
				timeout = 3 * time.Second
			}
			client := connect(t, s, func(c *bizppurio.Config) { c.AttemptTimeout = timeout })
			m := letter("order-1")
			m.To = to
			_, fromFake := (&bizppuriotest.Fake{}).Send(t.Context(), m)
			receipt, fromClient := client.Send(t.Context(), m)
			if got, want := verdict(fromFake), verdict(fromClient); got != want {
				t.Errorf("the fake says %q, the client %q (%v)", got, want, fromClient)
			}
			if got := s.Accepted("order-1"); got != accepted {
				t.Errorf("Accepted = %d, want %d", got, accepted)
			}
			if got := s.Seen("order-1"); got != receipt.Attempts {
				t.Errorf("Seen = %d, Attempts = %d", got, receipt.Attempts)
			}
		})
	}
}

// What fails only the first time is mended by the client's own second try.
func TestNumbers_Once(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"01000006009", "01000006010", "01000006011"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			fake := &bizppuriotest.Fake{}
			for name, sender := range map[string]send.Sender{
				"fake": fake, "client": connect(t, s, func(c *bizppurio.Config) { c.Retry = engine.Retry{} }),
			} {
				for i, attempts := range []int{2, 1} {
					m := letter("order-1")
					m.To = to
					r, err := sender.Send(t.Context(), m)
					if err != nil || r.Attempts != attempts {
						t.Errorf("%s, call %d: %d attempts, %v, want %d", name, i, r.Attempts, err, attempts)
					}
				}
			}
			if got := s.Accepted("order-1"); got != 2 {
				t.Errorf("Accepted = %d, want once for each call", got)
			}
		})
	}
}

// What a client comes to without a request: a fake that is scripted with it
// has made as many attempts.
func TestFake_AttemptsAgree(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	briefly, end := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(end)
	ad := letter("ad")
	night := time.Now().In(time.FixedZone("KST", 9*60*60)).AddDate(0, 0, 1)
	ad.Ad, ad.At = true, time.Date(night.Year(), night.Month(), night.Day(), 3, 0, 0, 0, night.Location())
	lost := letter("lost")
	lost.To = "01000006004"
	for reason, c := range map[send.Reason]struct {
		change func(*bizppuriotest.Server, *bizppurio.Config)
		first  func(*bizppurio.Client) // before the call
		ctx    context.Context         //nolint:containedctx // a row of a table
		m      send.Message
		want   int
	}{
		send.Invalid:       {m: send.Message{}},
		send.Closed:        {first: func(c *bizppurio.Client) { _ = c.Close() }, m: letter("")},
		send.Canceled:      {ctx: ended, m: letter("")},
		send.OutsideWindow: {m: ad},
		send.CircuitOpen: {
			change: func(_ *bizppuriotest.Server, c *bizppurio.Config) {
				c.Breaker = engine.Breaker{Failures: 1, Cooldown: time.Hour}
			},
			first: func(c *bizppurio.Client) { _, _ = c.Send(t.Context(), lost) }, m: letter(""),
		},
		send.TokenUnavailable: {
			change: func(s *bizppuriotest.Server, _ *bizppurio.Config) {
				s.Respond(bizppuriotest.PathToken, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
			}, m: letter(""),
		},
		send.RateLimited: {
			change: func(_ *bizppuriotest.Server, c *bizppurio.Config) { c.Rate = 1e-4 },
			first:  func(c *bizppurio.Client) { _, _ = c.Send(t.Context(), letter("")) }, ctx: briefly, m: letter(""),
		},
		send.VendorFault: {m: send.Message{To: "01000009000", From: "0200000000", Content: send.SMS{Text: "a"}}, want: 1},
	} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			client := connect(t, s, func(cfg *bizppurio.Config) {
				if c.change != nil {
					c.change(s, cfg)
				}
			})
			if c.first != nil {
				c.first(client)
			}
			ctx := t.Context()
			if c.ctx != nil {
				ctx = c.ctx
			}
			fromClient, err := client.Send(ctx, c.m)
			if !errors.Is(err, reason) || fromClient.Attempts != c.want {
				t.Fatalf("the client: %d attempts, %v, want %d and %s", fromClient.Attempts, err, c.want, string(reason))
			}
			for _, scripted := range []error{reason, err} {
				f := &bizppuriotest.Fake{}
				f.Script(scripted)
				if r, _ := f.Send(t.Context(), letter("")); r.Attempts != c.want {
					t.Errorf("the fake scripted with %T: %d attempts, want %d", scripted, r.Attempts, c.want)
				}
			}
		})
	}
}

// Every message that the fake refuses the client refuses, for the same fields.
func TestValidation_Agrees(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	client := connect(t, s)
	for name, m := range map[string]send.Message{
		"nothing": {}, "bad from": {To: to, From: "1", Content: send.SMS{Text: "x"}}, "no text": {To: to, From: "0200000000", Content: send.SMS{}},
		"long": {To: to, From: "0200000000", Content: send.LMS{Subject: string(make([]byte, 65)), Text: "x"}},
	} {
		_, fromFake := (&bizppuriotest.Fake{}).Send(t.Context(), m)
		_, fromClient := client.Send(t.Context(), m)
		if got, want := verdict(fromFake), verdict(fromClient); got != want || want != "rejected invalid 0 0" {
			t.Errorf("%s: the fake says %q, the client %q", name, got, want)
		}
	}
	if s.Conns() != 0 {
		t.Errorf("Conns() = %d, want 0", s.Conns())
	}
}

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }
