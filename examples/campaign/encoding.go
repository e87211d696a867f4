package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/korean"
)

// Names of encodings. Excel in Korea saves CSV as EUC-KR, in truth as its
// superset CP949, unless it is told otherwise.
const (
	utf8Name  = "utf-8"
	eucKRName = "euc-kr"
)

const bom = "\ufeff"

// decode returns the text of a file and the encoding that it was in. Without
// a name, it is UTF-8 if it can be.
func decode(b []byte, name string) (text, used string, err error) {
	if name != eucKRName && utf8.Valid(b) {
		return strings.TrimPrefix(string(b), bom), utf8Name, nil
	}
	if name == utf8Name {
		return "", "", fmt.Errorf("line %d is not UTF-8: try -encoding euc-kr", lineOf(b, firstInvalid(b)))
	}
	out, err := korean.EUCKR.NewDecoder().Bytes(b)
	if err != nil {
		return "", "", err
	}
	if at := bytes.IndexRune(out, utf8.RuneError); at >= 0 {
		if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
			return "", "", errors.New("the file is UTF-16: save it as CSV UTF-8")
		}
		if line := lineOf(b, firstInvalid(b)); name == "" && line > 1 {
			return "", "", fmt.Errorf("line %d is neither UTF-8, as the lines before, nor EUC-KR", line)
		}
		return "", "", fmt.Errorf("line %d is not EUC-KR", lineOf(out, at))
	}
	return string(out), eucKRName, nil
}

func firstInvalid(b []byte) int {
	at := 0
	for at < len(b) {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}

func lineOf(b []byte, at int) int { return 1 + bytes.Count(b[:at], []byte("\n")) }
