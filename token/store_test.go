package token_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

// store is a Store in memory. onLoad and onSave, if set, run before each call.
type store struct {
	mu             sync.Mutex
	tokens         map[string]token.Token
	loads, saves   int
	onLoad, onSave func(context.Context) error
}

func (s *store) Load(ctx context.Context, key string) (token.Token, error) {
	s.mu.Lock()
	s.loads++
	hook := s.onLoad
	s.mu.Unlock()
	if hook != nil {
		if err := hook(ctx); err != nil {
			return token.Token{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[key]
	if !ok {
		return t, token.ErrNone
	}
	return t, nil
}

func (s *store) Save(ctx context.Context, key string, t token.Token) error {
	s.mu.Lock()
	s.saves++
	hook := s.onSave
	s.mu.Unlock()
	if hook != nil {
		if err := hook(ctx); err != nil {
			return err
		}
	}
	s.put(key, t)
	return nil
}

func (s *store) put(key string, t token.Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string]token.Token{}
	}
	s.tokens[key] = t
}

// counts returns how often Load and Save were called.
func (s *store) counts() (loads, saves int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads, s.saves
}

func (s *store) value(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[key].Value
}

// Cases 31, 37: two caches with one Store and one account share a token; other
// accounts have their own.
func TestStore_Shared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s := &vendor{life: day}, &store{}
		a := open(t, v.fetch, token.Options{Store: s, Key: "host/a"})
		checkValue(t, a, "tok-1")
		synctest.Wait() // saved
		checkValue(t, open(t, v.fetch, token.Options{Store: s, Key: "host/a"}), "tok-1")
		v.checkFetches(t, 1)
		checkValue(t, open(t, v.fetch, token.Options{Store: s, Key: "host/b"}), "tok-2")
		synctest.Wait()
		if got := s.value("host/a") + " " + s.value("host/b"); got != "tok-1 tok-2" {
			t.Errorf("stored = %s, want tok-1 tok-2", got)
		}
	})
}

// What may be taken from a Store.
func TestStore_Load(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		value      string
		left       time.Duration // 0: no Expires
		invalidate bool          // ours, which has 24 h left, was refused
		want       string
	}{
		{"good", "shared", time.Hour, false, "shared"},
		{"expired", "shared", -time.Second, false, "tok-1"},
		{"empty", "", time.Hour, false, "tok-1"},
		{"no expiry", "shared", 0, false, "tok-1"},
		{"every character of a header", "!shared~", time.Hour, false, "!shared~"},
		{"line break", "sha\nred", time.Hour, false, "tok-1"},
		{"NUL", "shared\x00", time.Hour, false, "tok-1"},
		{"space", "sha red", time.Hour, false, "tok-1"},
		{"DEL", "shared\x7f", time.Hour, false, "tok-1"},
		{"Hangul", "토큰", time.Hour, false, "tok-1"},
		{"newer than the refused", "shared", day + time.Second, true, "shared"},
		{"as old as the refused", "shared", day, true, "shared"},
		{"older than the refused", "shared", day - time.Second, true, "tok-2"},
		{"the refused", "tok-1", day, true, "tok-2"},
		{"the refused, with another expiry", "tok-1", day + time.Second, true, "tok-2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v, s := &vendor{life: day}, &store{}
				c := open(t, v.fetch, token.Options{Store: s})
				if tt.invalidate {
					c.Invalidate(checkValue(t, c, "tok-1"))
					synctest.Wait()
				}
				shared := token.Token{Value: tt.value}
				if tt.left != 0 {
					shared.Expires = time.Now().Add(tt.left)
				}
				s.put("", shared)
				checkValue(t, c, tt.want)
			})
		})
	}
}

// An expiry out of a Store counts for 24 h at most, the longest life of a token.
func TestStore_FarExpiry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ left, want time.Duration }{
		{day - 1, day - 1}, {day, day}, {day + 1, day}, {100 * 365 * day, day},
	} {
		synctest.Test(t, func(t *testing.T) {
			v, s := &vendor{life: day}, &store{}
			s.put("", token.Token{Value: "shared", Expires: time.Now().Add(tt.left)})
			c := open(t, v.fetch, token.Options{Store: s})
			got := checkValue(t, c, "shared")
			if left := time.Until(got.Expires); left != tt.want {
				t.Errorf("a token with %v left has %v, want %v", tt.left, left, tt.want)
			}
			advance(day)
			checkValue(t, c, "tok-1")
		})
	}
}

// A refused token stands in the way of what expires earlier until there is
// another one, whatever its own expiry said.
func TestStore_FarExpiryRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v, s := &vendor{life: time.Hour}, &store{}
		s.put("", token.Token{Value: "garbage", Expires: time.Now().Add(100 * 365 * day)})
		c := open(t, v.fetch, token.Options{Store: s})
		c.Invalidate(checkValue(t, c, "garbage"))
		checkValue(t, c, "tok-1")
		synctest.Wait()
		for _, want := range []string{"shared-1", "shared-2"} {
			advance(time.Hour)
			s.put("", token.Token{Value: want, Expires: time.Now().Add(time.Hour)})
			checkValue(t, c, want)
		}
		advance(time.Hour)
		s.put("", token.Token{Value: "garbage", Expires: time.Now().Add(time.Hour)})
		checkValue(t, c, "tok-2")
	})
}

