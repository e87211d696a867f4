package main

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

// guarded is the cache that one writes oneself.
type guarded struct {
	mu  sync.Mutex
	tok token.Token
}

func (g *guarded) Token(context.Context) (token.Token, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !time.Now().Before(g.tok.Expires) {
		return token.Token{}, errors.New("expired")
	}
	return g.tok, nil
}

// hits times a token that is in the cache, beside one behind a mutex.
func hits(ctx context.Context, s sizes) ([]row, error) {
	g := &guarded{tok: token.Token{Value: "t", Expires: time.Now().Add(24 * time.Hour)}}
	c := token.NewCache(g.Token, token.Options{})
	defer c.Close()
	if _, err := c.Token(ctx); err != nil { // the fetch
		return nil, err
	}
	var theirs, ours, theirAllocs, ourAllocs, ratios []float64
	for range s.blocks {
		a, aAllocs, err := hit(ctx, s.hits, g.Token)
		if err != nil {
			return nil, err
		}
		b, bAllocs, err := hit(ctx, s.hits, c.Token)
		if err != nil {
			return nil, err
		}
		theirs, ours, ratios = append(theirs, a), append(ours, b), append(ratios, over(b, a))
		theirAllocs, ourAllocs = append(theirAllocs, aAllocs), append(ourAllocs, bAllocs)
	}
	return []row{{
		what: "token hit", against: "mutex and clock", reference: nanos(median(theirs)), ours: nanos(median(ours)),
		ratio: median(ratios), target: "≤ 20 ns", published: "about 60 ns, mutex caches",
	}, {
		what: "allocations per token hit", against: "mutex and clock",
		reference: decimal(median(theirAllocs)), ours: decimal(median(ourAllocs)), target: "0",
	}}, nil
}

// hit asks n times and returns the nanoseconds and allocations of each.
func hit(ctx context.Context, n int, get func(context.Context) (token.Token, error)) (ns, allocs float64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	for range n {
		if _, err := get(ctx); err != nil {
			return 0, 0, err
		}
	}
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n), nil
}
