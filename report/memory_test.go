package report_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

// A report seen twice is handled once (cases, section N: duplicates); only
// success is remembered.
func TestHandler_Duplicates(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	var broken atomic.Bool
	h := serve(t, report.Config{Remember: 2}, func(context.Context, report.Report) error {
		calls.Add(1)
		if broken.Load() {
			return errors.New("database is away")
		}
		return nil
	})
	steps := []struct {
		name, body string
		broken     bool
		status     int
		calls      int64
	}{
		{"fails", push("a", "4100"), true, 500, 1},
		{"fails again: not remembered", push("a", "4100"), true, 500, 2},
		{"succeeds", push("a", "4100"), false, 200, 3},
		{"duplicate", push("a", "4100"), false, 200, 3},
		{"duplicate while the function would fail", push("a", "4100"), true, 200, 3},
		{"duplicate in other spelling", `{"refkey":"order-0001","media":"SMS","result":4100,"msgid":"a"}`, false, 200, 3},
		{"the same id with news", push("a", "4410"), false, 200, 4},
		{"pushes out the first", push("b", "4100"), false, 200, 5},
		{"the first is forgotten", push("a", "4100"), false, 200, 6},
		{"the last is not", push("b", "4100"), false, 200, 6},
		{"the same id and result of another channel", `{"MSGID":"b","MEDIA":"KAT","RESULT":"9070"}`, false, 200, 7},
		{"and of one more: another report", `{"MSGID":"b","MEDIA":"LMS","RESULT":"9070"}`, false, 200, 8},
		{"again, in other spelling", `{"MSGID":"b","media":" lms ","RESULT":9070}`, false, 200, 8},
		{"no id", `{"RESULT":"4100","REFKEY":"order-0001"}`, false, 200, 9},
		{"no id again: handed over each time", `{"RESULT":"4100","REFKEY":"order-0001"}`, false, 200, 10},
	}
	for _, s := range steps {
		broken.Store(s.broken)
		if status := h.post(t, "/", s.body); status != s.status || calls.Load() != s.calls {
			t.Fatalf("%s: status %d after %d calls, want %d after %d", s.name, status, calls.Load(), s.status, s.calls)
		}
	}
}

// All reports of one body are tried; the ones that succeeded are not tried
// again.
func TestHandler_Batch(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	calls := map[string]int{}
	h := serve(t, report.Config{}, func(_ context.Context, r report.Report) error {
		mu.Lock()
		defer mu.Unlock()
		calls[r.MessageID]++
		if r.MessageID == "b" && calls["b"] == 1 {
			return errors.New("once")
		}
		return nil
	})
	body := fmt.Sprintf(`{"code":1000,"report":[%s,%s,%s,%s]}`, push("a", "4100"), push("b", "4100"), push("a", "4100"), push("c", "4100"))
	for i, want := range []int{500, 200, 200} {
		if status := h.post(t, "/", body); status != want {
			t.Fatalf("push %d: status = %d, want %d", i, status, want)
		}
	}
	if calls["a"] != 1 || calls["b"] != 2 || calls["c"] != 1 {
		t.Errorf("calls = %v, want a 1, b 2, c 1", calls)
	}
}

// 100 pushes of one report at the same time: one call, one result for all.
func TestHandler_DuplicatesMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		result func() error
		want   int
		after  int64 // calls after one more push
	}{
		{"succeeds", func() error { return nil }, 200, 1},
		{"fails", func() error { return errors.New("database is away") }, 500, 2},
		{"panics", func() error { panic("boom") }, 500, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				release := make(chan struct{})
				h := report.Handler(report.Config{}, func(context.Context, report.Report) error {
					if calls.Add(1) > 1 {
						return nil
					}
					<-release
					return tt.result()
				})
				statuses := make(chan int, 100)
				for range 100 {
					go func() { statuses <- pushDirectly(h, pushBody) }()
				}
				synctest.Wait() // one in the function, 99 waiting
				close(release)
				for range 100 {
					if status := <-statuses; status != tt.want {
						t.Errorf("status = %d, want %d", status, tt.want)
					}
				}
				if n := calls.Load(); n != 1 {
					t.Errorf("%d calls, want 1", n)
				}
				if status := pushDirectly(h, pushBody); status != http.StatusOK || calls.Load() != tt.after {
					t.Errorf("next push: status %d after %d calls, want 200 after %d", status, calls.Load(), tt.after)
				}
			})
		})
	}
}

