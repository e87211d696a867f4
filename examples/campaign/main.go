// Campaign sends one Alimtalk (알림톡) to everybody in a CSV file, in an
// evening, once each. See README.md for the files it reads and writes.
//
//	go run ./examples/campaign -in examples/campaign/recipients.csv -template examples/campaign/template.json
//
// Without an account it sends to the vendor's simulation inside; with
// BIZPPURIO_ACCOUNT, BIZPPURIO_PASSWORD and BIZPPURIO_FROM set it sends to the
// real vendor, which costs money.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-bizppurio/sdk/bizppurio"
)

func main() {
	switch err := run(os.Args[1:]); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errStopped):
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(1)
	}
}

// errStopped says that the person stopped the campaign: it may be gone on with.
var errStopped = errors.New("stopped")

func run(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	list, err := readList(o)
	if err != nil {
		return err
	}
	list.report(os.Stderr)
	if o.check {
		return nil
	}
	book, err := openJournal(o.journal, list.digest, o.fsync)
	if err != nil {
		return err
	}
	defer book.Close() //nolint:errcheck // every line was written

	cfg, vendor, err := target(o)
	if err != nil {
		return err
	}
	if vendor != nil {
		defer vendor.Close()
	}
	client, err := bizppurio.New(cfg)
	if err != nil {
		return err
	}
	defer client.Close()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := campaign{list: list, book: book, client: client, parallel: o.parallel, ad: o.ad, stderr: os.Stderr}
	err = c.run(ctx, stop)
	return errors.Join(err, writeResults(o.out, list, book))
}
