package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object of the vendor's.
type object struct {
	raw    json.RawMessage
	fields map[string]json.RawMessage // by plain key; nil: null; empty: two values that differ
}

// readObject reads valid JSON; ok is false if it is not an object.
func readObject(raw []byte) (o object, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return object{}, false
	}
	o = object{raw: bytes.Clone(raw), fields: make(map[string]json.RawMessage, 24)}
	const between = " \t\r\n,:"
	for rest := bytes.TrimLeft(o.raw[1:], between); rest[0] != '}'; rest = bytes.TrimLeft(rest, between) {
		n := valueLen(rest)
		key := plainKey(plainText(rest[:n]))
		rest = bytes.TrimLeft(rest[n:], between)
		n = valueLen(rest)
		o.put(key, rest[:n:n])
		rest = rest[n:]
	}
	return o, true
}

// valueLen returns the length of the JSON value that b begins with.
func valueLen(b []byte) int {
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

// put keeps a value. Null is no value, and of two that differ neither counts,
// whatever follows.
func (o object) put(key string, value json.RawMessage) {
	old := o.fields[key]
	switch {
	case old == nil && value[0] == 'n':
		o.fields[key] = nil
	case old == nil:
		o.fields[key] = value
	case value[0] != 'n' && !agree(old, value):
		o.fields[key] = json.RawMessage{}
	}
}

// agree reports whether two values say the same; 4100 and "4100" do.
func agree(a, b json.RawMessage) bool {
	if s := plainText(a); s != "" {
		return s == plainText(b)
	}
	return bytes.Equal(a, b)
}

// has reports whether any of the keys is there, be it null.
func (o object) has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := o.fields[k]; ok {
			return true
		}
	}
	return false
}

// kind returns the first byte of the value, 0 if there is none.
func (o object) kind(key string) byte {
	if v := o.fields[key]; len(v) > 0 {
		return v[0]
	}
	return 0
}

// text returns a string, or a number as it is written, else "".
func (o object) text(key string) string { return plainText(o.fields[key]) }

// number returns a whole number, given as such or as a string of digits.
func (o object) number(key string) (n int64, ok bool) {
	s := o.text(key)
	if o.kind(key) != '"' {
		if whole, zeros, point := strings.Cut(s, "."); point && strings.Trim(zeros, "0") == "" {
			s = whole // 1000.0 is 1000
		}
	}
	return digits(s)
}

// code returns a result code: a whole number from 1 to 999,999,999.
func (o object) code(key string) (code int, ok bool) {
	n, ok := o.number(key)
	return asCode(n), ok && asCode(n) != 0
}

// asCode returns n, or 0 if it cannot be a result code.
func asCode(n int64) int {
	if n < 1 || n > 999_999_999 {
		return 0
	}
	return int(n)
}

// time returns the first of the keys that is seconds since 1970, in UTC.
func (o object) time(keys ...string) time.Time {
	const year10000 = 253402300800 // time.Time goes through JSON up to here
	for _, k := range keys {
		if n, ok := o.number(k); ok && n > 0 && n < year10000 {
			return time.Unix(n, 0).UTC()
		}
	}
	return time.Time{}
}

// plainKey makes the spellings of a key one: TO_NAME, "TO NAME" and to_name
// are TONAME (spec A27). Only ASCII letters are folded.
func plainKey(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == ' ' || r == '-':
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, key)
}

func plainText(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	switch c := value[0]; {
	case c == '"' && bytes.IndexByte(value, '\\') < 0:
		return strings.ToValidUTF8(string(value[1:len(value)-1]), "\ufffd")
	case c == '"':
		var s string
		if json.Unmarshal(value, &s) != nil {
			return ""
		}
		return s
	case c == '-' || '0' <= c && c <= '9':
		return string(value)
	}
	return ""
}

// digits reads at most 12 decimal digits with white space around them.
func digits(s string) (n int64, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 12 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func withoutHash(key string) string {
	return strings.ReplaceAll(strings.TrimSpace(key), "#", "")
}
