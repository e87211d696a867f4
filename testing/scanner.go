package bizppuriotest

import (
	"bytes"
	"encoding/json"
)

// refKeyScanner finds refkeys in a stream of bytes.
type refKeyScanner struct{ rest []byte }

// longestRefKey is the longest JSON text that is looked at: 32 bytes of
// refkey (spec 3.3), all of them escaped, and what stands around them.
const longestRefKey = 512

// scan calls found for each refkey that is complete with p.
func (r *refKeyScanner) scan(p []byte, found func(string)) {
	const name = `"refkey"`
	r.rest = append(r.rest, p...)
	for {
		i := bytes.Index(r.rest, []byte(name))
		if i < 0 {
			r.keep(len(name) - 1)
			return
		}
		r.rest = r.rest[i:]
		value, n, ok := stringAfterColon(r.rest[len(name):])
		if !ok && len(r.rest) < longestRefKey {
			return // the rest is still to come
		}
		if ok {
			found(value)
		}
		r.rest = r.rest[len(name)+n:]
	}
}

// keep forgets all but the last n bytes, and lets go of a large buffer.
func (r *refKeyScanner) keep(n int) {
	last := r.rest[max(len(r.rest)-n, 0):]
	if cap(r.rest) > 64<<10 {
		r.rest = nil
	}
	r.rest = append(r.rest[:0], last...)
}

// stringAfterColon reads : "…" from the start of b.
func stringAfterColon(b []byte) (value string, n int, ok bool) {
	rest := bytes.TrimLeft(b, " \t\r\n")
	if rest = bytes.TrimPrefix(rest, []byte(":")); len(rest) == len(b) {
		return "", 0, false
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' {
		return "", 0, false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			if json.Unmarshal(rest[:i+1], &value) != nil {
				return "", 0, false
			}
			return value, len(b) - len(rest) + i + 1, true
		}
	}
	return "", 0, false
}
