package send_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/send"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// senderFunc is a Sender made of a function.
type senderFunc func(context.Context, send.Message) (send.Receipt, error)

func (f senderFunc) Send(ctx context.Context, m send.Message) (send.Receipt, error) { return f(ctx, m) }

// numbered yields n messages with their place as RefKey, and counts what was
// pulled.
func numbered(n int, pulled *int) iter.Seq[send.Message] {
	return func(yield func(send.Message) bool) {
		for i := range n {
			*pulled++
			if !yield(send.Message{RefKey: strconv.Itoa(i)}) {
				return
			}
		}
	}
}

func accept(_ context.Context, m send.Message) (send.Receipt, error) {
	return send.Receipt{RefKey: m.RefKey, MessageKey: "k" + m.RefKey, Attempts: 1}, nil
}

func accepted(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Errorf("error = %v, want nil", err)
	}
}

func TestAll_EveryMessageOnce(t *testing.T) {
	t.Parallel()
	const n = 1000
	pulled := 0
	var done []int
	seen := map[int]bool{}
	b := send.Batch{Done: func(r send.Receipt, _ error) { done = append(done, r.Index) }}
	for r, err := range send.All(t.Context(), senderFunc(accept), numbered(n, &pulled), b) {
		want := send.Receipt{RefKey: strconv.Itoa(r.Index), MessageKey: "k" + strconv.Itoa(r.Index), Attempts: 1, Index: r.Index}
		if r != want || err != nil || seen[r.Index] {
			t.Fatalf("result %+v, %v, want %+v once", r, err, want)
		}
		seen[r.Index] = true
		if len(done) == 0 || done[len(done)-1] != r.Index {
			t.Fatalf("Done has not heard of %d yet", r.Index)
		}
	}
	if len(seen) != n || pulled != n || len(done) != n {
		t.Errorf("%d results, %d pulled, %d done, want %d each", len(seen), pulled, len(done), n)
	}
}

func TestAll_Parallel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ parallel, want int }{{0, 16}, {-1, 16}, {1, 1}, {5, 5}, {math.MaxInt, 4096}} {
		t.Run(strconv.Itoa(tt.parallel), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var flying, most, pulled int
				var mu sync.Mutex
				s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
					mu.Lock()
					flying++
					most = max(most, flying)
					mu.Unlock()
					<-time.NewTimer(time.Second).C
					mu.Lock()
					flying--
					mu.Unlock()
					return accept(ctx, m)
				})
				turns := 10
				if tt.want > 1000 {
					turns = 2
				}
				start := time.Now()
				results := 0
				for _, err := range send.All(t.Context(), s, numbered(turns*tt.want, &pulled), send.Batch{Parallel: tt.parallel}) {
					accepted(t, err)
					results++
				}
				if took := time.Since(start); most != tt.want || results != turns*tt.want || took != time.Duration(turns)*time.Second {
					t.Errorf("at most %d in flight, %d results in %v, want %d, %d in %ds", most, results, took, tt.want, turns*tt.want, turns)
				}
			})
		})
	}
}

// TestAll_AsTheyFinish: a slow send does not hold back the others' results.
func TestAll_AsTheyFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			i, _ := strconv.Atoi(m.RefKey)
			<-time.NewTimer(time.Duration(10-i) * time.Second).C
			return accept(ctx, m)
		})
		var order []int
		pulled := 0
		for r, err := range send.All(t.Context(), s, numbered(3, &pulled), send.Batch{}) {
			accepted(t, err)
			order = append(order, r.Index)
		}
		if want := []int{2, 1, 0}; !slices.Equal(order, want) {
			t.Errorf("order = %v, want %v", order, want)
		}
	})
}

// TestAll_PullsOnlyWhatCanStart: when a message is pulled, a place is free.
func TestAll_PullsOnlyWhatCanStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var flying atomic.Int32
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			defer flying.Add(-1)
			<-time.NewTimer(time.Second).C
			return accept(ctx, m)
		})
		msgs := func(yield func(send.Message) bool) {
			for range 20 {
				if n := flying.Load(); n >= 3 {
					t.Errorf("pulled while %d are in flight", n)
				}
				flying.Add(1)
				if !yield(send.Message{}) {
					return
				}
			}
		}
		results := 0
		for _, err := range send.All(t.Context(), s, msgs, send.Batch{Parallel: 3}) {
			accepted(t, err)
			results++
		}
		if results != 20 {
			t.Errorf("%d results, want 20", results)
		}
	})
}

