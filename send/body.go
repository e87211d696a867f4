package send

import (
	"errors"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// AppendBody appends the vendor's JSON of the message (spec 2) to b: the body
// of POST /v3/message. An empty RefKey is replaced by a fresh one; From must
// be set. Numbers are normalised. What JSON or the vendor's form cannot carry
// is an error, a [*FieldError] without the value: text that is not valid
// UTF-8, an unknown Kind, an At beyond the year 2286. The other rules of
// [Message.Validate] are not asked again.
//
// At is sent whenever it is set, a past one too, which the vendor takes for
// now; so the body does not depend on the clock.
func (m Message) AppendBody(b []byte, account string) ([]byte, error) {
	c := newChecker()
	w := body{m: m, to: m.To, from: m.From, account: account}
	if c.required("To", m.To) {
		var ok bool
		if w.to, ok = m.recipient(); !ok {
			c.add("To", m.shapeOfTo())
		}
	}
	if c.required("From", m.From) {
		var ok bool
		if w.from, ok = koreanNumber(m.From); !ok {
			c.add("From", notKorean)
		}
	}
	if known(m.Content) == nil {
		c.add("Content", "required")
	}
	if m.RefKey == "" {
		w.m.RefKey = NewRefKey()
	}
	w.check(c)
	if err := c.err(); err != nil {
		return b, err
	}
	return w.append(b)
}

// MarshalJSON returns the vendor's body without account, and with a member ad
// that is true when Ad is set. What is not set is left out, so that a message
// may be stored before it is complete. A number that Validate would refuse is
// stored as it was typed. [Image.Until] is not part of it.
//
// What would come back as something else, or not at all, is an error, a
// [*FieldError] without the value: text that is not valid UTF-8, a
// [FriendTalk] or [BrandMessage] of an unknown Kind, a [Raw] without a Type or
// JSON, an At beyond the year 2286, more than two fallbacks or two of one type.
func (m Message) MarshalJSON() ([]byte, error) {
	w := body{m: m, to: m.To, from: m.From, ad: m.Ad}
	if n, ok := m.recipient(); ok {
		w.to = n
	}
	if n, ok := koreanNumber(m.From); ok {
		w.from = n
	}
	c := newChecker()
	w.check(c)
	if err := c.err(); err != nil {
		return nil, err
	}
	return w.append(nil)
}

// body is a message on its way into JSON.
type body struct {
	m        Message
	to, from string // normalised
	account  string // "": left out
	ad       bool
}

// lastSendtime is the last moment that ten digits can say, in 2286 (spec 3.1).
const lastSendtime = 9_999_999_999

// check reports what JSON has no place for, but for what is inside a content.
func (w body) check(c *checker) {
	c.utf8("account", w.account)
	c.utf8("RefKey", w.m.RefKey)
	c.utf8("From", w.from)
	c.utf8("To", w.to)
	c.utf8("Country", w.m.Country)
	c.utf8("UserInfo", w.m.UserInfo)
	c.utf8("ResellerCode", w.m.ResellerCode)
	if w.m.At.Unix() > lastSendtime {
		c.add("At", "more than the ten digits of unix seconds")
	}
	w.checkFallback(c)
}

// checkFallback reports fallbacks that JSON has no place for.
func (w body) checkFallback(c *checker) {
	if len(w.m.Fallback) > 2 {
		c.add("Fallback", "more than 2 entries")
	}
	seen := ""
	for i, f := range w.m.Fallback {
		f = known(f)
		switch kind := typeOf(f); {
		case f == nil:
			c.add(fallbackField(i), "required")
		case i > 0 && kind == seen:
			c.add(fallbackField(i), "of the same type as the first")
		default:
			seen = kind
		}
	}
}

// append appends the whole body. The order of the members is fixed.
func (w body) append(b []byte) ([]byte, error) {
	var err error
	start := len(b)
	b = append(b, '{')
	b = member(b, "account", w.account)
	b = member(b, "refkey", w.m.RefKey)
	content := known(w.m.Content)
	if content != nil {
		b = member(b, "type", typeOf(content))
	}
	b = member(b, "from", w.from)
	b = member(b, "to", w.to)
	if content != nil {
		b = append(b, `"content":{`...)
		if b, err = appendContent(b, "Content", content); err != nil {
			return b[:start], err
		}
		b = append(b, `},`...)
	}
	b = member(b, "country", w.m.Country)
	b = member(b, "userinfo", w.m.UserInfo)
	b = member(b, "resellercode", w.m.ResellerCode)
	b = w.sendtime(b)
	if b, err = w.fallback(b); err != nil {
		return b[:start], err
	}
	if w.ad {
		b = append(b, `"ad":true,`...)
	}
	if last := len(b) - 1; b[last] == ',' {
		b = b[:last]
	}
	return append(b, '}'), nil
}

// sendtime is unix seconds in ten digits (spec 3.1), which leaves out what is
// before September 2001: past, so now.
func (w body) sendtime(b []byte) []byte {
	if at := w.m.At; !at.IsZero() && at.Unix() >= 1e9 {
		b = append(b, `"sendtime":"`...)
		b = append(strconv.AppendInt(b, at.Unix(), 10), `",`...)
	}
	return b
}

func (w body) fallback(b []byte) ([]byte, error) {
	if len(w.m.Fallback) == 0 {
		return b, nil
	}
	var all [2]Content
	for i, f := range w.m.Fallback {
		all[i] = known(f)
	}
	b = append(b, `"resend":{`...)
	b = member(b, "first", typeOf(all[0]))
	if all[1] != nil {
		b = member(b, "second", typeOf(all[1]))
	}
	b = append(b[:len(b)-1], `},"recontent":{`...)
	for i, c := range all[:len(w.m.Fallback)] {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendContent(b, fallbackField(i), c); err != nil {
			return b, err
		}
	}
	return append(b, `},`...), nil
}

// appendContent appends a member for the content of field name: its type and
// its object.
func appendContent(b []byte, name string, c Content) (_ []byte, err error) {
	b = append(appendString(b, typeOf(c)), ':')
	start := len(b)
	if b, err = c.appendJSON(b); err != nil {
		if e, ok := errors.AsType[*FieldError](err); ok {
			return b, &FieldError{Field: name + "." + e.Field, Problem: e.Problem}
		}
		return b, err
	}
	if replaced(b[start:]) {
		if bad := notUTF8(reflect.ValueOf(c), name); bad != "" {
			return b, &FieldError{Field: bad, Problem: problemUTF8}
		}
	}
	return b, nil
}

// member appends "key":"value", and a comma, if there is a value.
func member(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, '"'), key...), `":`...)
	return append(appendString(b, value), ',')
}

// appendString appends s as a JSON string, without the escapes for HTML. What
// is not valid UTF-8 becomes U+FFFD, which the callers look for.
func appendString(b []byte, s string) []byte {
	if !asIs(s) {
		quoted, err := appendValue(b, s)
		if err != nil { // encoding/json takes every string
			return b
		}
		return quoted
	}
	return append(append(append(b, '"'), s...), '"')
}

// asIs reports whether s stands in JSON as it is.
func asIs(s string) bool {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b == '"' || b == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}
