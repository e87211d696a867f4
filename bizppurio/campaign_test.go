package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// recipients yields n messages; each has its place in its RefKey.
func recipients(n int) iter.Seq[send.Message] {
	return func(yield func(send.Message) bool) {
		for i := range n {
			if !yield(sms("c-" + strconv.Itoa(i))) {
				return
			}
		}
	}
}

// fickleVendor is an engine that does any of the things that can happen to a
// send, and keeps books.
type fickleVendor struct {
	random func(n int) int

	mu           sync.Mutex
	accepted     map[string]int
	flying, most int
}

func (v *fickleVendor) roundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/v1/token" {
		if v.random(10) == 0 {
			return respond(r, 503, "<html>"), nil
		}
		return respond(r, 200, `{"accesstoken":"t"}`), nil
	}
	v.mu.Lock()
	v.flying++
	v.most = max(v.most, v.flying)
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.flying--
	}()
	body, _ := io.ReadAll(r.Body)
	_, rest, _ := strings.Cut(string(body), `"refkey":"`)
	key, _, _ := strings.Cut(rest, `"`)
	accept := func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.accepted[key]++
	}
	switch v.random(20) {
	case 0:
		return nil, errUnsent
	case 1: // lost, and nobody knows when
		if v.random(2) == 0 {
			accept()
		}
		return nil, io.EOF
	case 2:
		return hang(r)
	case 3:
		return respond(r, 429, `{"code":5002}`), nil
	case 4:
		return respond(r, 503, `{"code":5004}`), nil
	case 5:
		return respond(r, 400, `{"code":3005}`), nil
	case 6:
		return respond(r, 400, `{"code":2000}`), nil
	case 7:
		accept()
		return respond(r, 502, "<html>"), nil
	}
	if err := pause(r.Context(), time.Duration(v.random(2000))*time.Millisecond); err != nil {
		if v.random(2) == 0 {
			accept()
		}
		return nil, err
	}
	accept()
	return respond(r, 200, `{"code":1000}`), nil
}

// TestSendAll_property: whatever the vendor does and whatever ends the loop,
// each message that was pulled has one result, and the result is true.
func TestSendAll_property(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		var mu sync.Mutex
		draw := rand.New(rand.NewPCG(seed, 5))
		random := func(n int) int {
			mu.Lock()
			defer mu.Unlock()
			return draw.IntN(n)
		}
		synctest.Test(t, func(t *testing.T) {
			v := &fickleVendor{random: random, accepted: map[string]int{}}
			cfg := bizppurio.Config{AttemptTimeout: 5 * time.Second, Breaker: engine.Breaker{Failures: uint32(1 + random(20)), Cooldown: time.Second}}
			if random(2) == 0 {
				cfg.Rate = float64(1 + random(40))
			}
			c := stubbed(t, cfg, v.roundTrip)
			n, parallel, breakAt, panicAt := random(80), 1+random(16), random(160), random(320)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if random(2) == 0 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(random(20_000))*time.Millisecond)
				defer cancel()
			}
			pulled, looped, done := 0, map[string]bool{}, map[string]error{}
			msgs := func(yield func(send.Message) bool) {
				for m := range recipients(n) {
					if pulled == panicAt {
						panic("source")
					}
					pulled++
					if !yield(m) {
						return
					}
				}
			}
			hear := func(r send.Receipt, err error) {
				if _, twice := done[r.RefKey]; twice || r.RefKey != "c-"+strconv.Itoa(r.Index) {
					t.Errorf("seed %d: Done hears of %+v, again: %t", seed, r, twice)
				}
				done[r.RefKey] = err
			}
			func() {
				defer func() {
					if p := recover(); p != nil && p != "source" {
						panic(p)
					}
				}()
				for r, err := range c.SendAll(ctx, msgs, send.Batch{Parallel: parallel, Done: hear}) {
					if looped[r.RefKey] || !errors.Is(err, done[r.RefKey]) {
						t.Errorf("seed %d: the loop sees %+v, %v", seed, r, err)
					}
					looped[r.RefKey] = true
					if len(looped) == breakAt {
						break
					}
				}
			}()
			if len(done) != pulled || v.most > parallel {
				t.Errorf("seed %d: %d results for %d messages, %d in flight, want at most %d", seed, len(done), pulled, v.most, parallel)
			}
			if v.flying != 0 {
				t.Errorf("seed %d: the loop is over, and %d are in flight", seed, v.flying)
			}
			for key, err := range done {
				least, most := 0, 0
				switch send.OutcomeOf(err) {
				case send.Accepted:
					least, most = 1, 1
				case send.Unknown:
					most = 1
				case send.Rejected, send.NotSent:
				}
				if got := v.accepted[key]; got < least || got > most {
					t.Errorf("seed %d: %s was accepted %d times, and the error is %v", seed, key, got, err)
				}
			}
		})
	}
}

