package report_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

func smsReport(refKey, id string, code int) report.Report {
	return report.Report{RefKey: refKey, MessageID: id, Medium: "SMS", Result: report.Result{Family: report.SMS, Code: code}}
}

func kakaoReport(refKey, id string, code int) report.Report {
	return report.Report{RefKey: refKey, MessageID: id, Medium: "KAT", Result: report.Result{Family: report.Kakao, Code: code}}
}

// An Unknown outcome becomes delivered or failed when the reports come
// (case 16).
func TestTracker_Add(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{})
	tr.Begin("r", 2)
	steps := []struct {
		r     report.Report
		want  report.Status
		known bool
	}{
		{kakaoReport("r", "a", 7204), report.Uncertain, true},
		{kakaoReport("r", "a", 7204), report.Uncertain, true},
		{kakaoReport("stranger", "x", 7204), report.Failed, false},
		{smsReport("stranger", "y", 4100), report.Delivered, false},
		{smsReport("", "y", 4100), report.Delivered, false},
		{smsReport("r", "b", 4410), report.Failed, true},
		{smsReport("r", "b", 4410), report.Failed, true},
		{kakaoReport("r", "c", 7000), report.Delivered, true}, // late
		{smsReport("r", "d", 4410), report.Delivered, true},
	}
	for i, s := range steps {
		if got, known := tr.Add(s.r); got != s.want || known != s.known {
			t.Errorf("step %d: Add = %s, %t, want %s, %t", i, got, known, s.want, s.known)
		}
	}
	// Reports about keys that were never begun leave nothing behind (cases,
	// section N: no signature).
	if _, err := tr.Wait(t.Context(), "stranger"); !errors.Is(err, report.ErrUntracked) {
		t.Errorf("Wait(stranger) = %v, want ErrUntracked", err)
	}
}

func TestTracker_EmptyKey(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{})
	tr.Begin("", 1)
	if _, known := tr.Add(smsReport("", "a", 4100)); known {
		t.Error("Add of a report without RefKey: known")
	}
	if _, err := tr.Wait(t.Context(), ""); !errors.Is(err, report.ErrUntracked) {
		t.Errorf("Wait(\"\") = %v, want ErrUntracked", err)
	}
	tr.Forget("")
}

func TestTracker_Zero(t *testing.T) {
	t.Parallel()
	var tr report.Tracker
	tr.Forget("r")
	if _, known := tr.Add(smsReport("r", "a", 4100)); known {
		t.Error("Add before Begin: known")
	}
	tr.Begin("r", 0)
	if got, known := tr.Add(smsReport("r", "a", 4410)); got != report.Failed || !known {
		t.Errorf("Add = %s, %t, want failed, true", got, known)
	}
}

func TestTracker_BeginAgain(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{})
	tr.Begin("r", 1)
	tr.Add(kakaoReport("r", "a", 7204))
	tr.Begin("r", 2)
	if got, _ := tr.Add(kakaoReport("r", "a", 7204)); got != report.Uncertain {
		t.Errorf("with two channels: %s, want uncertain", got)
	}
	tr.Begin("r", 1)
	if got, _ := tr.Add(smsReport("r", "b", 4410)); got != report.Failed {
		t.Errorf("both failed: %s, want failed", got)
	}
}

// What was heard while fewer channels were known counts for the larger number
// too.
func TestTracker_BeginAgainLater(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{})
	tr.Begin("r", 1)
	tr.Add(kakaoReport("r", "a", 7204))
	tr.Add(smsReport("r", "b", 4410))
	tr.Begin("r", 2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := tr.Wait(ended, "r"); s != report.Failed || err != nil {
		t.Errorf("two of two failed: Wait = %s, %v, want failed", s, err)
	}
	tr.Begin("r", 3)
	if s, _ := tr.Add(smsReport("r", "c", 4421)); s != report.Uncertain {
		t.Errorf("two of three failed: Add = %s, want uncertain", s)
	}
}

