package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// untilReached stages a fault and sends, with a limit of time that grows until
// try says that the message met the fault: machines are of different speed.
// late is how long Send took to return after the end of its context; too late
// three times is a fault.
func untilReached(t *testing.T, lay func(*stage), try func(st *stage, d time.Duration, reached <-chan struct{}) (late time.Duration, met bool)) {
	t.Helper()
	slow := 0
	for d := 100 * time.Millisecond; d < time.Minute; d *= 2 {
		st := newStage(t)
		reached := make(chan struct{})
		st.reached = sync.OnceFunc(func() { close(reached) })
		lay(st)
		late, met := try(st, d, reached)
		switch {
		case !met:
		case late <= prompt:
			return
		default:
			if slow++; slow == 3 {
				t.Fatalf("Send returned %v after the end of its context, want at most %v", late, prompt)
			}
		}
	}
	t.Fatal("the message never met the fault")
}

// prompt is how soon a Send returns whose caller has left.
const prompt = 200 * time.Millisecond

var errShift = errors.New("the shift is over")

// lies are what callers may leave with: errors that are true of something else.
// net/http returns them in the place of its own.
func lies() map[string]error {
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	proof := &engine.Error{Phase: engine.Acquire, Unsent: true, Err: engine.ErrClosed}
	return map[string]error{
		"a failed dial":          dial,
		"a proof":                proof,
		"a failed dial, wrapped": fmt.Errorf("db: %w", dial),
		"a proof, wrapped":       fmt.Errorf("db: %w", proof),
		"all, joined":            errors.Join(dial, proof, engine.ErrMalformed, os.ErrDeadlineExceeded),
		"another's verdict":      &send.Error{Outcome: send.NotSent, Reason: send.Closed, Err: proof},
	}
}

// TestFaults_caller: the caller leaves, in each of four ways, in each phase
// (cases 17, 18, 23 and 45). Before the first byte that is NotSent, after it Unknown.
func TestFaults_caller(t *testing.T) {
	t.Parallel()
	type ending struct {
		name string
		make func(context.Context, time.Duration) (context.Context, func())
		is   []error
		not  error
	}
	endings := []ending{
		{"cancel", func(ctx context.Context, _ time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		}, []error{context.Canceled}, context.DeadlineExceeded},
		{"cancel with a cause", func(ctx context.Context, _ time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(errShift) }
		}, []error{context.Canceled, errShift}, context.DeadlineExceeded},
		{"deadline", func(ctx context.Context, d time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, d)
			return ctx, func() { context.AfterFunc(ctx, cancel) }
		}, []error{context.DeadlineExceeded}, context.Canceled},
		{"deadline with a cause", func(ctx context.Context, d time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithTimeoutCause(ctx, d, errShift)
			return ctx, func() { context.AfterFunc(ctx, cancel) }
		}, []error{context.DeadlineExceeded, errShift}, context.Canceled},
	}
	for name, lie := range lies() {
		endings = append(endings, ending{"cancel with " + name, func(ctx context.Context, _ time.Duration) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(lie) }
		}, []error{context.Canceled, lie}, context.DeadlineExceeded})
	}
	for _, ph := range phases() {
		for _, ending := range endings {
			t.Run(ph.name+"/"+ending.name, func(t *testing.T) {
				t.Parallel()
				untilReached(t, ph.lay, func(st *stage, d time.Duration, reached <-chan struct{}) (time.Duration, bool) {
					ctx, end := ending.make(t.Context(), d)
					left := make(chan time.Time, 1)
					context.AfterFunc(ctx, func() { left <- time.Now() })
					go func() {
						select {
						case <-reached:
						case <-ctx.Done(): // a deadline that came too early
						}
						end()
					}()
					r, returned, err := st.run(ctx)
					select {
					case <-reached:
					default:
						return 0, false
					}
					outcome, reason := send.Unknown, send.Interrupted
					if ph.unsent {
						outcome, reason = send.NotSent, send.Canceled
					}
					e := wantError(t, ph.name, err, outcome, reason)
					for _, want := range ending.is {
						if !errors.Is(err, want) {
							t.Errorf("errors.Is(%v, %v) = false, want true", err, want)
						}
					}
					if errors.Is(err, ending.not) || errors.Is(err, os.ErrDeadlineExceeded) != errors.Is(ending.is[len(ending.is)-1], os.ErrDeadlineExceeded) {
						t.Errorf("%v looks like another end of the context", err)
					}
					wantPhase(t, err, ph.phase)
					if r.Attempts != 1 || r.RefKey != "the-message" || e.RefKey != "the-message" {
						t.Errorf("receipt = %+v, error = %+v, want one attempt and the RefKey", r, e)
					}
					st.verify(ph.unsent)
					return returned.Sub(<-left), true
				})
			})
		}
	}
}

// wantPhase checks the engine's word on how far the message got.
func wantPhase(tb testing.TB, err error, want engine.Phase) {
	tb.Helper()
	var e *engine.Error
	if errors.As(err, &e) && e.Phase != want && (want != engine.Read || e.Phase != engine.Wait) { // the first byte of a body may not have come yet
		tb.Errorf("phase = %q (%v), want %q", e.Phase, err, want)
	}
}

// TestFaults_clock: our own clocks end each phase (cases 4, 8, 18, 23 and 69). The
// caller's context lives, and no error says otherwise.
func TestFaults_clock(t *testing.T) {
	t.Parallel()
	clocks := map[string]func(*stage, time.Duration){
		"attempt": func(st *stage, d time.Duration) { st.cfg.AttemptTimeout = d },
		"dial":    func(st *stage, d time.Duration) { st.pool.DialTimeout = d },
		"acquire": func(st *stage, d time.Duration) { st.pool.AcquireTimeout = d },
	}
	for _, ph := range phases() {
		names := []string{"attempt"}
		switch ph.phase {
		case engine.Acquire:
			names = append(names, "acquire")
		case engine.Resolve, engine.Dial, engine.TLS:
			names = append(names, "dial")
		case engine.Write, engine.Wait, engine.Read:
		}
		for _, clock := range names {
			t.Run(ph.name+"/"+clock, func(t *testing.T) {
				t.Parallel()
				untilReached(t, ph.lay, func(st *stage, d time.Duration, reached <-chan struct{}) (time.Duration, bool) {
					clocks[clock](st, d)
					r, _, err := st.run(t.Context())
					select {
					case <-reached:
					default:
						return 0, false
					}
					outcome, reason, attempts := send.Unknown, send.Timeout, 1
					switch {
					case ph.phase == engine.Acquire:
						outcome, reason = send.NotSent, send.PoolTimeout
					case ph.unsent:
						outcome, reason, attempts = send.NotSent, send.Unreachable, 3
					}
					e := wantError(t, ph.name, err, outcome, reason)
					if !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("errors.Is(%v, os.ErrDeadlineExceeded) = false, want true", err)
					}
					if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
						t.Errorf("%v looks like the caller's own context", err)
					}
					st.verify(ph.unsent)
					if !ph.unsent && r.Attempts > 1 {
						return 0, false // the clock ended an attempt before, on its way to the vendor
					}
					wantPhase(t, err, ph.phase)
					if r.Attempts != attempts {
						t.Errorf("attempts = %d, want %d", r.Attempts, attempts)
					}
					if ph.unsent && (e.Status != 0 || e.Code != 0 || !strings.Contains(err.Error(), "decided here")) {
						t.Errorf("%v reads as if the vendor had said it", err)
					}
					return 0, true
				})
			})
		}
	}
}