func TestAll_SecondRange(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	pulled := 0
	s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
		calls.Add(1)
		return accept(ctx, m)
	})
	all := send.All(t.Context(), s, numbered(3, &pulled), send.Batch{})
	if pulled != 0 {
		t.Errorf("%d pulled before ranging, want 0", pulled)
	}
	for _, err := range all {
		accepted(t, err)
	}
	var errs []error
	for _, err := range all {
		errs = append(errs, err)
	}
	if len(errs) != 1 || send.OutcomeOf(errs[0]) != send.Rejected || !errors.Is(errs[0], send.Invalid) {
		t.Errorf("second range yields %v, want one Rejected, Invalid", errs)
	}
	if calls.Load() != 3 || pulled != 3 {
		t.Errorf("%d sent, %d pulled, want 3 each", calls.Load(), pulled)
	}
}

func TestAll_NilArguments(t *testing.T) {
	t.Parallel()
	pulled := 0
	tests := map[string]iter.Seq2[send.Receipt, error]{
		"context":  send.All(nil, senderFunc(accept), numbered(1, &pulled), send.Batch{}), //nolint:staticcheck // the case
		"sender":   send.All(t.Context(), nil, numbered(1, &pulled), send.Batch{}),
		"messages": send.All(t.Context(), senderFunc(accept), nil, send.Batch{}),
	}
	for name, all := range tests {
		var errs []error
		for _, err := range all {
			errs = append(errs, err)
		}
		if len(errs) != 1 || send.OutcomeOf(errs[0]) != send.Rejected || !errors.Is(errs[0], send.Invalid) {
			t.Errorf("nil %s yields %v, want one Rejected, Invalid", name, errs)
		}
	}
	if pulled != 0 {
		t.Errorf("%d pulled, want 0", pulled)
	}
}

// TestAll_FillsReceipts: the RefKey is there even if the sender, or the
// message, has none.
func TestAll_FillsReceipts(t *testing.T) {
	t.Parallel()
	var given atomic.Value
	s := senderFunc(func(_ context.Context, m send.Message) (send.Receipt, error) {
		given.Store(m.RefKey)
		return send.Receipt{}, errors.New("x")
	})
	for r, err := range send.All(t.Context(), s, slices.Values([]send.Message{{}}), send.Batch{}) {
		if err == nil || r.RefKey == "" || r.RefKey != given.Load() {
			t.Errorf("RefKey = %q, error %v, want that of the message, %q, and the sender's error", r.RefKey, err, given.Load())
		}
	}
}

func TestAll_ContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			if m.RefKey == "5" {
				cancel()
			}
			<-ctx.Done()
			return send.Receipt{RefKey: m.RefKey}, &send.Error{Outcome: send.NotSent, Reason: send.Canceled, Err: ctx.Err()}
		})
		pulled, results, done := 0, 0, 0
		b := send.Batch{Parallel: 6, Done: func(send.Receipt, error) { done++ }}
		for _, err := range send.All(ctx, s, numbered(100, &pulled), b) {
			if !errors.Is(err, send.Canceled) {
				t.Errorf("error = %v, want Canceled", err)
			}
			results++
		}
		if pulled != 6 || results != 6 || done != 6 {
			t.Errorf("%d pulled, %d results, %d done, want 6 each", pulled, results, done)
		}
		pulled = 0
		for _, err := range send.All(ctx, s, numbered(100, &pulled), b) {
			t.Errorf("result %v although nothing was pulled", err)
		}
		if pulled != 0 {
			t.Errorf("%d pulled with an ended context, want 0", pulled)
		}
	})
}

// TestAll_LeftEarly covers case 85.
func TestAll_LeftEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var finished atomic.Int32
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			i, _ := strconv.Atoi(m.RefKey)
			<-time.NewTimer(time.Duration(i+1) * time.Second).C
			finished.Add(1)
			return accept(ctx, m)
		})
		pulled := 0
		var done []int
		b := send.Batch{Parallel: 4, Done: func(r send.Receipt, _ error) { done = append(done, r.Index) }}
		for _, err := range send.All(t.Context(), s, numbered(100, &pulled), b) {
			accepted(t, err)
			break
		}
		slices.Sort(done)
		if pulled != 4 || finished.Load() != 4 || !slices.Equal(done, []int{0, 1, 2, 3}) {
			t.Errorf("%d pulled, %d finished, done %v, want 4, 4, all four", pulled, finished.Load(), done)
		}
	})
}

