package send

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// UnmarshalJSON reads what [Message.MarshalJSON] wrote. Content is decoded
// into its type only where that loses nothing, and else into [Raw]; an
// [*Encoded] comes back as what it encoded. A member account, which the
// vendor's body has, is passed over; any other member that this release does
// not know is an error, and so is what is not valid UTF-8, so that nothing of a
// message is dropped or replaced in silence; only half a surrogate pair, written
// as an escape, becomes U+FFFD, as with encoding/json. Nothing is validated.
func (m *Message) UnmarshalJSON(b []byte) error {
	if string(bytes.TrimSpace(b)) == "null" {
		return nil
	}
	if !utf8.Valid(b) {
		return errors.New("send: message JSON: " + problemUTF8)
	}
	top, err := members(b)
	if err != nil {
		return err
	}
	var out Message
	var kind, sendtime string
	texts := map[string]*string{
		"account": new(string), "refkey": &out.RefKey, "type": &kind, "from": &out.From, "to": &out.To,
		"country": &out.Country, "userinfo": &out.UserInfo, "resellercode": &out.ResellerCode, "sendtime": &sendtime,
	}
	objects := map[string]map[string]json.RawMessage{}
	for key, value := range top {
		switch key {
		case "ad":
			err = json.Unmarshal(value, &out.Ad)
		case "content", "resend", "recontent":
			objects[key], err = members(value)
		default:
			target := texts[key]
			if target == nil {
				return errors.New("send: message JSON: a member that this release does not know")
			}
			err = json.Unmarshal(value, target)
		}
		if err != nil {
			return errWrongKind()
		}
	}
	if out.Content, err = decodeMain(kind, objects["content"]); err != nil {
		return err
	}
	if out.Fallback, err = decodeFallback(objects["resend"], objects["recontent"]); err != nil {
		return err
	}
	if out.At, err = decodeTime(sendtime); err != nil {
		return err
	}
	*m = out
	return nil
}

// decodeMain decodes the one entry of content, whose key is the type.
func decodeMain(kind string, content map[string]json.RawMessage) (Content, error) {
	if kind == "" && content == nil {
		return nil, nil
	}
	value, ok := content[kind]
	if !ok || len(content) != 1 {
		return nil, errors.New("send: message JSON: content must have the type as its only key")
	}
	return decodeContent(kind, value)
}

// decodeFallback decodes the alternatives in the order of resend.
func decodeFallback(resend, recontent map[string]json.RawMessage) ([]Content, error) {
	var all []Content
	for _, key := range []string{"first", "second"} {
		value, ok := resend[key]
		if !ok {
			break
		}
		var kind string
		if err := json.Unmarshal(value, &kind); err != nil {
			return nil, errWrongKind()
		}
		object, ok := recontent[kind]
		if !ok {
			return nil, errors.New("send: message JSON: resend without recontent")
		}
		c, err := decodeContent(kind, object)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) != len(resend) || len(all) != len(recontent) {
		return nil, errors.New("send: message JSON: resend and recontent do not agree")
	}
	return all, nil
}

func decodeTime(sendtime string) (time.Time, error) {
	if sendtime == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(sendtime, 10, 64)
	if err != nil || len(sendtime) != 10 || seconds < 1e9 {
		return time.Time{}, errors.New("send: message JSON: sendtime is not unix seconds of ten digits")
	}
	return time.Unix(seconds, 0), nil
}

// decodeContent decodes the object at content.<kind>: into the type of that
// channel if it knows every key at every depth, else into Raw.
func decodeContent(kind string, object []byte) (Content, error) {
	switch family(kind) {
	case text:
		switch kind {
		case "sms":
			return decodeAs(kind, object, SMS{})
		case "lms":
			return decodeAs(kind, object, LMS{})
		}
		return decodeAs(kind, object, MMS{})
	case alimTalk:
		return decodeAs(kind, object, AlimTalk{Image: kind == "ai"})
	case friendTalk:
		return decodeAs(kind, object, FriendTalk{Kind: kind})
	case brandMessage:
		return decodeAs(kind, object, BrandMessage{Kind: kind})
	case rcs:
		return decodeAs(kind, object, RCS{})
	case talkTalk:
		return decodeAs(kind, object, TalkTalk{})
	case other:
	}
	return decodeRaw(kind, object)
}

// decodeAs decodes object into c, and into Raw if c would not say the same.
func decodeAs[T Content](kind string, object []byte, c T) (Content, error) {
	if err := json.Unmarshal(object, &c); err != nil {
		return decodeRaw(kind, object)
	}
	again, err := c.appendJSON(nil)
	if err != nil || !sameJSON(object, again) {
		return decodeRaw(kind, object)
	}
	return c, nil
}

func decodeRaw(kind string, object []byte) (Content, error) {
	if kind == "" {
		return nil, errors.New("send: message JSON: content without a type")
	}
	return Raw{Type: kind, JSON: bytes.Clone(object)}, nil
}

// sameJSON reports whether a and b are the same value, key by key, with
// numbers spelt alike. A key that stands twice is never the same as one that
// stands once.
func sameJSON(a, b []byte) bool {
	x, n, err := parse(a)
	if err != nil {
		return false
	}
	y, m, err := parse(b)
	return err == nil && n == m && reflect.DeepEqual(x, y)
}

// parse returns the value of b and the number of its tokens.
func parse(b []byte) (value any, tokens int, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, 0, err
	}
	dec = json.NewDecoder(bytes.NewReader(b))
	for ; ; tokens++ {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return value, tokens, nil
		} else if err != nil {
			return nil, 0, err
		}
	}
}

// members returns the members of a JSON object by their exact keys. It
// refuses an object that has a key twice.
func members(b []byte) (map[string]json.RawMessage, error) {
	if !json.Valid(b) {
		return nil, errNoObject()
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject()
	}
	all := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, errNoObject()
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errNoObject()
		}
		name, _ := key.(string)
		if _, twice := all[name]; twice {
			return nil, errors.New("send: message JSON: a key that stands twice")
		}
		all[name] = value
	}
	return all, nil
}

func errWrongKind() error { return errors.New("send: message JSON: a member of the wrong kind") }

func errNoObject() error { return errors.New("send: message JSON: not an object") }
