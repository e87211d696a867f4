package bizppurio_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// TestRate: all calls together keep Config.Rate.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: fine}
		c := stubbed(t, bizppurio.Config{Rate: 10}, p.roundTrip)
		if err := c.Warm(t.Context()); err != nil { // the token call takes one of the burst of 10
			t.Fatal(err)
		}
		begun := time.Now()
		var wg sync.WaitGroup
		for range 109 {
			wg.Go(func() {
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Errorf("Send = %v, want nil", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun).Round(time.Millisecond); took != 10*time.Second {
			t.Errorf("110 calls at 10/s with a burst of 10 took %v, want 10s", took)
		}
	})
}

// TestRate_givesBack covers cases 69 and 70: a wait that is cancelled or does
// not fit costs the others nothing, and is a refusal of our own.
func TestRate_givesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: fine}
		c := stubbed(t, bizppurio.Config{Rate: 1}, p.roundTrip)
		if err := c.Warm(t.Context()); err != nil { // takes the burst
			t.Fatal(err)
		}
		for range 50 {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			begun := time.Now()
			_, err := c.Send(ctx, sms(""))
			cancel()
			e := wantError(t, "does not fit", err, send.NotSent, send.RateLimited)
			if time.Since(begun) != 0 || e.RetryAfter <= 0 || e.RetryAfter > time.Second || e.Status != 0 || e.Code != 0 {
				t.Fatalf("error = %+v after %v, want RetryAfter within 1s, at once", e, time.Since(begun))
			}
		}
		for range 50 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.Send(ctx, sms(""))
				done <- err
			}()
			synctest.Wait()
			cancel()
			wantError(t, "cancelled", <-done, send.NotSent, send.Canceled)
		}
		begun := time.Now()
		if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) > time.Second {
			t.Errorf("Send = %v after %v, want nil within 1s", err, time.Since(begun))
		}
	})
}

// TestRate_vendor covers cases 67 and 68: after a 429 all callers wait for the
// reset, and then do not rush.
func TestRate_vendor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		limited := true
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Now())
			if !limited {
				return fine(r)
			}
			resp := respond(r, 429, `{"code":5002}`)
			resp.Header = http.Header{"Ratelimit-Limit": {"100"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"1.000"}}
			return resp, nil
		}}
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{Attempts: 1}}, p.roundTrip)
		_, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "429", err, send.NotSent, send.RateLimited)
		if e.RetryAfter != time.Second || !errors.Is(errors.Join(errors.New("x"), err), send.RateLimited) {
			t.Errorf("error = %+v, want RetryAfter 1s and RateLimited", e)
		}
		limited = false
		begun := time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Errorf("Send = %v, want nil", err)
				}
			})
		}
		wg.Wait()
		for i, when := range at[1:] {
			if when.Sub(begun) < time.Second {
				t.Errorf("request %d came %v after the 429, before the reset", i, when.Sub(begun))
			}
			if i > 0 && when.Sub(at[i]) < 10*time.Millisecond {
				t.Errorf("request %d came %v after the one before, want the vendor's pace of 10ms", i, when.Sub(at[i]))
			}
		}
		time.Sleep(time.Minute) //nolint:forbidigo // virtual
		begun = time.Now()
		for range 50 {
			_, _ = c.Send(t.Context(), sms(""))
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("after the recovery 50 sends took %v, want no pacing", took)
		}
	})
}

// TestRate_exhausted: an answer that says "none left" holds the next call,
// and a hold that is too long is not sat out.
func TestRate_exhausted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reset := "0.750"
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			resp := respond(r, 200, `{"code":1000}`)
			resp.Header = http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {reset}}
			return resp, nil
		}}
		c := stubbed(t, bizppurio.Config{}, p.roundTrip)
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		reset = "86400"
		if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) != 750*time.Millisecond {
			t.Errorf("Send = %v after %v, want nil after 750ms", err, time.Since(begun))
		}
		begun = time.Now()
		_, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "a day", err, send.NotSent, send.RateLimited)
		if time.Since(begun) != 0 || e.RetryAfter != 24*time.Hour {
			t.Errorf("RetryAfter = %v after %v, want 24h at once", e.RetryAfter, time.Since(begun))
		}
	})
}

// TestAdWindow covers cases 39 and 87: the hours are Korea's, asked at the
// moment of each attempt.
func TestAdWindow(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("", 9*3600)
	at := func(h, m int, more time.Duration) time.Time {
		return time.Date(2026, 12, 1, h, m, 0, 0, kst).Add(more)
	}
	ad := send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}}
	brand := send.Message{To: "01012345678", Content: send.BrandMessage{Kind: "ut", SenderKey: "k", BrandMessageType: "FREE", SendTarget: "friend", Text: "소식"}}
	later := ad
	later.At = at(21, 30, 0)
	tomorrow := ad
	tomorrow.At = at(8, 0, 24*time.Hour)
	plain := sms("")
	tests := []struct {
		name    string
		now     time.Time
		message send.Message
		after   time.Duration // of the refusal; negative: sent
	}{
		{"before eight", at(8, 0, -1), ad, 1},
		{"eight", at(8, 0, 0), ad, -1},
		{"just before the end", at(20, 50, -1), ad, -1},
		{"the end", at(20, 50, 0), ad, 11*time.Hour + 10*time.Minute},
		{"plain at night", at(23, 0, 0), plain, -1},
		{"reserved for the night", at(12, 0, 0), later, 0},
		{"reserved for the morning, at night", at(22, 0, 0), tomorrow, -1},
		{"brand message at night", at(20, 50, 0), brand, 11*time.Hour + 10*time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: fine}
				c := stubbed(t, bizppurio.Config{}, p.roundTrip)
				time.Sleep(time.Until(tt.now)) //nolint:forbidigo // virtual
				_, err := c.Send(t.Context(), tt.message)
				if tt.after < 0 {
					wantError(t, tt.name, err, send.Accepted, "")
					return
				}
				e := wantError(t, tt.name, err, send.NotSent, send.OutsideWindow)
				if e.RetryAfter != tt.after {
					t.Errorf("RetryAfter = %v, want %v", e.RetryAfter, tt.after)
				}
				if p.requests() != 0 {
					t.Error("the network was touched")
				}
			})
		})
	}
}

// TestAdWindow_edge: neither a retry nor a wait for the rate carries an ad over
// the edge.
func TestAdWindow_edge(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]bizppurio.Config{
		"retry": {Retry: engine.Retry{MinWait: 10 * time.Second, MaxWait: 10 * time.Second}},
		"rate":  {Rate: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: fine}
				c := stubbed(t, cfg, p.roundTrip)
				edge := time.Date(2026, 12, 1, 20, 50, 0, 0, time.FixedZone("", 9*3600))
				time.Sleep(time.Until(edge.Add(-time.Second))) //nolint:forbidigo // virtual
				if name == "retry" {
					p.set(status(503, `{"code":5004}`))
				} else if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Fatal(err)
				}
				before := p.requests()
				_, err := c.Send(t.Context(), send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}})
				wantError(t, name, err, send.NotSent, send.OutsideWindow)
				if got := p.requests() - before; name == "rate" && got != 0 || name == "retry" && got != 1 {
					t.Errorf("requests = %d, want none past the edge", got)
				}
			})
		})
	}
}
