//go:build ignore

// Generate writes table.go from golang.org/x/text/encoding/korean.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"unicode/utf8"

	"golang.org/x/text/encoding/korean"
)

func main() {
	var set [1 << 16 / 64]uint64
	enc := korean.EUCKR.NewEncoder()
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r == utf8.RuneError {
			continue
		}
		out, err := enc.String(string(r))
		if err != nil {
			continue
		}
		if len(out) != 2 || r > 0xffff {
			log.Fatalf("%U has %d bytes: Count must be changed", r, len(out))
		}
		set[r/64] |= 1 << (r % 64)
	}

	var b bytes.Buffer
	b.WriteString("// Code generated from golang.org/x/text/encoding/korean by generate.go; DO NOT EDIT.\n\npackage cp949\n\n")
	b.WriteString("// encodable has a bit for each rune of the basic plane that CP949 has, beside ASCII.\n")
	b.WriteString("var encodable = [1 << 16 / 64]uint64{ //nolint:gochecknoglobals // a constant table\n")
	for i, bits := range set {
		if bits != 0 {
			fmt.Fprintf(&b, "\t%#x: %#x,\n", i, bits)
		}
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
