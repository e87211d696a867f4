package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// options are the flags; README.md explains them.
type options struct {
	in, out, journal string
	template         string
	encoding         string
	only             string
	parallel         int
	rate             float64
	ad, check, fsync bool
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("campaign", flag.ContinueOnError)
	f.SetOutput(os.Stderr)
	f.StringVar(&o.in, "in", "", "CSV file of recipients: columns to, the template's variables, optional refkey")
	f.StringVar(&o.template, "template", "", "JSON file of the template: SenderKey, Code, Text with #{variables}, Buttons, …")
	f.StringVar(&o.out, "out", "", "CSV file of results (default: the name of -in with .result.csv)")
	f.StringVar(&o.journal, "journal", "", "file that says what was begun and what became of it (default: the name of -out with .journal)")
	f.StringVar(&o.encoding, "encoding", "", "of -in: utf-8 or euc-kr (default: whichever fits)")
	f.StringVar(&o.only, "only", "", "not_sent: -in is a result file, send what it says was not sent")
	f.IntVar(&o.parallel, "parallel", 64, "most sends in flight, and connections")
	f.Float64Var(&o.rate, "rate", 0, "most requests a second; 0: as fast as the vendor allows")
	f.BoolVar(&o.ad, "ad", false, "the messages are advertisements: only within the ad window")
	f.BoolVar(&o.check, "check", false, "read and check everything, send nothing")
	f.BoolVar(&o.fsync, "fsync", false, "journal survives a power cut, too; slower")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case o.in == "" || o.template == "":
		f.Usage()
		return o, errors.New("-in and -template are required")
	case f.NArg() > 0:
		return o, fmt.Errorf("%q: not a flag", f.Arg(0))
	case o.only != "" && o.only != "not_sent":
		return o, fmt.Errorf("-only %s: what was not provably not sent is never sent again; only not_sent is possible", o.only)
	case o.encoding != "" && o.encoding != utf8Name && o.encoding != eucKRName:
		return o, fmt.Errorf("-encoding %s: utf-8 or euc-kr", o.encoding)
	case o.parallel < 1:
		return o, errors.New("-parallel: at least 1")
	}
	if o.out == "" {
		o.out = o.in + ".result.csv"
	}
	if o.journal == "" {
		o.journal = o.out + ".journal"
	}
	if o.out == o.in {
		return o, errors.New("-out: would overwrite -in")
	}
	return o, nil
}
