//go:build ignore

// Generate writes table.go from codes.tsv.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"strconv"
	"strings"
)

func main() {
	tsv, err := os.ReadFile("codes.tsv")
	if err != nil {
		log.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(tsv)), "\n")
	names := map[string]string{
		"api": "API", "sms": "SMS", "mms": "MMS", "kakao": "Kakao",
		"rcs": "RCS", "ntalk": "NTalk", "common": "Common",
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from codes.tsv by generate.go; DO NOT EDIT.\n\npackage codes\n\nvar table = map[key]meaning{ //nolint:gochecknoglobals // a constant table\n")
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t") // not CSV: a quote is a letter like any other
		if len(row) != 5 {
			log.Fatalf("codes.tsv: %d columns in %q", len(row), row)
		}
		family, ok := names[row[0]]
		code, err := strconv.Atoi(row[1])
		if !ok || err != nil {
			log.Fatalf("codes.tsv: unknown family or bad code in %q", row)
		}
		fmt.Fprintf(&b, "\t{%s, %d}: {%q, %q},\n", family, code, row[3], row[4])
	}
	b.WriteString("}\n")
	src, err := format.Source(b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("table.go", src, 0o644); err != nil {
		log.Fatal(err)
	}
}
