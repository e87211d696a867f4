package send

// Encoded is content that was validated and encoded once, for many
// recipients. Make it with [Encode]; the zero value is no content. It never
// changes, and any number of messages may share it at once.
type Encoded struct {
	content Content // as Encode found it, in memory of our own
	kind    string
	json    []byte
}

// Encode validates c and encodes it. The result is independent of c. Rules
// that depend on the message, those for sending abroad (Country) and for the
// time that pictures live (At), are checked again by [Message.Validate].
func Encode(c Content) (*Encoded, error) {
	if e, ok := known(c).(*Encoded); ok {
		return e, nil
	}
	c = known(c)
	v := newChecker()
	if c == nil {
		v.add("Content", "required")
		return nil, v.err()
	}
	sub := v.in("Content")
	c.check(sub)
	if err := v.err(); err != nil {
		return nil, err
	}
	b, err := c.appendJSON(nil)
	if err != nil {
		return nil, err
	}
	e := &Encoded{kind: typeOf(c), json: b}
	if e.content, err = decodeContent(e.kind, b); err != nil {
		return nil, err
	}
	if m, ok := c.(MMS); ok { // JSON has no place for Until
		m.Images = append([]Image(nil), m.Images...)
		e.content = m
	}
	return e, nil
}

// Type is the vendor's name of the channel, "" for the zero value.
func (e *Encoded) Type() string {
	if e == nil {
		return ""
	}
	return e.kind
}

// check repeats what Encode could not know.
func (e *Encoded) check(c *checker) {
	if _, expires := e.content.(MMS); expires || c.country {
		e.content.check(c)
	}
}

func (e *Encoded) appendJSON(b []byte) ([]byte, error) { return append(b, e.json...), nil }
