package send

import (
	"bytes"
	"encoding/json"
	"math"
)

// Flag is a switch of the vendor. The zero value leaves the choice to the
// vendor, whose default is not No everywhere: each field says what it is.
type Flag string

// The settings of a Flag.
const (
	Yes Flag = "Y"
	No  Flag = "N"
)

// flag allows the zero value, Yes and No.
func (c *checker) flag(name string, f Flag) {
	c.oneOf(name, string(f), string(Yes), string(No))
}

// utf8 refuses text that is not valid UTF-8 in a field for which the vendor
// documents no limit.
func (c *checker) utf8(name, value string) { c.chars(name, value, math.MaxInt) }

// requiredChars reports an empty value and one of more than limit characters.
func (c *checker) requiredChars(name, value string, limit int) {
	if c.required(name, value) {
		c.chars(name, value, limit)
	}
}

// appendValue appends the JSON of v without the escapes for HTML, which would
// make each & of a URL six bytes long.
func appendValue(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return b, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