func TestTracker_Wait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := report.NewTracker(report.TrackerConfig{})
		tr.Begin("r", 2)
		type result struct {
			s   report.Status
			err error
		}
		results := make(chan result, 100)
		for range 100 {
			go func() {
				s, err := tr.Wait(t.Context(), "r")
				results <- result{s, err}
			}()
		}
		impatient, cancel := context.WithCancelCause(t.Context())
		left := make(chan result, 1)
		go func() {
			s, err := tr.Wait(impatient, "r")
			left <- result{s, err}
		}()

		synctest.Wait()
		tr.Add(kakaoReport("r", "a", 7204)) // one of two channels: nobody returns
		reason := errors.New("the page was closed")
		cancel(reason)
		if got := <-left; !errors.Is(got.err, context.Canceled) || !errors.Is(got.err, reason) || got.s != report.Uncertain {
			t.Errorf("canceled Wait = %s, %v, want uncertain, canceled and the cause", got.s, got.err)
		}
		synctest.Wait()
		if n := len(results); n != 0 {
			t.Fatalf("%d waiters returned before it is settled", n)
		}
		tr.Add(smsReport("r", "b", 4410))
		for range 100 {
			if got := <-results; got.s != report.Failed || got.err != nil {
				t.Errorf("Wait = %s, %v, want failed", got.s, got.err)
			}
		}
		if s, err := tr.Wait(impatient, "r"); s != report.Failed || err != nil {
			t.Errorf("Wait of what is settled = %s, %v, want failed, whatever ctx", s, err)
		}
		tr.Add(kakaoReport("r", "c", 7000))
		if s, err := tr.Wait(t.Context(), "r"); s != report.Delivered || err != nil {
			t.Errorf("Wait after a late delivery = %s, %v, want delivered", s, err)
		}
		tr.Forget("r")
		if s, err := tr.Wait(t.Context(), "r"); s != report.Uncertain || !errors.Is(err, report.ErrUntracked) {
			t.Errorf("Wait after Forget = %s, %v, want ErrUntracked", s, err)
		}
	})
}

func TestTracker_WaitContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := report.NewTracker(report.TrackerConfig{})
		tr.Begin("r", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if s, err := tr.Wait(ctx, "r"); s != report.Uncertain || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %s, %v, want uncertain, deadline exceeded", s, err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("Wait took %v, want a minute", took)
		}
	})
}

func TestTracker_ForgetWakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := report.NewTracker(report.TrackerConfig{Max: 2})
		tr.Begin("forgotten", 1)
		tr.Begin("pushed out", 1)
		errs := make(chan error, 2)
		for _, key := range []string{"forgotten", "pushed out"} {
			go func() {
				_, err := tr.Wait(t.Context(), key)
				errs <- err
			}()
		}
		synctest.Wait()
		tr.Forget("forgotten")
		tr.Begin("forgotten", 1) // begun anew: not what the waiter asked for
		tr.Begin("third", 1)
		for range 2 {
			if err := <-errs; !errors.Is(err, report.ErrUntracked) {
				t.Errorf("Wait = %v, want ErrUntracked", err)
			}
		}
	})
}

func TestTracker_Keep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		config, keep time.Duration
	}{
		{"default", 0, 72 * time.Hour},
		{"negative", -1, 72 * time.Hour},
		{"an hour", time.Hour, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tr := report.NewTracker(report.TrackerConfig{Keep: tt.config})
				tr.Begin("r", 1)
				tr.Begin("renewed", 1)
				start := time.Now()
				waited := make(chan time.Duration, 1)
				go func() {
					if _, err := tr.Wait(t.Context(), "r"); !errors.Is(err, report.ErrUntracked) {
						t.Errorf("Wait until Keep ends = %v, want ErrUntracked", err)
					}
					waited <- time.Since(start)
				}()
				renewedWaited := make(chan time.Duration, 1)
				go func() {
					if _, err := tr.Wait(t.Context(), "renewed"); !errors.Is(err, report.ErrUntracked) {
						t.Errorf("Wait until renewed Keep ends = %v, want ErrUntracked", err)
					}
					renewedWaited <- time.Since(start)
				}()
				later(tt.keep - time.Nanosecond)
				tr.Begin("renewed", 1)
				if _, known := tr.Add(kakaoReport("r", "a", 7305)); !known {
					t.Error("a nanosecond before Keep ends: not known")
				}
				later(time.Nanosecond)
				if _, known := tr.Add(kakaoReport("r", "a", 7305)); known {
					t.Error("when Keep ends: still known")
				}
				if _, known := tr.Add(kakaoReport("renewed", "a", 7305)); !known {
					t.Error("begun again: not known")
				}
				if took := <-waited; took != tt.keep {
					t.Errorf("Wait took %v, want %v", took, tt.keep)
				}
				if took := <-renewedWaited; took != 2*tt.keep-time.Nanosecond {
					t.Errorf("Wait of the renewed took %v, want %v", took, 2*tt.keep-time.Nanosecond)
				}
			})
		})
	}
}

