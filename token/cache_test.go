package token_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

// Cases 27, 28: the caller that began the fetch leaves, the others are served.
func TestCache_FirstCallerLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day, latency: time.Second}
		c := open(t, v.fetch, token.Options{})

		first, leave := context.WithCancel(t.Context())
		firstErr := make(chan error, 1)
		go func() {
			_, err := c.Token(first)
			firstErr <- err
		}()
		synctest.Wait() // the first caller has begun the fetch

		var others sync.WaitGroup
		for range 49 {
			others.Go(func() { checkValue(t, c, "tok-1") })
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		select {
		case err := <-firstErr:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Token() of the first caller = %v, want %v", err, context.Canceled)
			}
		default:
			t.Error("the first caller still waits after its context ended")
		}
		others.Wait()
		v.checkFetches(t, 1)
	})
}

// Case 28: the fetch has a time limit of its own, the default and the given.
func TestCache_FetchTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                   string
		timeout, latency, want time.Duration
	}{
		{"default", 0, time.Hour, 10 * time.Second},
		{"negative", -1, time.Hour, 10 * time.Second},
		{"given", 3 * time.Second, time.Hour, 3 * time.Second},
		{"just in time", 3 * time.Second, 3*time.Second - 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: day, latency: tt.latency}
				c := open(t, v.fetch, token.Options{Timeout: tt.timeout})
				start := time.Now()
				_, err := c.Token(t.Context())
				if tt.want == 0 {
					if err != nil {
						t.Errorf("Token() = %v, want nil", err)
					}
					return
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("Token() took %v, want %v", got, tt.want)
				}
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("Token() = %v, want %v", err, os.ErrDeadlineExceeded)
				}
				if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
					t.Errorf("Token() = %v, want no context error: no caller's context had ended", err)
				}
			})
		})
	}
}

// A fetch keeps the values of the context that began it, not its deadline.
func TestCache_FetchContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx, cancel := context.WithDeadline(context.WithValue(t.Context(), key{}, "span"), time.Now().Add(time.Hour))
	defer cancel()

	var value any
	var left time.Duration
	c := open(t, func(ctx context.Context) (token.Token, error) {
		value = ctx.Value(key{})
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return token.Token{Value: "a", Expires: time.Now().Add(day)}, nil
	}, token.Options{})
	if _, err := c.Token(ctx); err != nil {
		t.Fatal(err)
	}
	if value != "span" {
		t.Errorf("value in the context of fetch = %v, want span", value)
	}
	if left > 10*time.Second {
		t.Errorf("deadline of fetch in %v, want at most 10s", left)
	}
}

// A waiter's error is the end of its own context. The cause can be found, and
// is not printed: it is the application's own.
func TestCache_WaiterLeaves(t *testing.T) {
	t.Parallel()
	errCause := errors.New("shutting down")
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		want []error
	}{
		{"canceled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, []error{context.Canceled}},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, []error{context.DeadlineExceeded}},
		{"cause", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, time.Second, errCause)
		}, []error{context.DeadlineExceeded, errCause}},
		{"ended before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(errCause)
			return ctx, func() { cancel(nil) }
		}, []error{context.Canceled, errCause}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: day, latency: 5 * time.Second}
				c := open(t, v.fetch, token.Options{})
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				_, err := c.Token(ctx)
				for _, want := range tt.want {
					if !errors.Is(err, want) {
						t.Errorf("Token() = %v, want %v", err, want)
					}
				}
				for _, printed := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err)} {
					if strings.Contains(printed, errCause.Error()) {
						t.Errorf("Token() = %s, which shows the caller's own cause", printed)
					}
				}
				if len(tt.want) == 1 && err != tt.want[0] { //nolint:errorlint // exactly ctx.Err()
					t.Errorf("Token() = %v, want %v and nothing else", err, tt.want[0])
				}
			})
		})
	}
}

// An ended context begins no fetch, but a token in memory needs no waiting.
func TestCache_EndedContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, v.fetch, token.Options{})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Token(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Token() = %v, want %v", err, context.Canceled)
		}
		synctest.Wait()
		v.checkFetches(t, 0)
		checkValue(t, c, "tok-1")
		if _, err := c.Token(ended); err != nil {
			t.Errorf("Token() = %v, want nil for a hit", err)
		}
	})
}

// Case 29: an answer that is there is not hidden by the end of the caller's
// context.
func TestCache_AnswerBeatsContext(t *testing.T) {
	t.Parallel()
	v := &vendor{}
	v.fail(refusal{true})
	c := open(t, v.fetch, token.Options{})
	_, _ = c.Token(t.Context())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := c.Token(ended); !errors.As(err, new(refusal)) {
			t.Fatalf("Token() = %v, want the refusal", err)
		}
	}
	_ = c.Close()
	for range 100 {
		if _, err := c.Token(ended); !errors.Is(err, token.ErrClosed) {
			t.Fatalf("Token() = %v, want %v", err, token.ErrClosed)
		}
	}
}

