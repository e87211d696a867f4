package token_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

// A token is good until the nanosecond before its Expires, however long it
// lives and however it got there.
func TestCache_ExpiryToTheNanosecond(t *testing.T) {
	t.Parallel()
	for _, life := range []time.Duration{
		1, 9, time.Microsecond, time.Second, time.Minute, 10*time.Minute - 1, 10 * time.Minute, time.Hour, day, 30 * day,
	} {
		t.Run(life.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: life}
				c := open(t, v.fetch, token.Options{})
				checkValue(t, c, "tok-1")
				v.fail(errors.New("down"))
				advance(life - 1)
				checkValue(t, c, "tok-1")
				synctest.Wait()
				advance(1)
				if got, err := c.Token(t.Context()); err == nil {
					t.Errorf("Token() at the expiry = %q, nil, want an error", got.Value)
				}
			})
		})
	}
}

// Case 33: a life shorter than the margin is cached all the same.
func TestCache_ShortLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: time.Minute}
		c := open(t, v.fetch, token.Options{Early: 30 * time.Minute})
		for range 1000 {
			checkValue(t, c, "tok-1")
			advance(time.Millisecond)
		}
		v.checkFetches(t, 1)
	})
}

// Case 34: a token whose end is not known is kept until it is refused.
func TestCache_NoExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{}
		s := &store{}
		c := open(t, func(ctx context.Context) (token.Token, error) {
			tok, err := v.fetch(ctx)
			tok.Expires = time.Time{}
			return tok, err
		}, token.Options{Store: s})
		for range 1000 {
			checkValue(t, c, "tok-1")
			advance(day)
		}
		c.Invalidate(token.Token{Value: "tok-1"})
		checkValue(t, c, "tok-2")
		v.checkFetches(t, 2)

		other := open(t, v.fetch, token.Options{Store: s})
		v.life = day
		checkValue(t, other, "tok-3") // one without an end is not taken from a Store
	})
}

// Case 32: a herd at the instant of expiry is one fetch.
func TestCache_HerdAtExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, v.fetch, token.Options{})
		checkValue(t, c, "tok-1")
		v.latency = time.Second
		barrier := make(chan struct{})
		var herd sync.WaitGroup
		for range 100 {
			herd.Go(func() {
				<-barrier
				checkValue(t, c, "tok-2")
			})
		}
		advance(day)
		close(barrier)
		herd.Wait()
		v.checkFetches(t, 2)
	})
}

// Case 30: callers at random instants, tokens that come and go and are
// refused: none is handed out past its expiry.
func TestCache_ManyExpiries(t *testing.T) {
	t.Parallel()
	for _, life := range []time.Duration{20 * time.Second, time.Hour} {
		t.Run(life.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: life, latency: min(life/100, time.Second)}
				c := open(t, v.fetch, token.Options{})
				var callers sync.WaitGroup
				for range 100 {
					callers.Go(func() {
						for range 100 {
							got, err := c.Token(t.Context())
							if err != nil || !time.Now().Before(got.Expires) {
								t.Errorf("Token() = one that expired %v ago, %v", time.Since(got.Expires), err)
							}
							if rand.IntN(100) == 0 {
								c.Invalidate(got)
							}
							advance(rand.N(life))
						}
					})
				}
				callers.Wait()
			})
		})
	}
}

// The refresh begins within the last tenth of the life, and not before Early.
func TestCache_EarlyRefresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		life, early, want time.Duration // want: before the expiry, less a fifth
	}{
		{"default", day, 0, 10 * time.Minute},
		{"negative", day, -1, 10 * time.Minute},
		{"given", day, time.Hour, time.Hour},
		{"less than the last minute", day, time.Second, time.Second},
		{"a tenth of the life", time.Hour, 0, 6 * time.Minute},
		{"a tenth of a short life", time.Minute, time.Hour, 6 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: tt.life}
				c := open(t, v.fetch, token.Options{Early: tt.early})
				checkValue(t, c, "tok-1")

				advance(tt.life - tt.want - 1)
				checkValue(t, c, "tok-1")
				synctest.Wait()
				v.checkFetches(t, 1)

				advance(1 + tt.want/5)
				checkValue(t, c, "tok-1") // the old one serves while the new one comes
				synctest.Wait()
				v.checkFetches(t, 2)
				checkValue(t, c, "tok-2")
			})
		})
	}
}

// Processes that got their tokens at the same instant do not refresh together.
func TestCache_RefreshJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		var caches []*token.Cache
		for range 64 {
			c := open(t, v.fetch, token.Options{})
			_, _ = c.Token(t.Context())
			caches = append(caches, c)
		}
		advance(day - 9*time.Minute)
		for _, c := range caches {
			_, _ = c.Token(t.Context())
		}
		synctest.Wait()
		if got := v.fetches.Load() - 64; got < 8 || got > 56 {
			t.Errorf("refreshes in the first half of the jitter = %d of 64, want about 32", got)
		}
	})
}