// later lets virtual time pass.
func later(d time.Duration) { <-time.After(d) } //nolint:forbidigo // inside synctest

func TestTracker_Max(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ config, max int }{{0, 100_000}, {-1, 100_000}, {3, 3}} {
		t.Run(strconv.Itoa(tt.config), func(t *testing.T) {
			t.Parallel()
			tr := report.NewTracker(report.TrackerConfig{Max: tt.config})
			for i := range tt.max + 1 {
				tr.Begin("r"+strconv.Itoa(i), 1)
			}
			if _, known := tr.Add(smsReport("r0", "a", 4100)); known {
				t.Error("the oldest is still known")
			}
			for _, i := range []int{1, tt.max} {
				if _, known := tr.Add(smsReport("r"+strconv.Itoa(i), "a", 4100)); !known {
					t.Errorf("number %d is not known", i)
				}
			}
		})
	}
}

// A flood of reports costs a key that is known no more memory than its
// channels need.
func TestTracker_Flood(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{})
	tr.Begin("r", 3)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 100_000 {
		tr.Add(smsReport("r", "m"+strconv.Itoa(i), 4410))
		tr.Add(report.Report{RefKey: "r", MessageID: "o" + strconv.Itoa(i), Medium: "XYZ", Result: report.Result{Code: 1}})
		tr.Add(smsReport("x"+strconv.Itoa(i), "m", 4410))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 50<<20 { // other tests run beside this one
		t.Errorf("memory grew by %d bytes", grown)
	}
	// It hides nothing either: one channel is one, and the others still count.
	if got, known := tr.Add(smsReport("r", "m1", 4410)); got != report.Uncertain || !known {
		t.Errorf("one channel of three: Add = %s, %t, want uncertain, true", got, known)
	}
	tr.Add(kakaoReport("r", "k", 7204))
	if got, _ := tr.Add(report.Report{RefKey: "r", MessageID: "c", Medium: "RSS", Result: report.Result{Family: report.RCS, Code: 8200}}); got != report.Failed {
		t.Errorf("all three: Add = %s, want failed", got)
	}
}

func TestTracker_Concurrent(t *testing.T) {
	t.Parallel()
	tr := report.NewTracker(report.TrackerConfig{Max: 50})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all sync.WaitGroup
	for g := range 100 {
		all.Go(func() {
			own := fmt.Sprintf("own-%d", g%40)
			for i := range 50 {
				shared := "shared-" + strconv.Itoa(i%5)
				tr.Begin(shared, 2)
				tr.Begin(own, 1)
				tr.Add(kakaoReport(shared, strconv.Itoa(g), 7204))
				tr.Add(smsReport(own, strconv.Itoa(i), 4100))
				if s, err := tr.Wait(ctx, own); err == nil && s != report.Delivered {
					t.Errorf("Wait(%s) = %s, want delivered", own, s)
				} else if err != nil && !errors.Is(err, report.ErrUntracked) {
					t.Errorf("Wait(%s) = %v", own, err)
				}
				if i%10 == 0 {
					tr.Forget(own)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkTracker_BeginAddForget(b *testing.B) {
	tr := report.NewTracker(report.TrackerConfig{})
	r := smsReport("r", "a", 4100)
	b.ReportAllocs()
	for b.Loop() {
		tr.Begin("r", 1)
		tr.Add(r)
		tr.Forget("r")
	}
}
