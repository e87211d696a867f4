package token

import (
	"context"
	"sync/atomic"
	"time"
)

// storeLimit bounds one call of a Store.
const storeLimit = time.Second

// Store shares a token between processes, or between the Caches of one. It
// must be safe for concurrent use. Share one only between processes with the
// same egress address: the vendor's tokens may be bound to it (spec 4).
//
// A [Cache] gives each call 1 s and then goes on without it. An error, a panic
// or a call that hangs changes nothing for those who want a token, and is not
// reported: wrap the Store to see it. After a call that hangs the same method
// is not called again until it has returned.
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
	return guard(ctx, &g.loading, func(ctx context.Context) (Token, error) {
		return g.store.Load(ctx, g.key)
	})
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
