// Bench prints what the SDK costs, beside what the same work costs without it,
// measured in one run: connections, time, CPU and allocations.
//
//	go run .
//	go run . -quick
//
// The vendor is simulated in a second process, so that its work is not counted
// as the client's. On a machine that is busy only the counts mean something.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	var err error
	if role := os.Getenv(roleEnv); role != "" {
		err = serve(role)
	} else {
		err = program(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func program(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "few of everything: shows that it works, measures little")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	s := full()
	if *quick {
		s = brief()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return run(ctx, os.Stdout, os.Stderr, s)
}

// run measures everything and prints the table. It fails when something does
// not work or a count is wrong, and never because of a time.
func run(ctx context.Context, out, progress io.Writer, s sizes) error {
	var rows []row
	for _, m := range []struct {
		name string
		do   func(context.Context, sizes) ([]row, error)
	}{
		{"connections", connections},
		{"latency", latency},
		{"CPU and allocations", cost},
		{"source ports", ports},
		{"token", hits},
	} {
		_, _ = fmt.Fprintln(progress, "measuring:", m.name)
		measured, err := m.do(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		rows = append(rows, measured...)
	}
	return write(out, rows, s.note)
}
