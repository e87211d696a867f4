// Package wire reads what the vendor answers: JSON bodies, token expiry and
// rate limit headers. It is tolerant where the vendor's documents contradict
// each other, and strict about everything that decides an outcome.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Errors of [Decode].
var (
	ErrUnreadable  = errors.New("wire: not a JSON object")
	ErrContradicts = errors.New("wire: the same key twice with different values")
)

// Answer is what the SDK reads from the body of an answer (spec 1.2 to 1.8).
// Only keys of the top level count.
type Answer struct {
	Code    int  // 0 when HasCode is false
	HasCode bool // code is a number, or a string of digits (spec A1)

	RefKey  string // echo of the request, white space trimmed; "" is none
	OddEcho bool   // refkey is there, but cannot be compared

	MessageKey string // "" when missing or odd
	FileKey    string // white space trimmed; "" when missing or odd
	Token      string // accesstoken; "" when missing or odd
	Expired    string // of the token, as sent, without quotes
}

// Decode reads a whole body: one JSON object, with nothing but white space
// and a byte order mark around it. Keys count when they are spelled exactly.
func Decode(body []byte) (Answer, error) { return decode(body, false) }

// DecodeAnyCase is Decode for an envelope of reports, with the tolerance of
// package report: keys in any case, with or without "_", "-" and blanks; null
// is no value; white space may stand before the byte order mark too.
func DecodeAnyCase(body []byte) (Answer, error) {
	return decode(bytes.TrimLeft(body, " \t\r\n"), true)
}

func decode(body []byte, anyCase bool) (Answer, error) {
	var a Answer
	body = bytes.Trim(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	if len(body) == 0 || body[0] != '{' || !json.Valid(body) {
		return a, ErrUnreadable
	}
	codes, echoes := 0, 0
	for rest := body[1:]; ; {
		var key, value []byte
		key, value, rest = member(rest)
		if key == nil {
			return a, nil
		}
		name, _ := unquote(key)
		if anyCase {
			name = plain(name)
		}
		if anyCase && value[0] == 'n' {
			continue
		}
		switch string(name) {
		case "code":
			n, ok := number(value)
			if codes++; codes > 1 && (n != a.Code || ok != a.HasCode) {
				return Answer{}, ErrContradicts
			}
			a.Code, a.HasCode = n, ok
		case "refkey":
			echo, odd := echo(value)
			if echoes++; echoes > 1 && (echo != a.RefKey || odd != a.OddEcho) {
				return Answer{}, ErrContradicts
			}
			a.RefKey, a.OddEcho = echo, odd
		case "messagekey":
			a.MessageKey = scalar(value)
		case "filekey":
			s, _ := text(value)
			a.FileKey = strings.TrimSpace(s)
		case "accesstoken":
			a.Token, _ = text(value)
		case "expired":
			a.Expired = strings.TrimSpace(scalar(value))
		}
	}
}

// plain makes the spellings of a key one. Only ASCII letters are folded.
func plain(name []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '_' || r == ' ' || r == '-':
			return -1
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, name)
}

// Echoes reports whether the answer may belong to the request with refkey: an
// answer without an echo may.
func (a Answer) Echoes(refkey string) bool {
	return !a.OddEcho && (a.RefKey == "" || a.RefKey == strings.TrimSpace(refkey))
}

// member cuts the first member off the inside of a valid JSON object. The key
// is nil when there is none left.
func member(b []byte) (key, value, rest []byte) {
	b = bytes.TrimLeft(b, " \t\r\n,")
	if b[0] == '}' {
		return nil, nil, nil
	}
	n := end(b)
	key = b[:n]
	b = bytes.TrimLeft(b[n:], " \t\r\n:")
	n = end(b)
	return key, b[:n], b[n:]
}

// end returns the length of the JSON value that b begins with.
func end(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}

// text returns the value of a JSON string.
func text(value []byte) (s string, ok bool) {
	b, ok := unquote(value)
	return strings.ToValidUTF8(string(b), "\ufffd"), ok
}

// unquote is text without the copy: most strings have nothing to unescape.
func unquote(value []byte) (b []byte, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], true
	}
	var s string
	err := json.Unmarshal(value, &s)
	return []byte(s), err == nil
}

// scalar returns a string's value or a number as it is written, else "".
func scalar(value []byte) string {
	if s, ok := text(value); ok {
		return s
	}
	if c := value[0]; c == '-' || '0' <= c && c <= '9' {
		return string(value)
	}
	return ""
}

// echo reads a refkey: null and "" are no echo; what is neither text nor a
// number is odd.
func echo(value []byte) (s string, odd bool) {
	s = strings.TrimSpace(scalar(value))
	odd = s == "" && value[0] != '"' && value[0] != 'n'
	return s, odd
}

// number reads a code: 1000, 1000.0 or "1000" (spec A1), at most 9 digits.
func number(value []byte) (n int, ok bool) {
	digits := value
	if s, isText := unquote(value); isText {
		digits = bytes.TrimSpace(s)
	} else if whole, zeros, point := bytes.Cut(digits, []byte(".")); point && len(zeros) > 0 && len(bytes.Trim(zeros, "0")) == 0 {
		digits = whole
	}
	if len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}
