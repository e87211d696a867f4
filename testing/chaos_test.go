package bizppuriotest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// Through all that can happen, the client says nothing that the server's
// books refute, and no message becomes two.
func TestChaos(t *testing.T) {
	t.Parallel()
	const callers, each = 16, 30
	s := bizppuriotest.NewServer(t)
	s.Chaos(1, 0.5)
	client := connect(t, s, func(c *bizppurio.Config) {
		c.AttemptTimeout = 500 * time.Millisecond
		c.Retry = engine.Retry{MinWait: time.Millisecond, MaxWait: 50 * time.Millisecond}
	})
	var outcomes [4]atomic.Int32
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for i := range each {
				refKey := fmt.Sprintf("order-%d-%d", caller, i)
				r, err := client.Send(t.Context(), letter(refKey))
				outcome := send.OutcomeOf(err)
				outcomes[outcome].Add(1)
				accepted, seen := s.Accepted(refKey), s.Seen(refKey)
				switch outcome {
				case send.Accepted:
					if accepted != 1 {
						t.Errorf("%s: accepted, but the server accepted %d", refKey, accepted)
					}
				case send.NotSent, send.Rejected:
					if accepted != 0 {
						t.Errorf("%s: %v, but the server accepted it", refKey, err)
					}
					if unsent := r.Attempts == 0 || r.Attempts == 1 && errors.Is(err, send.Unreachable); unsent && seen != 0 {
						t.Errorf("%s: %v, but the server saw it", refKey, err)
					}
				case send.Unknown:
					if accepted > 1 {
						t.Errorf("%s: %v, and the server accepted %d", refKey, err, accepted)
					}
				}
			}
		})
	}
	wg.Wait()
	if got := s.Duplicates(); len(got) != 0 {
		t.Errorf("Duplicates() = %q, want none", got)
	}
	if outcomes[send.Accepted].Load() == 0 || outcomes[send.Unknown].Load() == 0 {
		t.Errorf("unknown, not sent, rejected, accepted = %v, want some of the first and the last",
			[]int32{outcomes[0].Load(), outcomes[1].Load(), outcomes[2].Load(), outcomes[3].Load()})
	}
	t.Logf("accepted %d, unknown %d, not sent %d, rejected %d; %d connections",
		outcomes[send.Accepted].Load(), outcomes[send.Unknown].Load(), outcomes[send.NotSent].Load(), outcomes[send.Rejected].Load(), s.Conns())
}

// The same seed gives the same faults, at the given rate, and only where it
// is asked to.
func TestServer_Chaos(t *testing.T) {
	t.Parallel()
	const n = 1000
	run := func(seed uint64, path string) []int {
		s := bizppuriotest.NewServer(t)
		s.Chaos(seed, 0.25, bizppuriotest.PathReport)
		return bizppuriotest.Picks(s, path, n)
	}
	first := run(7, bizppuriotest.PathReport)
	if !slices.Equal(first, run(7, bizppuriotest.PathReport)) {
		t.Error("one seed gave two orders")
	}
	if slices.Equal(first, run(8, bizppuriotest.PathReport)) {
		t.Error("two seeds gave one order")
	}
	faults := n - len(slices.DeleteFunc(first, func(i int) bool { return i >= 0 }))
	if faults < n/5 || faults > n/3 {
		t.Errorf("%d of %d requests misbehave, want a quarter", faults, n)
	}
	if slices.ContainsFunc(run(7, bizppuriotest.PathMessage), func(i int) bool { return i >= 0 }) {
		t.Error("an endpoint misbehaves that should not")
	}
}
