package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// row compares one thing.
type row struct {
	what, against   string
	reference, ours string  // as measured in this run
	ratio           float64 // of ours to reference; 0: none
	target          string  // of the ratio or of ours
	published       string  // what others measured elsewhere
}

const notMeasured = "not measured here"

const elsewhere = `Two kinds of numbers take too long for this table. No message sent twice, and
nothing called NotSent that reached the vendor, in 100,000 sends under faults:

    go test ./bizppurio -run 'TestSoak$' -v -soak.sends 100000

Time until 10,000 live readers have an event, and memory per reader (Linux):

    go test ./report/live -run '^TestMany$' -v -live.readers=10000
`

// write prints the table, and where the other numbers come from.
func write(out io.Writer, rows []row, note string) error {
	_, err := fmt.Fprintf(out, "%s, %s/%s, %d processors%s\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), note)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	line := func(cells ...any) { _, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cells...) } // Flush tells
	line("what", "reference", "measured", "SDK", "ratio", "target", "published elsewhere")
	for _, r := range rows {
		line(r.what, r.against, r.reference, r.ours, r.quotient(), cmp.Or(r.target, "-"), cmp.Or(r.published, "-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprint(out, "\n", elsewhere)
	return err
}

func (r row) quotient() string {
	switch {
	case r.ratio == 0:
		return "-"
	case r.ratio < 0.1:
		return fmt.Sprintf("%.3f", r.ratio)
	}
	return fmt.Sprintf("%.2f", r.ratio)
}

// median sorts values.
func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

func over[T int | float64 | time.Duration](ours, theirs T) float64 {
	return float64(ours) / float64(theirs)
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1e3) }
func micros(ns float64) string      { return fmt.Sprintf("%.1f µs", ns/1e3) }
func nanos(ns float64) string       { return fmt.Sprintf("%.1f ns", ns) }
func decimal(n float64) string      { return fmt.Sprintf("%.1f", n) }
