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
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/go-bizppurio/sdk/bizppurio"
)

func main() {
	err := run(os.Args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "campaign:", err)
	switch {
	case errors.Is(err, errStopped):
		os.Exit(130)
	case errors.Is(err, errUnfinished):
		os.Exit(3)
	}
	os.Exit(1)
}

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
		return unfinished(list, nil)
	}

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
	book, err := openJournal(o, list.campaign)
	if err != nil {
		return err
	}
	defer book.Close() //nolint:errcheck // every line was written
	part, err := createResults(o.out)
	if err != nil {
		return err
	}

	ctx, giveBack := stopSignals()
	defer giveBack()
	c := campaign{list: list, book: book, client: client, parallel: o.parallel, ad: o.ad, stderr: os.Stderr}
	err = c.run(ctx, giveBack)
	if err = errors.Join(err, writeResults(part, o.out, list, book)); err != nil {
		return err
	}
	return unfinished(list, book)
}
