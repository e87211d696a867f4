package send

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-bizppurio/sdk/internal/cp949"
)

// FieldError says which field of a message is wrong and what was expected. It
// never holds the field's value.
type FieldError struct {
	Field   string // path in Go's spelling, such as "Content.Buttons[1].URLMobile"
	Problem string // lower case, such as "required" or "longer than 90 bytes"
}

// Error returns "Field: problem".
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// checker collects the problems of a message.
type checker struct {
	path    string    // prefix of field names, "" or "Content"
	at      time.Time // planned moment of sending; zero: now
	country bool      // international sending: other lengths apply (spec 2.9)
	found   *[]error
}

func newChecker() *checker { return &checker{found: new([]error)} }

// in returns a checker for the fields below name.
func (c *checker) in(name string) *checker {
	sub := *c
	sub.path = c.field(name)
	return &sub
}

// item returns a checker for the fields of element i of the list name.
func (c *checker) item(name string, i int) *checker {
	return c.in(name + "[" + strconv.Itoa(i) + "]")
}

func (c *checker) field(name string) string {
	if c.path == "" {
		return name
	}
	return c.path + "." + name
}

// add reports a problem of field name.
func (c *checker) add(name, problem string) {
	*c.found = append(*c.found, &FieldError{Field: c.field(name), Problem: problem})
}

func (c *checker) err() error { return errors.Join(*c.found...) }

// required reports an empty value, and whether there is one.
func (c *checker) required(name, value string) bool {
	if value == "" {
		c.add(name, "required")
		return false
	}
	return true
}

// chars allows at most limit characters (runes). Text that is not valid UTF-8
// is refused, because JSON would replace parts of it in silence.
func (c *checker) chars(name, value string, limit int) {
	if !utf8.ValidString(value) {
		c.add(name, problemUTF8)
		return
	}
	if len(value) > limit && utf8.RuneCountInString(value) > limit {
		c.tooLong(name, limit, "characters")
	}
}

// eucKR allows at most limit bytes as the vendor counts them (spec 7), and
// only characters that EUC-KR (CP949) has; the first other one is named, for
// it may be invisible.
func (c *checker) eucKR(name, value string, limit int) {
	n, bad := cp949.Count(value)
	if bad >= 0 {
		c.add(name, fmt.Sprintf("the character at %d, %U, cannot be encoded in EUC-KR", bad, []rune(value)[bad]))
		return
	}
	if n > limit {
		c.tooLong(name, limit, "bytes in EUC-KR")
	}
}

func (c *checker) tooLong(name string, limit int, unit string) {
	c.add(name, "longer than "+strconv.Itoa(limit)+" "+unit)
}

// due returns the moment of sending: at, or now if at is unset or past.
func (c *checker) due() time.Time { return dueAt(c.at, time.Now()) }

// refKey allows what the vendor gives back unchanged (spec 3.3).
func (c *checker) refKey(name, value string) {
	switch {
	case len(value) > maxRefKey:
		c.tooLong(name, maxRefKey, "bytes")
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		c.add(name, "not valid UTF-8 without control characters")
	}
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// oneOf allows the empty value and those listed.
func (c *checker) oneOf(name, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.add(name, "must be one of "+strings.Join(allowed, ", "))
	}
}

// count allows n between least and most.
func (c *checker) count(name string, n, least, most int) {
	if n < least || n > most {
		c.add(name, "must have "+strconv.Itoa(least)+" to "+strconv.Itoa(most)+" entries")
	}
}
