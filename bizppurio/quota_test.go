package bizppurio_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// meteredVendor is an engine that answers after a while, and allows a number
// of calls in each window of time (spec 5).
type meteredVendor struct {
	limit  int
	window time.Duration
	delay  func() time.Duration
	silent bool // no headers but on refusals

	mu      sync.Mutex
	since   time.Time
	used    int
	begun   []time.Time
	refused int
}

func (v *meteredVendor) roundTrip(r *http.Request) (*http.Response, error) {
	wait := v.delay()
	if err := pause(r.Context(), wait/2); err != nil {
		return nil, err
	}
	resp := v.answer(r)
	if err := pause(r.Context(), wait-wait/2); err != nil {
		return nil, err
	}
	return resp, nil
}

func (v *meteredVendor) answer(r *http.Request) *http.Response {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	v.begun = append(v.begun, now)
	if now.Sub(v.since) >= v.window {
		v.since, v.used = now, 0
	}
	v.used++
	resp := respond(r, 200, `{"code":1000}`)
	switch {
	case v.used > v.limit:
		v.refused++
		resp = respond(r, 429, `{"code":5002}`)
	case r.URL.Path == "/v1/token":
		resp = respond(r, 200, `{"accesstoken":"t"}`)
	}
	if !v.silent || v.used > v.limit {
		resp.Header["Ratelimit-Limit"] = []string{strconv.Itoa(v.limit)}
		resp.Header["Ratelimit-Remaining"] = []string{strconv.Itoa(max(v.limit-v.used, 0))}
		resp.Header["Ratelimit-Reset"] = []string{fmt.Sprintf("%.3f", (v.window - now.Sub(v.since)).Seconds())}
	}
	return resp
}

func (v *meteredVendor) eat(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.used += n
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func fixed(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// TestQuota: a campaign uses the vendor's limit up, is not refused, and does
// not rush into the windows that follow.
func TestQuota(t *testing.T) {
	t.Parallel()
	jitter := func() time.Duration { return 20*time.Millisecond + rand.N(60*time.Millisecond) }
	tests := []struct {
		name     string
		vendor   *meteredVendor
		n        int
		refused  int // most
		windows  int // least that n calls and one for the token need
		parallel int
	}{
		{"limit above parallel", &meteredVendor{limit: 100, window: time.Second, delay: fixed(28 * time.Millisecond)}, 1000, 0, 11, 64},
		{"answers overtake one another", &meteredVendor{limit: 100, window: time.Second, delay: jitter}, 1000, 0, 11, 64},
		{"vendor's example", &meteredVendor{limit: 1000, window: time.Second, delay: fixed(28 * time.Millisecond)}, 3000, 0, 4, 64},
		{"slow answers", &meteredVendor{limit: 50, window: time.Second, delay: fixed(3 * time.Second)}, 200, 0, 8, 64},
		{"limit below parallel", &meteredVendor{limit: 10, window: time.Second, delay: fixed(28 * time.Millisecond)}, 100, 0, 11, 64},
		{"only refusals tell", &meteredVendor{limit: 100, window: time.Second, delay: fixed(28 * time.Millisecond), silent: true}, 1000, 80, 11, 64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := tt.vendor
				c := stubbed(t, bizppurio.Config{}, v.roundTrip)
				if err := c.Warm(t.Context()); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				for r, err := range c.SendAll(t.Context(), recipients(tt.n), send.Batch{Parallel: tt.parallel}) {
					if err != nil {
						t.Errorf("send %d = %v, want nil", r.Index, err)
					}
				}
				took, ideal := time.Since(begun), time.Duration(tt.windows-1)*v.window
				t.Logf("%d in %v, ideal %v, refused %d", tt.n, took, ideal, v.refused)
				if v.refused > tt.refused {
					t.Errorf("refused = %d, want at most %d", v.refused, tt.refused)
				}
				if most := ideal + ideal/10 + v.window + 3*v.delay(); took > most {
					t.Errorf("took %v, want at most %v", took, most)
				}
			})
		})
	}
}

// TestQuota_shared: another process takes most of each window. Once a refusal
// has told, nobody calls before the reset.
func TestQuota_shared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &meteredVendor{limit: 100, window: time.Second, delay: fixed(28 * time.Millisecond)}
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{Attempts: 20}}, v.roundTrip)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for pause(ctx, 100*time.Millisecond) == nil {
				v.eat(7)
			}
		}()
		for r, err := range c.SendAll(t.Context(), recipients(1000), send.Batch{Parallel: 64}) {
			if err != nil {
				t.Errorf("send %d = %v, want nil", r.Index, err)
			}
		}
		t.Logf("refused %d of %d", v.refused, len(v.begun))
		if v.refused > 40 { // 1,000 messages, 30 a window
			t.Errorf("refused = %d, want few", v.refused)
		}
	})
}

// TestQuota_hung: sends that hang cost their share of a window, and hold up
// nobody after it.
func TestQuota_hung(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &meteredVendor{limit: 10, window: time.Second, delay: fixed(28 * time.Millisecond)}
		n := 0
		var mu sync.Mutex
		c := stubbed(t, bizppurio.Config{AttemptTimeout: 15 * time.Second}, func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			n++
			stuck := n >= 12 && n < 20
			mu.Unlock()
			if stuck {
				v.eat(1)
				return hang(r)
			}
			return v.roundTrip(r)
		})
		if err := c.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun, hung, last := time.Now(), 0, time.Duration(0)
		for _, err := range c.SendAll(t.Context(), recipients(100), send.Batch{Parallel: 9}) {
			if err != nil {
				hung++
				continue
			}
			last = time.Since(begun)
		}
		if hung != 8 || last > 14*time.Second {
			t.Errorf("%d hung, the others took %v, want 8, and about 10s", hung, last)
		}
	})
}

