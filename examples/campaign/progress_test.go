package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestProgress_width: the lines fit into a terminal of 80 columns, or they
// could not be drawn over.
func TestProgress_width(t *testing.T) {
	t.Parallel()
	control := regexp.MustCompile("\r|\x1b\\[[0-9]*[A-Za-z]")
	for _, n := range []int{8, 8_000, 1_000_000} {
		var out bytes.Buffer
		p := newProgress(&out, func() (float64, int) { return 1469, n / 4 })
		p.terminal, p.total = true, n
		p.counts["accepted"], p.counts["rejected"], p.counts["not_sent"], p.counts["unknown"] = n/2, n/100, n/100, n/100
		p.show()
		for line := range strings.Lines(control.ReplaceAllString(out.String(), "")) {
			if got := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); got > 79 {
				t.Errorf("%d columns, want at most 79: %s", got, line)
			}
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
