package send

import (
	"bytes"
	"encoding/json"
	"strings"
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

// appendJSON takes any JSON in UTF-8 that has a name to stand under.
func (r Raw) appendJSON(b []byte) ([]byte, error) {
	if r.Type == "" {
		return b, &FieldError{Field: "Type", Problem: "required"}
	}
	if !utf8.ValidString(r.Type) {
		return b, &FieldError{Field: "Type", Problem: problemUTF8}
	}
	buf := bytes.NewBuffer(b)
	if !utf8.Valid(r.JSON) || json.Compact(buf, r.JSON) != nil {
		return b, &FieldError{Field: "JSON", Problem: "not a JSON object in UTF-8"}
	}
	return buf.Bytes(), nil
}

// advertises reports whether the channel is one for advertisements, in upper
// case too, as the vendor's tables write it (spec A22). A brand message or a
// friendtalk that came back from JSON as Raw, because it has a key that this
// release does not know, is still one.
func (r Raw) advertises() bool {
	switch family(strings.ToLower(r.Type)) {
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