// TestQuota_givesUp is case 70 at the vendor's hold: callers that give up cost
// the next one nothing.
func TestQuota_givesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &meteredVendor{limit: 10, window: 10 * time.Second, delay: fixed(0)}
		c := stubbed(t, bizppurio.Config{}, v.roundTrip)
		for range 9 {
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				_, err := c.Send(ctx, sms(""))
				if o := send.OutcomeOf(err); o != send.NotSent {
					t.Errorf("outcome = %v, want not_sent", o)
				}
			})
		}
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), 20*time.Second) // the reset fits, a thousand before us do not
		_, err := c.Send(short, sms(""))
		stop()
		if e := wantError(t, "behind a thousand", err, send.NotSent, send.RateLimited); e.RetryAfter < 50*time.Second {
			t.Errorf("RetryAfter = %v, want about a minute", e.RetryAfter)
		}
		cancel()
		wg.Wait()
		if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) != 10*time.Second {
			t.Errorf("Send = %v after %v, want nil at the reset, 10s", err, time.Since(begun))
		}
	})
}

// TestQuota_oddReset: a reset that does not fit the others does not slow down
// the campaigns that follow, nor spoil what Capacity says.
func TestQuota_oddReset(t *testing.T) {
	t.Parallel()
	header := func(resp *http.Response, pairs ...string) *http.Response {
		for i := 0; i < len(pairs); i += 2 {
			resp.Header[pairs[i]] = []string{pairs[i+1]}
		}
		return resp
	}
	tests := []struct {
		name string
		odd  func(*http.Request) *http.Response
		most time.Duration // for 10,000 messages
	}{
		{"none", func(r *http.Request) *http.Response { return respond(r, 200, `{"code":1000}`) }, 11 * time.Second},
		{"a gateway's page", func(r *http.Request) *http.Response {
			return header(respond(r, 503, "<html>"), "Retry-After", "3600")
		}, 11 * time.Second},
		{"a reset without a limit", func(r *http.Request) *http.Response {
			return header(respond(r, 200, `{"code":1000}`), "Ratelimit-Remaining", "1", "Ratelimit-Reset", "3600")
		}, 11 * time.Second},
		{"the vendor's, once", func(r *http.Request) *http.Response {
			return header(respond(r, 200, `{"code":1000}`), "Ratelimit-Limit", "1000", "Ratelimit-Remaining", "999", "Ratelimit-Reset", "86400")
		}, 13 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &meteredVendor{limit: 1000, window: time.Second, delay: fixed(28 * time.Millisecond)}
				p := &plan{next: func(r *http.Request) (*http.Response, error) { return tt.odd(r), nil }}
				c := stubbed(t, bizppurio.Config{}, p.roundTrip)
				_, _ = c.Send(t.Context(), sms(""))
				p.set(v.roundTrip)
				advance(10 * time.Second)
				begun := time.Now()
				for r, err := range c.SendAll(t.Context(), recipients(10_000), send.Batch{Parallel: 64}) {
					if err != nil {
						t.Fatalf("send %d = %v, want nil", r.Index, err)
					}
				}
				took := time.Since(begun)
				_, perSecond := c.Capacity(time.Now())
				t.Logf("%v, refused %d, Capacity %.0f a second", took, v.refused, perSecond)
				if took > tt.most || v.refused > 0 || perSecond < 700 || perSecond > 1000 {
					t.Errorf("10,000 at 1,000 a second took %v, %d refused, Capacity %.0f a second, want at most %v, 0, about 900", took, v.refused, perSecond, tt.most)
				}
			})
		})
	}
}

// TestQuota_lateWindows: answers that come late in their windows tell of short
// resets. They do not make the windows short.
func TestQuota_lateWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 100
		start := time.Now()
		var mu sync.Mutex
		window, used, refused := -1, 0, 0
		wait := func(d time.Duration) { _ = pause(t.Context(), d) }
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{Attempts: 1}}, func(r *http.Request) (*http.Response, error) {
			wait(20 * time.Millisecond)
			mu.Lock()
			at := time.Since(start)
			now := int(at / time.Second)
			if now != window {
				window, used = now, 0
			}
			used++
			left := limit - used
			if left < 0 {
				refused++
			}
			mu.Unlock()
			wait(80 * time.Millisecond)
			resp := respond(r, 200, `{"code":1000,"accesstoken":"t"}`)
			if left < 0 {
				resp = respond(r, 429, `{"code":5002}`)
			}
			resp.Header = http.Header{
				"Ratelimit-Limit":     {strconv.Itoa(limit)},
				"Ratelimit-Remaining": {strconv.Itoa(max(left, 0))},
				"Ratelimit-Reset":     {fmt.Sprintf("%.3f", (time.Duration(now+1)*time.Second - at).Seconds())},
			}
			return resp, nil
		})
		for i := range 10 {
			phase := 80 * time.Millisecond
			if i >= 5 {
				phase = 930 * time.Millisecond
			}
			wait(time.Until(start.Add(time.Duration(i)*time.Second + phase)))
			if _, err := c.Send(t.Context(), sms("")); err != nil {
				t.Errorf("send %d = %v, want nil", i, err)
			}
		}
		wait(time.Until(start.Add(20*time.Second + 10*time.Millisecond)))
		var wg sync.WaitGroup
		for range 10 * limit {
			wg.Go(func() { _, _ = c.Send(t.Context(), sms("")) })
		}
		wg.Wait()
		if refused > 0 {
			t.Errorf("%d of %d sends were refused, want none", refused, 10*limit)
		}
	})
}