// TestSendAll_window: once the ad window closes, the rest comes back at once,
// without network, and says when it opens.
func TestSendAll_window(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("", 9*3600)
	closes := time.Date(2026, 12, 1, 20, 50, 0, 0, kst)
	for name, cfg := range map[string]bizppurio.Config{"as fast as it goes": {}, "at a rate": {Rate: 10}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &meteredVendor{limit: 1 << 30, window: time.Hour, delay: fixed(500 * time.Millisecond)}
				c := stubbed(t, cfg, v.roundTrip)
				advance(time.Until(closes.Add(-11 * time.Second)))
				if err := c.Warm(t.Context()); err != nil {
					t.Fatal(err)
				}
				advance(time.Until(closes.Add(-10 * time.Second)))
				ads := func(yield func(send.Message) bool) {
					for m := range recipients(5000) {
						m.Ad = true
						if !yield(m) {
							return
						}
					}
				}
				accepted, outside, planned := 0, 0, 0
				for _, err := range c.SendAll(t.Context(), ads, send.Batch{Parallel: 16}) {
					if err == nil {
						if accepted++; accepted == 32 {
							planned, _ = c.Capacity(time.Time{})
							planned += accepted
						}
						continue
					}
					outside++
					if e := wantError(t, name, err, send.NotSent, send.OutsideWindow); e.RetryAfter != 11*time.Hour+10*time.Minute-time.Since(closes) {
						t.Fatalf("RetryAfter = %v at %v, want until 08:00", e.RetryAfter, time.Now())
					}
				}
				if accepted+outside != 5000 || accepted < 100 || accepted > 330 {
					t.Errorf("%d accepted, %d outside, want 5000 together, about 320 and 110", accepted, outside)
				}
				if over := time.Since(closes); over > 500*time.Millisecond+16*time.Second/10 {
					t.Errorf("it was over %v after the window closed, want half a second", over)
				}
				for _, at := range v.begun {
					if !at.Add(-250 * time.Millisecond).Before(closes) { // it arrives half of its way later
						t.Errorf("a request left at %v", at)
					}
				}
				if planned < accepted*9/10 || planned > accepted*11/10 {
					t.Errorf("Capacity had planned for %d, %d were accepted", planned, accepted)
				}
			})
		})
	}
}

// TestSendAll_time: in virtual time, where the machine costs nothing, a
// campaign takes what its answers take, and a send that hangs costs its place
// for one AttemptTimeout and nothing else.
func TestSendAll_time(t *testing.T) {
	t.Parallel()
	const (
		n, parallel = 2000, 64
		answer      = 28 * time.Millisecond
		timeout     = time.Second
	)
	tests := []struct {
		name  string
		every int // one in so many hangs; 0: none
		most  time.Duration
	}{
		{"all answered", 0, n * answer / parallel * 11 / 10},
		{"one in a hundred hangs", 100, n*answer/parallel*11/10 + n/100*timeout/parallel + timeout},
		{"all but one place taken", parallel - 1, n*answer/parallel*11/10 + (n/(parallel-1)+1)*timeout/parallel + timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: func(r *http.Request) (*http.Response, error) {
					if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("01000006006")) {
						return hang(r)
					}
					return delayed(answer, fine)(r)
				}}
				c := stubbed(t, bizppurio.Config{AttemptTimeout: timeout}, p.roundTrip)
				accepted, hung := 0, 0
				begun := time.Now()
				for _, err := range c.SendAll(t.Context(), evening(n, tt.every), send.Batch{Parallel: parallel}) {
					if err == nil {
						accepted++
						continue
					}
					wantError(t, tt.name, err, send.Unknown, send.Timeout)
					hung++
				}
				took := time.Since(begun)
				t.Logf("%d accepted, %d hung, %v", accepted, hung, took)
				if accepted+hung != n || took > tt.most {
					t.Errorf("%d accepted, %d hung in %v, want %d in at most %v", accepted, hung, took, n, tt.most)
				}
			})
		})
	}
}

// TestSendAll_ownPool: no message of a campaign waits for a connection of the
// Client's own pool behind others of it, however many it wants in flight.
func TestSendAll_ownPool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ maxConns, parallel, want int }{
		{2, 64, 2}, {2, 0, 2}, {0, 64, 16}, {0, 0, 16}, {24, 0, 16}, {24, 20, 20}, {64, 64, 64},
	} {
		t.Run(fmt.Sprintf("%d connections, Parallel %d", tt.maxConns, tt.parallel), func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			all := make(chan struct{}) // closed when as many are there as want
			var arrived atomic.Int32
			s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, r *http.Request) {
				if arrived.Add(1) == int32(tt.want) {
					close(all)
				}
				select {
				case <-all:
				case <-r.Context().Done():
				}
				_, _ = w.Write([]byte(`{"code":1000}`))
			})
			c := newClient(t, s, func(cfg *bizppurio.Config) {
				cfg.Pool.MaxConns, cfg.Pool.AcquireTimeout = tt.maxConns, time.Nanosecond
			})
			if err := c.Warm(t.Context()); err != nil {
				t.Fatal(err)
			}
			pulled, results, most := 0, 0, 0
			msgs := func(yield func(send.Message) bool) {
				for m := range recipients(3 * tt.want) {
					pulled++
					most = max(most, pulled-results)
					if !yield(m) {
						return
					}
				}
			}
			for r, err := range c.SendAll(t.Context(), msgs, send.Batch{Parallel: tt.parallel}) {
				results++
				if err != nil {
					t.Errorf("send %d = %v, want nil", r.Index, err)
				}
			}
			if most != tt.want || results != 3*tt.want {
				t.Errorf("%d in flight, %d results, want %d, %d", most, results, tt.want, 3*tt.want)
			}
		})
	}
}