// TestAll_Panics: whoever panics, the ranging goroutine gets it, and before
// that Done hears of what was in flight, and the loop, unless it or Done
// panicked.
func TestAll_Panics(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		sender           int // message whose send panics
		source, loop     int // message before which, and result at which these panic
		doneAt           int // call at which Done panics
		wantDone, wantUn int // calls of Done, and those of them with Unknown
		wantLoop         int // results in the loop
	}{
		{name: "sender", sender: 2, source: -1, loop: -1, doneAt: -1, wantDone: 4, wantUn: 1, wantLoop: 4},
		{name: "source", sender: -1, source: 3, loop: -1, doneAt: -1, wantDone: 3, wantLoop: 3},
		{name: "sender and source", sender: 1, source: 3, loop: -1, doneAt: -1, wantDone: 3, wantUn: 1, wantLoop: 3},
		{name: "loop", sender: -1, source: -1, loop: 0, doneAt: -1, wantDone: 4, wantLoop: 1},
		{name: "loop, after the source", sender: -1, source: 3, loop: 1, doneAt: -1, wantDone: 3, wantLoop: 2},
		{name: "Done", sender: -1, source: -1, loop: -1, doneAt: 0, wantDone: 4, wantLoop: 0},
		{name: "Done, after the source", sender: -1, source: 3, loop: -1, doneAt: 1, wantDone: 3, wantLoop: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
					i, _ := strconv.Atoi(m.RefKey)
					<-time.NewTimer(time.Duration(i+1) * time.Second).C
					if i == tt.sender {
						panic("boom")
					}
					return accept(ctx, m)
				})
				msgs := func(yield func(send.Message) bool) {
					for i := range 4 {
						if i == tt.source {
							panic("boom")
						}
						if !yield(send.Message{RefKey: strconv.Itoa(i)}) {
							return
						}
					}
				}
				done, unknown := 0, 0
				b := send.Batch{Done: func(r send.Receipt, err error) {
					done++
					if send.OutcomeOf(err) == send.Unknown {
						unknown++
						if r.RefKey != strconv.Itoa(tt.sender) || r.Index != tt.sender {
							t.Errorf("unknown is %+v, want message %d", r, tt.sender)
						}
					}
					if done-1 == tt.doneAt {
						panic("boom")
					}
				}}
				results := 0
				got := panicOf(func() {
					for r, err := range send.All(t.Context(), s, msgs, b) {
						if want := r.Index == tt.sender; want != (send.OutcomeOf(err) == send.Unknown) {
							t.Errorf("error of %d = %v, want Unknown: %t", r.Index, err, want)
						}
						results++
						if results-1 == tt.loop {
							panic("boom")
						}
					}
				})
				if got != "boom" {
					t.Errorf("panic = %v, want boom", got)
				}
				if done != tt.wantDone || unknown != tt.wantUn || results != tt.wantLoop {
					t.Errorf("Done heard %d, %d unknown, the loop %d, want %d, %d, %d", done, unknown, results, tt.wantDone, tt.wantUn, tt.wantLoop)
				}
			})
		})
	}
}

func panicOf(f func()) (got any) {
	defer func() { got = recover() }()
	f()
	return nil
}

// TestAll_DonePanicsEachTime: Done hears of every send nevertheless, and the
// first panic is the one that reaches the loop's goroutine.
func TestAll_DonePanicsEachTime(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"from the first": 1, "from the first that lands": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
					<-time.NewTimer(time.Second).C
					return accept(ctx, m)
				})
				pulled, done, results := 0, 0, 0
				b := send.Batch{Done: func(send.Receipt, error) {
					if done++; done >= from {
						panic(done)
					}
				}}
				got := panicOf(func() {
					for _, err := range send.All(t.Context(), s, numbered(5, &pulled), b) {
						accepted(t, err)
						results++
						break
					}
				})
				if got != from || pulled != 5 || done != 5 || results != from-1 {
					t.Errorf("panic %v, %d pulled, Done heard %d, the loop %d, want %d, 5, 5, %d", got, pulled, done, results, from, from-1)
				}
			})
		})
	}
}

// TestAll_DoneEndsTheGoroutine, as t.Fatal does: it still hears of all that
// landed.
func TestAll_DoneEndsTheGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			<-time.NewTimer(time.Second).C
			return accept(ctx, m)
		})
		pulled, done := 0, 0
		b := send.Batch{Done: func(r send.Receipt, _ error) {
			if done++; r.Index%2 == 0 {
				runtime.Goexit()
			}
		}}
		over := make(chan struct{})
		go func() {
			defer close(over)
			for _, err := range send.All(t.Context(), s, numbered(10, &pulled), b) {
				accepted(t, err)
			}
		}()
		<-over
		if pulled != 10 || done != 10 {
			t.Errorf("%d pulled, Done heard %d, want 10 and 10", pulled, done)
		}
	})
}