// Case 29: a token that arrives already expired, or empty, is one more fetch.
func TestCache_Unusable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tok  func() token.Token
	}{
		{"expired", func() token.Token { return token.Token{Value: "a", Expires: time.Now().Add(-time.Hour)} }},
		{"expires now", func() token.Token { return token.Token{Value: "a", Expires: time.Now()} }},
		{"empty", func() token.Token { return token.Token{Expires: time.Now().Add(time.Hour)} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fetches := 0
				c := open(t, func(context.Context) (token.Token, error) {
					fetches++
					return tt.tok(), nil
				}, token.Options{})
				for range 100 {
					if got, err := c.Token(t.Context()); !errors.Is(err, token.ErrUnusable) || got != (token.Token{}) {
						t.Fatalf("Token() = %v, %v, want none, %v", got, err, token.ErrUnusable)
					}
				}
				if fetches != 2 {
					t.Errorf("fetches = %d, want 2", fetches)
				}
				advance(5 * time.Second)
				_, _ = c.Token(t.Context())
				if fetches != 4 {
					t.Errorf("fetches after 5 s = %d, want 4", fetches)
				}
			})
		})
	}
}

// The second fetch may bring a good one.
func TestCache_UnusableOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		c := open(t, func(ctx context.Context) (token.Token, error) {
			tok, err := v.fetch(ctx)
			if tok.Value == "tok-1" {
				tok.Expires = time.Now()
			}
			return tok, err
		}, token.Options{})
		checkValue(t, c, "tok-2")
		v.checkFetches(t, 2)
	})
}

// Case 29: a refusal reaches all waiters as one, and is remembered for 5 s.
func TestCache_Refusal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want int64 // fetches within the 5 s
	}{
		{"permanent", refusal{true}, 1},
		{"permanent, wrapped", fmt.Errorf("token: %w", refusal{true}), 1},
		{"says not permanent", refusal{false}, 4},
		{"says nothing", errors.New("down"), 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{latency: time.Second}
				v.fail(tt.err)
				c := open(t, v.fetch, token.Options{})

				ctx, cancel := context.WithTimeout(t.Context(), 999*time.Millisecond)
				defer cancel()
				go func() { _, _ = c.Token(ctx) }() // gone when the answer comes
				synctest.Wait()
				var waiters sync.WaitGroup
				for range 100 {
					waiters.Go(func() {
						if _, err := c.Token(t.Context()); err != tt.err { //nolint:errorlint // the very same
							t.Errorf("Token() = %v, want %v", err, tt.err)
						}
					})
				}
				waiters.Wait()
				v.checkFetches(t, 1)

				v.latency = 0
				for range 3 { // at +0, +2499.5 ms, +4999 ms
					if _, err := c.Token(t.Context()); !errors.Is(err, tt.err) {
						t.Errorf("Token() = %v, want %v", err, tt.err)
					}
					advance(2499500 * time.Microsecond)
				}
				v.checkFetches(t, tt.want)
				v.heal()
				v.life = day
				if _, err := c.Token(t.Context()); err != nil {
					t.Errorf("Token() after 5 s = %v, want nil", err)
				}
				v.checkFetches(t, tt.want+1)
			})
		})
	}
}

// Case 35: 100 calls refused together are one new token; a newer one stays.
func TestCache_Invalidate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day, latency: time.Second}
		c := open(t, v.fetch, token.Options{})
		old := checkValue(t, c, "tok-1")

		c.Invalidate(token.Token{Value: "another"})
		c.Invalidate(token.Token{})
		checkValue(t, c, "tok-1")
		v.checkFetches(t, 1)

		var sends sync.WaitGroup
		for i := range 100 {
			sends.Go(func() {
				advance(time.Duration(i) * 50 * time.Millisecond) // some refusals come when the new token is there
				c.Invalidate(token.Token{Value: old.Value})
				checkValue(t, c, "tok-2")
			})
		}
		sends.Wait()
		v.checkFetches(t, 2)
	})
}

// Case 37: caches share nothing.
func TestCache_TwoAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := &vendor{life: day, latency: time.Second}, &vendor{life: day, latency: time.Second}
		ca, cb := open(t, a.fetch, token.Options{}), open(t, b.fetch, token.Options{})
		var calls sync.WaitGroup
		calls.Go(func() { checkValue(t, ca, "tok-1") })
		calls.Go(func() { checkValue(t, cb, "tok-1") })
		calls.Wait()
		a.checkFetches(t, 1)
		b.checkFetches(t, 1)
	})
}

func TestCache_Origin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day, latency: time.Second}
		c := open(t, v.fetch, token.Options{})
		get := func(want token.Origin) {
			t.Helper()
			if _, got, err := c.Get(t.Context()); got != want || err != nil {
				t.Errorf("Get() = %q, %v, want %q, nil", got, err, want)
			}
		}
		var calls sync.WaitGroup
		calls.Go(func() { get(token.OriginFetch) })
		synctest.Wait()
		calls.Go(func() { get(token.OriginShared) })
		calls.Wait()
		get(token.OriginCache)

		advance(day - time.Minute - time.Second)
		get(token.OriginCache) // begins the refresh, and does not wait for it
		synctest.Wait()
		advance(time.Second)
		get(token.OriginCache)
		v.checkFetches(t, 2)
	})
}

