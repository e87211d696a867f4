package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets tests start the second process, and looks for goroutines that
// are left.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestRun: the short form prints a line for everything that it measures. It
// fails when a second process does not end well.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out, io.Discard, brief()); err != nil {
		t.Fatalf("run() = %v, want nil", err)
	}
	t.Log("\n" + out.String())
	for _, begin := range []string{
		"TCP connections, 1 token + 105 sends in sequence ",
		"p50 of a send, ",
		"client CPU per send, 64 callers, default engine ",
		"allocations per send, default engine ",
		"client CPU per send, 64 callers, fasthttp engine ",
		"allocations per send, fasthttp engine ",
		"source ports, 30 callers × 5 sends, MaxConns 10 ",
		"token hit ",
		"allocations per token hit ",
		"    go test ./bizppurio ",
		"    go test ./report/live ",
	} {
		if strings.Count(out.String(), "\n"+begin) != 1 {
			t.Errorf("want one line that begins with %q", begin)
		}
	}
	for _, wrong := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(out.String(), wrong) {
			t.Errorf("%q is printed", wrong)
		}
	}
}

// TestVendor: the second process ends when it is let go.
func TestVendor(t *testing.T) {
	t.Parallel()
	for _, role := range []string{minimal, near, far} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			v, err := start(t.Context(), role)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := v.count(); err != nil || got != (tally{}) {
				t.Errorf("count() = %+v, %v, want none of anything", got, err)
			}
			if err := v.close(); err != nil || !v.cmd.ProcessState.Success() {
				t.Errorf("close() = %v, state %v, want an orderly end", err, v.cmd.ProcessState)
			}
		})
	}
	if _, err := start(t.Context(), "nobody"); err == nil {
		t.Error("start(nobody) = nil, want an error")
	}
}

// TestTally: a count that is wrong is an error.
func TestTally(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tally tally
		ok    bool
	}{
		"right":      {tally{Accepted: 3, Conns: 1}, true},
		"one twice":  {tally{Accepted: 3, Duplicates: 1}, false},
		"one lost":   {tally{Accepted: 2}, false},
		"one more":   {tally{Accepted: 4}, false},
		"wrong ways": {tally{Accepted: 3, Violations: 1}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tt.tally.check(3); (err == nil) != tt.ok {
				t.Errorf("check(3) = %v, want nil: %v", err, tt.ok)
			}
		})
	}
}
