package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	account          string // that the environment names, and where; "": the simulation
}

func parse(args []string) (options, error) {
	o := options{account: os.Getenv("BIZPPURIO_ACCOUNT")}
	if o.account != "" {
		o.account += " " + os.Getenv("BIZPPURIO_BASE_URL")
	}
	f := flag.NewFlagSet("campaign", flag.ContinueOnError)
	f.SetOutput(os.Stderr)
	f.StringVar(&o.in, "in", "", "CSV file of recipients: columns to, the template's variables, optional refkey")
	f.StringVar(&o.template, "template", "", "JSON file of the template: SenderKey, Code, Text with #{variables}, Buttons, …")
	f.StringVar(&o.out, "out", "", "CSV file of results (default: the name of -in with .result.csv)")
	f.StringVar(&o.journal, "journal", "", "file that says what was begun and what became of it (default: the name of -out with .journal; with -only, that of -in)")
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
	switch {
	case o.journal != "":
	case o.only != "": // that of the run whose results these are
		o.journal = o.in + ".journal"
	default:
		o.journal = o.out + ".journal"
	}
	return o, o.apart()
}

// apart refuses to write over a file that is needed, under whatever name.
func (o options) apart() error {
	files := [][2]string{{"-in", o.in}, {"-template", o.template}, {"-journal", o.journal}, {"-out", o.out}, {"-out", partOf(o.out)}}
	for i, a := range files {
		for _, b := range files[:i] {
			if same(a[1], b[1]) {
				return fmt.Errorf("%s and %s are the same file: one would overwrite the other", b[0], a[0])
			}
		}
	}
	return nil
}

func same(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	if errX == nil && errY == nil && x == y {
		return true
	}
	i, errI := os.Stat(a)
	j, errJ := os.Stat(b)
	return errI == nil && errJ == nil && os.SameFile(i, j)
}
