package token

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// storeLimit bounds one call of a Store.
	storeLimit = time.Second

	// longestLife is how long a token lives at most (spec 4).
	longestLife = 24 * time.Hour
)

// Store shares a token between processes, or between the Caches of one. It
// must be safe for concurrent use. Share one only between processes with the
// same egress address: the vendor's tokens may be bound to it (spec 4).
//
// A [Cache] gives each call 1 s and then goes on without it. An error, a panic
// or a call that hangs changes nothing for those who want a token, and is not
// reported: wrap the Store to see it. After a call that hangs the same method
// is not called again until it has returned.
//
// What Load returns is not trusted blindly: a Value that cannot stand in a
// header, because it has anything but visible ASCII, counts as none, and an
// Expires counts for 24 h from now at most.
type Store interface {
	Load(ctx context.Context, key string) (Token, error) // ErrNone when absent
	Save(ctx context.Context, key string, t Token) error
}

// guardedStore keeps a Store from harming its callers.
type guardedStore struct {
	store           Store
	key             string
	loading, saving atomic.Bool
}

func (g *guardedStore) load(ctx context.Context) (Token, error) {
	t, err := guard(ctx, &g.loading, func(ctx context.Context) (Token, error) {
		return g.store.Load(ctx, g.key)
	})
	if err == nil && strings.ContainsFunc(t.Value, func(r rune) bool { return r < '!' || r > '~' }) {
		return Token{}, ErrNone
	}
	if latest := time.Now().Round(0).Add(longestLife); t.Expires.After(latest) {
		t.Expires = latest
	}
	return t, err
}

func (g *guardedStore) save(ctx context.Context, t Token) error {
	_, err := guard(ctx, &g.saving, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, g.store.Save(ctx, g.key, t)
	})
	return err
}

// guard runs call on a goroutine of its own, which it leaves behind if it has
// not returned within storeLimit; busy stays set until it has.
func guard[T any](ctx context.Context, busy *atomic.Bool, call func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var r result
	if !busy.CompareAndSwap(false, true) {
		return r.value, errBroken
	}
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()

	done := make(chan result, 1)
	go func() {
		r := result{err: errBroken} // stays so when call panics or ends the goroutine
		defer func() {
			_ = recover()
			busy.Store(false)
			done <- r
		}()
		r.value, r.err = call(ctx)
	}()

	select {
	case r = <-done:
	case <-ctx.Done():
		r.err = ctx.Err()
	}
	return r.value, r.err
}
