package bizppurio_test

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// delayed answers after d.
func delayed(d time.Duration, then func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if err := pause(r.Context(), d); err != nil {
			return nil, err
		}
		return then(r)
	}
}

// campaign sends n messages, and ignores what becomes of them.
func campaign(t *testing.T, c *bizppurio.Client, n, parallel int) {
	t.Helper()
	for r, err := range c.SendAll(t.Context(), recipients(n), send.Batch{Parallel: parallel}) {
		if r.RefKey == "" {
			t.Fatalf("result without a RefKey, error %v", err)
		}
	}
}

func TestClient_Capacity(t *testing.T) {
	t.Parallel()
	const second = time.Second
	tests := []struct {
		name   string
		config bizppurio.Config
		run    func(*testing.T, *bizppurio.Client, *plan)
		want   float64 // messages a second
	}{
		{"nothing measured", bizppurio.Config{}, func(*testing.T, *bizppurio.Client, *plan) {}, 0},
		{"64 in parallel, half a second each", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, _ *plan) {
			t.Helper()
			campaign(t, c, 6400, 64)
		}, 128},
		{"one after the other", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, _ *plan) {
			t.Helper()
			campaign(t, c, 100, 1)
		}, 2},
		{"pauses do not count", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, _ *plan) {
			t.Helper()
			for range 10 {
				campaign(t, c, 64, 64)
				advance(time.Hour)
			}
		}, 128},
		{"recent, not ever", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, p *plan) {
			t.Helper()
			campaign(t, c, 6400, 64)
			p.set(delayed(4*second, fine))
			campaign(t, c, 1280, 64)
		}, 16},
		{"what is not sent does not count", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, p *plan) {
			t.Helper()
			campaign(t, c, 640, 64)
			p.set(status(400, `{"code":3008}`))
			campaign(t, c, 1, 1)
			for range 1000 { // refused by ourselves
				_, _ = c.Send(t.Context(), send.Message{})
			}
		}, 640 / (5 + 0.225)}, // two back-offs, of 50 to 100 and 100 to 200 ms
		{"no more than Config.Rate", bizppurio.Config{Rate: 100}, func(t *testing.T, c *bizppurio.Client, _ *plan) {
			t.Helper()
			campaign(t, c, 64, 64)
		}, 100},
		{"no more than the vendor's limit", bizppurio.Config{}, func(t *testing.T, c *bizppurio.Client, p *plan) {
			t.Helper()
			p.set(delayed(second/2, func(r *http.Request) (*http.Response, error) {
				resp := respond(r, 200, `{"code":1000}`)
				resp.Header = http.Header{"Ratelimit-Limit": {"1000"}, "Ratelimit-Remaining": {"900"}, "Ratelimit-Reset": {"20"}}
				return resp, nil
			}))
			campaign(t, c, 64, 64)
		}, 50},
		{"one that hangs dilutes nothing", bizppurio.Config{AttemptTimeout: 10 * second}, func(t *testing.T, c *bizppurio.Client, p *plan) {
			t.Helper()
			p.set(hang)
			go func() { _, _ = c.Send(t.Context(), sms("")) }()
			synctest.Wait()
			p.set(delayed(second/2, fine))
			campaign(t, c, 64*18, 64)
			synctest.Wait()
		}, 128},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: delayed(time.Second/2, fine)}
				c := stubbed(t, tt.config, p.roundTrip)
				tt.run(t, c, p)
				n, got := c.Capacity(time.Now().Add(time.Minute))
				if math.Abs(got-tt.want) > tt.want/10 {
					t.Errorf("Capacity() = %v a second, want about %v", got, tt.want)
				}
				if want := int(got * 60); n != want {
					t.Errorf("Capacity(in a minute) = %d, want %d", n, want)
				}
				if n, _ := c.Capacity(time.Now().Add(-time.Minute)); n != 0 {
					t.Errorf("Capacity(a minute ago) = %d, want 0", n)
				}
			})
		})
	}
}

// TestClient_Capacity_window: without a time it is the ad window that ends it.
func TestClient_Capacity_window(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("", 9*3600)
	tests := []struct {
		name   string
		now    time.Time
		window send.Window
		want   int
	}{
		{"ten minutes left", time.Date(2026, 12, 1, 20, 40, 0, 0, kst), send.Window{}, 1200},
		{"closed", time.Date(2026, 12, 1, 20, 50, 0, 0, kst), send.Window{}, 0},
		{"before it opens", time.Date(2026, 12, 1, 7, 59, 0, 0, kst), send.Window{}, 0},
		{"another window", time.Date(2026, 12, 1, 20, 40, 0, 0, kst), send.Window{Open: 20 * time.Hour, Close: 21 * time.Hour}, 2400},
		{"never closes", time.Date(2026, 12, 1, 20, 40, 0, 0, kst), send.Window{Close: 24 * time.Hour}, math.MaxInt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: delayed(time.Second/2, fine)}
				c := stubbed(t, bizppurio.Config{AdWindow: tt.window}, p.roundTrip)
				campaign(t, c, 10, 1)
				advance(time.Until(tt.now))
				if n, _ := c.Capacity(time.Time{}); n != tt.want {
					t.Errorf("Capacity() = %d, want %d", n, tt.want)
				}
			})
		})
	}
}

func TestClient_Capacity_zero(t *testing.T) {
	t.Parallel()
	if n, rate := new(bizppurio.Client).Capacity(time.Time{}); n != 0 || rate != 0 {
		t.Errorf("Capacity() of no Client = %d, %v, want 0, 0", n, rate)
	}
}
