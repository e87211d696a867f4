// Package cp949 counts text as the vendor does: in bytes of EUC-KR, by which
// it means CP949 (spec 7).
package cp949

import "unicode/utf8"

//go:generate go run generate.go

// Count returns how many bytes s has in CP949: one per ASCII character and
// two per other. When s has a character that CP949 lacks, or is not valid
// UTF-8, bad is the index of the first such character, counted in runes from
// 0, and n is the length before it; else bad is -1. It does not allocate.
func Count(s string) (n, bad int) {
	index := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			n++
		case r < 1<<16 && encodable[r/64]>>(r%64)&1 != 0: // never utf8.RuneError
			n += 2
		default:
			return n, index
		}
		index++
	}
	return n, -1
}
