package token_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const day = 24 * time.Hour

// vendor issues tokens "tok-1", "tok-2" … that live for life.
type vendor struct {
	life    time.Duration
	latency time.Duration
	fetches atomic.Int64
	err     atomic.Pointer[error] // nil: issue a token
}

func (v *vendor) fetch(ctx context.Context) (token.Token, error) {
	n := v.fetches.Add(1)
	if v.latency > 0 {
		select {
		case <-time.NewTimer(v.latency).C:
		case <-ctx.Done():
			return token.Token{}, ctx.Err()
		}
	}
	if err := v.err.Load(); err != nil {
		return token.Token{}, *err
	}
	return token.Token{Value: "tok-" + strconv.FormatInt(n, 10), Expires: time.Now().Add(v.life)}, nil
}

func (v *vendor) fail(err error) { v.err.Store(&err) }
func (v *vendor) heal()          { v.err.Store(nil) }

// advance moves the clock of a synctest bubble.
func advance(d time.Duration) { <-time.NewTimer(d).C }

// checkFetches fails unless the vendor has been asked want times.
func (v *vendor) checkFetches(t *testing.T, want int64) {
	t.Helper()
	if got := v.fetches.Load(); got != want {
		t.Errorf("fetches = %d, want %d", got, want)
	}
}

func open(t *testing.T, fetch func(context.Context) (token.Token, error), o token.Options) *token.Cache {
	t.Helper()
	c := token.NewCache(fetch, o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// checkValue asks c and fails unless it hands out want.
func checkValue(t *testing.T, c *token.Cache, want string) token.Token {
	t.Helper()
	got, err := c.Token(t.Context())
	if err != nil || got.Value != want {
		t.Errorf("Token() = %q, %v, want %q, nil", got.Value, err, want)
	}
	return got
}

// refusal is an error that says that asking again is of no use.
type refusal struct{ permanent bool }

func (refusal) Error() string     { return "refused" }
func (r refusal) Permanent() bool { return r.permanent }
