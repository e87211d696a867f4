package token_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

// Case 38: a hit takes no lock: it is served while the lock is held.
func TestCache_HitTakesNoLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, v.fetch, token.Options{})
		checkValue(t, c, "tok-1")
		token.WithLock(c, func() { checkValue(t, c, "tok-1") })

		v.latency = time.Second
		advance(day - time.Minute)
		checkValue(t, c, "tok-1") // begins the refresh
		synctest.Wait()
		token.WithLock(c, func() { checkValue(t, c, "tok-1") })
	})
}

// Case 38.
func TestCache_HitAllocs(t *testing.T) { //nolint:paralleltest // AllocsPerRun forbids it
	for _, life := range []time.Duration{day, 5 * time.Minute} {
		v := &vendor{life: life}
		c := open(t, v.fetch, token.Options{})
		checkValue(t, c, "tok-1")
		ctx := t.Context()
		if got := testing.AllocsPerRun(1000, func() { _, _ = c.Token(ctx) }); got != 0 {
			t.Errorf("allocations of a hit with a life of %v = %v, want 0", life, got)
		}
		v.checkFetches(t, 1)
	}
}

func BenchmarkCache_Hit(b *testing.B)         { benchHit(b, day) }
func BenchmarkCache_HitParallel(b *testing.B) { benchHitParallel(b, day) }

// The clock is read at each hit when the token lives less than ten minutes.
func BenchmarkCache_HitShortLife(b *testing.B)         { benchHit(b, 9*time.Minute) }
func BenchmarkCache_HitShortLifeParallel(b *testing.B) { benchHitParallel(b, 9*time.Minute) }

func benchHit(b *testing.B, life time.Duration) {
	b.Helper()
	b.ReportAllocs()
	c := token.NewCache((&vendor{life: life}).fetch, token.Options{})
	defer func() { _ = c.Close() }()
	ctx := b.Context()
	_, _ = c.Token(ctx)
	for b.Loop() {
		if _, err := c.Token(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func benchHitParallel(b *testing.B, life time.Duration) {
	b.Helper()
	b.ReportAllocs()
	c := token.NewCache((&vendor{life: life}).fetch, token.Options{})
	defer func() { _ = c.Close() }()
	ctx := b.Context()
	_, _ = c.Token(ctx)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Token(ctx); err != nil {
				b.Error(err)
			}
		}
	})
}
