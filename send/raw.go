package send

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf8"
)

// Raw is content in the vendor's own JSON: the way out for channels and
// fields that the vendor adds after this release. It passes the rules for
// fallbacks and for sending abroad, which know only the channels of this
// release.
type Raw struct {
	Type string          // the vendor's name of the channel, such as "at"; required
	JSON json.RawMessage // the object that stands at content.<type>; required
}

func (r Raw) check(c *checker) {
	if c.required("Type", r.Type) && bytes.ContainsFunc([]byte(r.Type), notInType) {
		c.add("Type", "not the name of a channel")
	}
	switch object := bytes.TrimSpace(r.JSON); {
	case len(object) == 0:
		c.add("JSON", "required")
	case !utf8.Valid(object) || !json.Valid(object) || object[0] != '{':
		c.add("JSON", "not a JSON object in UTF-8")
	}
}

func notInType(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError }

func (r Raw) appendJSON(b []byte) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	if err := json.Compact(buf, r.JSON); err != nil {
		return b, &FieldError{Field: "JSON", Problem: "not a JSON object in UTF-8"}
	}
	return buf.Bytes(), nil
}

// advertises reports whether the channel is one for advertisements. A brand
// message or a friendtalk that came back from JSON as Raw, because it has a
// key that this release does not know, is still one.
func (r Raw) advertises() bool {
	switch family(r.Type) {
	case friendTalk:
		var flag struct {
			AdFlag string `json:"adflag"`
		}
		return json.Unmarshal(r.JSON, &flag) != nil || flag.AdFlag != string(No)
	case brandMessage:
		return true
	case text, alimTalk, rcs, talkTalk, other:
	}
	return false
}
