package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// errStopped says that somebody stopped the campaign.
var errStopped = errors.New("stopped: the same command goes on with it")

// stopSignals ends ctx when somebody asks to stop: by Ctrl-C, by kill, or by
// closing the terminal, unless nohup forbids that.
func stopSignals() (ctx context.Context, giveBack func()) {
	signal.Ignore(syscall.SIGPIPE) // Ctrl-C ends the tee that we write to, too: it must not end us
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	ctx, stop := signal.NotifyContext(context.Background(), slices.DeleteFunc(all, signal.Ignored)...)
	return ctx, func() {
		signal.Ignore(syscall.SIGHUP) // a terminal that closes may send two
		stop()
	}
}