// An early refresh is one fetch, also for many callers, and holds nobody up.
func TestCache_RefreshInBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, v.fetch, token.Options{})
		checkValue(t, c, "tok-1")
		v.latency = 9 * time.Second
		advance(day - time.Minute)
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		for range 100 {
			if got, err := c.Token(ctx); err != nil || got.Value != "tok-1" {
				t.Errorf("Token() = %q, %v, want tok-1", got.Value, err)
			}
		}
		cancel() // the refresh does not belong to the call that began it
		if took := time.Since(start); took != 0 {
			t.Errorf("100 calls took %v, want 0", took)
		}
		advance(9 * time.Second)
		synctest.Wait()
		checkValue(t, c, "tok-2")
		v.checkFetches(t, 2)
	})
}

// Case 36: while the refresh fails the old token serves, the attempts grow
// rare, and past the expiry the error is told.
func TestCache_RefreshFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"outage", errors.New("down")},
		{"refusal", refusal{true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: day}
				c := open(t, v.fetch, token.Options{})
				checkValue(t, c, "tok-1")
				v.fail(tt.err)
				advance(day - 10*time.Minute)
				var last int64
				var at time.Time
				gap := 5 * time.Second
				for range 6000 { // 10 calls a second to the end
					checkValue(t, c, "tok-1")
					synctest.Wait()
					if n := v.fetches.Load(); n != last {
						if last > 1 {
							if got := time.Since(at); got < gap || got > gap+gap/5+100*time.Millisecond {
								t.Errorf("attempt %d after %v, want %v and up to a fifth more", n, got, gap)
							}
							gap = min(2*gap, time.Minute)
						}
						last, at = n, time.Now()
					}
					advance(100 * time.Millisecond)
				}
				if last < 8 || last > 15 {
					t.Errorf("fetches = %d, want about 12", last)
				}
				if _, err := c.Token(t.Context()); !errors.Is(err, tt.err) {
					t.Errorf("Token() past the expiry = %v, want %v", err, tt.err)
				}
				advance(5 * time.Second)
				v.heal()
				if _, err := c.Token(t.Context()); err != nil {
					t.Errorf("Token() after the outage = %v, want nil", err)
				}
			})
		})
	}
}

// A refused token is dropped also while its refresh is under way: the waiters
// join that one.
func TestCache_InvalidateDuringRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, v.fetch, token.Options{})
		old := checkValue(t, c, "tok-1")
		v.latency = time.Second
		advance(day - time.Minute)
		checkValue(t, c, "tok-1")
		synctest.Wait()
		c.Invalidate(old)
		if got, origin, err := c.Get(t.Context()); err != nil || got.Value != "tok-2" || origin != token.OriginShared {
			t.Errorf("Get() = %q, %q, %v, want tok-2, shared, nil", got.Value, origin, err)
		}
		v.checkFetches(t, 2)
	})
}

// A vendor that hands out the same token until it ends is not asked in a loop.
func TestCache_SameTokenAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		expires := time.Now().Add(day)
		c := open(t, func(context.Context) (token.Token, error) {
			fetches++
			return token.Token{Value: "a", Expires: expires}, nil
		}, token.Options{})
		checkValue(t, c, "a")
		advance(day - 10*time.Minute)
		for time.Until(expires) > 0 {
			checkValue(t, c, "a")
			synctest.Wait()
			advance(100 * time.Millisecond)
		}
		if fetches > 6 {
			t.Errorf("fetches = %d, want at most 6", fetches)
		}
	})
}

// Case 39: time is read at each call, not when the Cache is made.
func TestCache_BuiltLongAgo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: time.Minute}
		c := open(t, v.fetch, token.Options{})
		advance(time.Hour)
		got := checkValue(t, c, "tok-1")
		if want := time.Now().Add(time.Minute); !got.Expires.Equal(want) {
			t.Errorf("Expires = %v, want %v", got.Expires, want)
		}
		advance(time.Hour)
		checkValue(t, c, "tok-2")
	})
}

// A timer, which may be late, stands in for the clock only while the expiry is
// at least a minute away and nothing is due.
func TestCache_ReadsClock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		life, early, from time.Duration
	}{
		{"at the early refresh", day, 0, day - 10*time.Minute},
		{"in the last minute", day, time.Second, day - time.Minute},
		{"ten minutes", 10 * time.Minute, 0, 9 * time.Minute},
		{"less than ten minutes", 10*time.Minute - 1, time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := open(t, (&vendor{life: tt.life}).fetch, token.Options{Early: tt.early})
				checkValue(t, c, "tok-1")
				if tt.from > 0 {
					advance(tt.from - 1)
					if token.ReadsClock(c) {
						t.Error("ReadsClock() one nanosecond earlier = true, want false")
					}
					advance(1)
					synctest.Wait()
				}
				if !token.ReadsClock(c) {
					t.Error("ReadsClock() = false, want true")
				}
			})
		})
	}
}