// TestAll_SourceGoesOn although it was told to stop: that is a panic, and no
// result is lost for it.
func TestAll_SourceGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			<-time.NewTimer(time.Second).C
			return accept(ctx, m)
		})
		ctx, cancel := context.WithCancel(t.Context())
		msgs := func(yield func(send.Message) bool) {
			for i := range 10 {
				if i == 3 {
					cancel()
				}
				yield(send.Message{RefKey: strconv.Itoa(i)})
			}
		}
		results := 0
		got := panicOf(func() {
			for _, err := range send.All(ctx, s, msgs, send.Batch{}) {
				accepted(t, err)
				results++
			}
		})
		if got == nil || results != 4 {
			t.Errorf("panic %v, %d results, want one, and 4", got, results)
		}
	})
}

// TestAll_SenderEndsItsGoroutine, as t.FailNow in a fake does: the result is
// Unknown and nothing hangs.
func TestAll_SenderEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	s := senderFunc(func(context.Context, send.Message) (send.Receipt, error) {
		runtime.Goexit()
		return send.Receipt{}, nil
	})
	pulled, results := 0, 0
	for r, err := range send.All(t.Context(), s, numbered(3, &pulled), send.Batch{}) {
		results++
		if send.OutcomeOf(err) != send.Unknown || r.RefKey != strconv.Itoa(r.Index) {
			t.Errorf("result %+v, %v, want Unknown with its RefKey", r, err)
		}
	}
	if results != 3 {
		t.Errorf("%d results, want 3", results)
	}
}

// TestAll_Property: whatever ends a run, each message that was pulled is sent
// once and heard of once, in one call at a time.
func TestAll_Property(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		n, parallel := random.IntN(40), 1+random.IntN(8)
		cancelAt, breakAt, panicAt := random.IntN(80), random.IntN(80), random.IntN(200)
		delays := make([]time.Duration, n)
		for i := range delays {
			delays[i] = time.Duration(random.IntN(5)) * time.Second
		}
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var sent sync.Map
			s := senderFunc(func(ctx context.Context, m send.Message) (send.Receipt, error) {
				if _, twice := sent.LoadOrStore(m.RefKey, true); twice {
					t.Errorf("seed %d: message %s was sent twice", seed, m.RefKey)
				}
				i, _ := strconv.Atoi(m.RefKey)
				if i == cancelAt {
					cancel()
				}
				select {
				case <-time.NewTimer(delays[i]).C:
				case <-ctx.Done():
					return send.Receipt{RefKey: m.RefKey}, &send.Error{Outcome: send.NotSent, Reason: send.Canceled, Err: ctx.Err()}
				}
				if i == panicAt {
					panic("boom")
				}
				return accept(ctx, m)
			})
			pulled, results, telling := 0, 0, 0
			done := map[int]int{}
			b := send.Batch{Parallel: parallel, Done: func(r send.Receipt, _ error) {
				telling++
				done[r.Index]++
				if telling != 1 {
					t.Errorf("seed %d: Done runs %d times at once", seed, telling)
				}
				telling--
			}}
			func() {
				defer func() {
					if p := recover(); p != nil && p != "boom" {
						panic(p)
					}
				}()
				for r, err := range send.All(ctx, s, numbered(n, &pulled), b) {
					results++
					if err != nil && !errors.Is(err, send.Canceled) && (r.Index != panicAt || send.OutcomeOf(err) != send.Unknown) {
						t.Errorf("seed %d: error = %v, want none or Canceled", seed, err)
					}
					if done[r.Index] != 1 {
						t.Errorf("seed %d: Done heard of %d %d times before the loop", seed, r.Index, done[r.Index])
					}
					if results == breakAt {
						break
					}
				}
			}()
			for i := range pulled {
				if done[i] != 1 {
					t.Errorf("seed %d: Done heard of %d %d times, want once", seed, i, done[i])
				}
			}
			if len(done) != pulled || results != pulled && results != breakAt {
				t.Errorf("seed %d: %d done, %d results, %d pulled", seed, len(done), results, pulled)
			}
		})
	}
}

// TestAll_MemoryIsBounded: the heap does not grow with the number of messages.
func TestAll_MemoryIsBounded(t *testing.T) { //nolint:paralleltest // measures the heap
	const n = 200_000
	var before, after runtime.MemStats
	pulled, results := 0, 0
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, err := range send.All(t.Context(), senderFunc(accept), numbered(n, &pulled), send.Batch{}) {
		accepted(t, err)
		if results++; results == n-1 {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes over %d messages", grown, n)
	}
}

func BenchmarkAll_1000(b *testing.B) {
	pulled := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range send.All(b.Context(), senderFunc(accept), numbered(1000, &pulled), send.Batch{}) {
			accepted(b, err)
		}
	}
}