func TestCache_Close(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day, latency: time.Second}
		c := token.NewCache(v.fetch, token.Options{})
		var waiters sync.WaitGroup
		for range 10 {
			waiters.Go(func() {
				if _, err := c.Token(t.Context()); !errors.Is(err, token.ErrClosed) {
					t.Errorf("Token() = %v, want %v", err, token.ErrClosed)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		for range 10 {
			waiters.Go(func() {
				if err := c.Close(); err != nil {
					t.Errorf("Close() = %v, want nil", err)
				}
			})
		}
		waiters.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("Close took %v, want 0: it ends the fetch", took)
		}
		if _, err := c.Token(t.Context()); !errors.Is(err, token.ErrClosed) {
			t.Errorf("Token() after Close = %v, want %v", err, token.ErrClosed)
		}
		v.checkFetches(t, 1)
	})
}

// After Close there is no hit either, and Close waits for a slow fetch.
func TestCache_CloseForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		returned := false
		c := token.NewCache(func(ctx context.Context) (token.Token, error) {
			if v.fetches.Load() == 1 {
				<-ctx.Done()
				advance(time.Minute) // tidies up
				returned = true
				return token.Token{}, ctx.Err()
			}
			return v.fetch(ctx)
		}, token.Options{})
		checkValue(t, c, "tok-1")
		advance(day - time.Minute)
		checkValue(t, c, "tok-1") // begins the refresh
		synctest.Wait()
		_ = c.Close()
		if !returned {
			t.Error("Close returned before fetch did")
		}
		if _, err := c.Token(t.Context()); !errors.Is(err, token.ErrClosed) {
			t.Errorf("Token() = %v, want %v", err, token.ErrClosed)
		}
		c.Invalidate(token.Token{Value: "tok-1"})
		_ = c.Close()
	})
}

// A fetch that panics or ends its goroutine releases its waiters with an
// error, and the next call fetches again.
func TestCache_FetchBreaks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func()
		panic bool
	}{
		{"panic", func() { panic("secret tok-0") }, true},
		{"panic nil", func() { panic(nil) }, true}, //nolint:govet // on purpose
		{"goexit", runtime.Goexit, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: day, latency: time.Second}
				c := open(t, func(ctx context.Context) (token.Token, error) {
					tok, err := v.fetch(ctx)
					if tok.Value == "tok-1" {
						tt.spoil()
					}
					return tok, err
				}, token.Options{})
				var waiters sync.WaitGroup
				for range 10 {
					waiters.Go(func() {
						got, err := c.Token(t.Context())
						if err == nil {
							t.Errorf("Token() = %v, nil, want an error", got)
						}
						var p *token.PanicError
						if errors.As(err, &p) != tt.panic {
							t.Errorf("Token() = %T, want *PanicError: %t", err, tt.panic)
						}
						if tt.panic && (p.Value == nil || len(p.Stack) == 0) {
							t.Errorf("PanicError = %v, %d bytes, want both", p.Value, len(p.Stack))
						}
						if s := fmt.Sprintf("%v %+v %#v %s %q", err, err, err, err, err); strings.Contains(s, "tok-0") {
							t.Errorf("error prints as %s", s)
						}
					})
				}
				waiters.Wait()
				checkValue(t, c, "tok-2")
			})
		})
	}
}

// A fetch that is nil is an error of every call, not a crash.
func TestCache_NilFetch(t *testing.T) {
	t.Parallel()
	c := open(t, nil, token.Options{})
	if _, err := c.Token(t.Context()); err == nil {
		t.Error("Token() = nil, want an error")
	}
}

// What a fetch says beside a context error stays visible.
func TestCache_DetachedError(t *testing.T) {
	t.Parallel()
	errBody := errors.New("body cut")
	for _, tt := range []struct {
		name     string
		err      error
		deadline bool
	}{
		{"deadline", fmt.Errorf("%w: %w: %w", errBody, refusal{true}, context.DeadlineExceeded), true},
		{"canceled", fmt.Errorf("%w: %w: %w", errBody, refusal{true}, context.Canceled), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := &vendor{}
			v.fail(tt.err)
			c := open(t, v.fetch, token.Options{})
			_, err := c.Token(t.Context())
			if !errors.Is(err, errBody) {
				t.Errorf("Token() = %v, want %v in it", err, errBody)
			}
			if _, ok := errors.AsType[refusal](err); !ok {
				t.Errorf("Token() = %v, want a refusal in it", err)
			}
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("Token() = %v, want no context error in it", err)
			}
			if got := errors.Is(err, os.ErrDeadlineExceeded); got != tt.deadline {
				t.Errorf("errors.Is(%v, os.ErrDeadlineExceeded) = %t, want %t", err, got, tt.deadline)
			}
			if !strings.Contains(err.Error(), "body cut") {
				t.Errorf("Error() = %q, want the cause in it", err)
			}
			_, _ = c.Token(t.Context())
			v.checkFetches(t, 1) // it is a refusal all the same
		})
	}
}