// An early refresh takes from the Store only what expires later than ours.
func TestStore_EarlyRefresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value string
		later time.Duration
		want  string
	}{
		{"ours", "tok-1", 0, "tok-2"},
		{"ours, with another expiry", "tok-1", time.Hour, "tok-2"},
		{"same expiry", "shared", 0, "tok-2"},
		{"later", "shared", 1, "shared"},
		{"earlier", "shared", -1, "tok-2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v, s := &vendor{life: day}, &store{}
				c := open(t, v.fetch, token.Options{Store: s})
				ours := checkValue(t, c, "tok-1")
				synctest.Wait()
				s.put("", token.Token{Value: tt.value, Expires: ours.Expires.Add(tt.later)})
				advance(day - time.Minute)
				checkValue(t, c, "tok-1")
				synctest.Wait()
				checkValue(t, c, tt.want)
			})
		})
	}
}

// A Store that breaks in any way costs a fetch 1 s at most, and those who wait
// for a fetched token nothing.
func TestStore_Broken(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		name string
		hook func(context.Context) error
		want time.Duration
	}{
		{"error", func(context.Context) error { return errors.New("down") }, 0},
		{"panic", func(context.Context) error { panic("broken") }, 0},
		{"goexit", func(context.Context) error { runtime.Goexit(); return nil }, 0},
		{"hangs", hang, time.Second},
		{"slow", func(context.Context) error { advance(time.Second - 1); return nil }, time.Second - 1},
		{"ignores its context", func(context.Context) error { advance(time.Hour); return nil }, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := &vendor{life: day}
				c := open(t, v.fetch, token.Options{Store: &store{onLoad: tt.hook, onSave: tt.hook}})
				start := time.Now()
				checkValue(t, c, "tok-1")
				if got := time.Since(start); got != tt.want {
					t.Errorf("Token() took %v, want %v", got, tt.want)
				}
				advance(2 * time.Second)
				c.Invalidate(token.Token{Value: "tok-1"})
				checkValue(t, c, "tok-2")
				v.checkFetches(t, 2)

				start = time.Now()
				_ = c.Close()
				if got := time.Since(start); got > time.Second {
					t.Errorf("Close took %v, want at most 1s", got)
				}
				advance(time.Hour) // the Store returns at last
			})
		})
	}
}

// A call that has not returned is not joined by a second one.
func TestStore_HangsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		release := make(chan struct{})
		s := &store{onLoad: func(context.Context) error { <-release; return nil }}
		c := open(t, v.fetch, token.Options{Store: s})
		for _, want := range []string{"tok-1", "tok-2", "tok-3"} {
			c.Invalidate(checkValue(t, c, want))
		}
		if got, _ := s.counts(); got != 1 {
			t.Errorf("loads = %d, want 1 while it hangs", got)
		}
		close(release)
		synctest.Wait()
		s.put("", token.Token{Value: "shared", Expires: time.Now().Add(2 * day)})
		checkValue(t, c, "shared")
		if got, _ := s.counts(); got != 2 {
			t.Errorf("loads = %d, want 2 after it returned", got)
		}
	})
}

// Saves are one at a time and end with the newest token; Close waits for them.
func TestStore_SavesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vendor{life: day}
		s := &store{onSave: func(context.Context) error { advance(900 * time.Millisecond); return nil }}
		c := open(t, v.fetch, token.Options{Store: s})
		start := time.Now()
		for _, want := range []string{"tok-1", "tok-2", "tok-3"} {
			c.Invalidate(checkValue(t, c, want))
			synctest.Wait()
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("three tokens took %v, want 0: the Store is served after the waiters", took)
		}
		_ = c.Close()
		if got := s.value(""); got != "tok-3" {
			t.Errorf("stored = %q, want tok-3", got)
		}
		if _, got := s.counts(); got != 2 {
			t.Errorf("saves = %d, want 2: tok-2 was old before its turn", got)
		}
	})
}

// A token loaded is not saved again.
func TestStore_NoEcho(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		s.put("", token.Token{Value: "shared", Expires: time.Now().Add(day)})
		c := open(t, nil, token.Options{Store: s})
		checkValue(t, c, "shared")
		synctest.Wait()
		if _, got := s.counts(); got != 0 {
			t.Errorf("saves = %d, want 0", got)
		}
	})
}

// Close does not wait for a Load that ignores its context.
func TestStore_CloseDuringLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{onLoad: func(context.Context) error { advance(time.Hour); return nil }}
		c := token.NewCache((&vendor{life: day}).fetch, token.Options{Store: s})
		go func() { _, _ = c.Token(t.Context()) }()
		synctest.Wait()
		start := time.Now()
		_ = c.Close()
		if took := time.Since(start); took != 0 {
			t.Errorf("Close took %v, want 0", took)
		}
		advance(time.Hour) // the Store returns at last
	})
}