// pushDirectly pushes without a network and survives a panic as a server does.
func pushDirectly(h http.Handler, body string) (status int) {
	w := httptest.NewRecorder()
	defer func() {
		if recover() != nil {
			status = w.Code
		}
	}()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	return w.Code
}

// A duplicate that waits leaves with its own request; the first goes on.
func TestHandler_WaiterLeaves(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	h := report.Handler(report.Config{}, func(context.Context, report.Report) error {
		close(entered)
		<-release
		return nil
	})
	first := make(chan int, 1)
	go func() { first <- pushDirectly(h, pushBody) }()
	wait(t, entered, "the first call")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(pushBody)))
	if w.Code == http.StatusOK {
		t.Error("status = 200 for a report that is not handled yet")
	}
	close(release)
	if status := <-first; status != http.StatusOK {
		t.Errorf("status of the first = %d, want 200", status)
	}
}

// The vendor hangs up while the function works: the work is finished, and the
// next push of the report is answered from memory.
func TestHandler_HangUp(t *testing.T) {
	t.Parallel()
	entered, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	h := serve(t, report.Config{}, func(ctx context.Context, _ report.Report) error {
		close(entered) // a second call would panic
		<-release
		done <- ctx.Err()
		return nil
	})
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if _, err := h.send(ctx, "/", pushBody); err == nil {
			t.Error("an answer before the function returned")
		}
	}()
	wait(t, entered, "the call")
	hangUp()
	wait(t, gone, "the hang-up")
	close(release)
	if err := <-done; err != nil {
		t.Errorf("context of the function: %v, want none", err)
	}
	if status := h.post(t, "/", pushBody); status != http.StatusOK {
		t.Errorf("status of the next push = %d, want 200", status)
	}
}

// Slow functions do not pile up: more than the limit is refused, and there is
// room again afterwards.
func TestHandler_Capacity(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	entered := make(chan struct{}, report.MaxInFlight)
	h := report.Handler(report.Config{}, func(context.Context, report.Report) error {
		entered <- struct{}{}
		<-release
		return nil
	})
	var inside sync.WaitGroup
	for i := range report.MaxInFlight {
		inside.Go(func() {
			if status := pushDirectly(h, push(strconv.Itoa(i), "4100")); status != http.StatusOK {
				t.Errorf("status = %d, want 200", status)
			}
		})
	}
	for range report.MaxInFlight {
		wait(t, entered, "a full house")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(pushBody)))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("status = %d, Retry-After %q, want 503 and one", w.Code, w.Header().Get("Retry-After"))
	}
	close(release)
	inside.Wait()
	if status := pushDirectly(h, pushBody); status != http.StatusOK {
		t.Errorf("status afterwards = %d, want 200", status)
	}
}

// A panic is never success: the pusher sees 500, nothing is remembered, and
// the server logs it (case 57).
func TestHandler_Panic(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"panic": "boom", "abort": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			h := serve(t, report.Config{}, func(context.Context, report.Report) error {
				if calls.Add(1) == 1 {
					panic(value)
				}
				return nil
			})
			for i, want := range []int{500, 200, 200} {
				if status := h.post(t, "/", pushBody); status != want {
					t.Errorf("push %d: status = %d, want %d", i, status, want)
				}
			}
			if n := calls.Load(); n != 2 {
				t.Errorf("%d calls, want 2", n)
			}
			if logged := strings.Contains(h.errs.String(), "boom"); logged != (name == "panic") {
				t.Errorf("the server logged the panic: %t", logged)
			}
		})
	}
}

// A function that hangs is told after a while, and its report fails.
func TestHandler_FunctionHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := report.Handler(report.Config{}, func(ctx context.Context, _ report.Report) error {
			<-ctx.Done()
			return ctx.Err()
		})
		start := time.Now()
		status := pushDirectly(h, pushBody)
		if took := time.Since(start); status != http.StatusInternalServerError || took != 30*time.Second {
			t.Errorf("status = %d after %v, want 500 after 30 s", status, took)
		}
	})
}
