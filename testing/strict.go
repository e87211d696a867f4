package bizppuriotest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

var errNotStrict = errors.New("bizppuriotest: not one JSON object with distinct keys")

// object reads one JSON object: nothing behind it, no key twice.
func object(b []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotStrict
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, errNotStrict
		}
		key, ok := t.(string)
		if _, twice := members[key]; !ok || twice {
			return nil, errNotStrict
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, errNotStrict
		}
		members[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errNotStrict
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotStrict
	}
	return members, nil
}

// text returns the string that a member holds, "" if there is none. ok is
// false when it holds something else.
func text(members map[string]json.RawMessage, key string) (value string, ok bool) {
	raw, present := members[key]
	if !present {
		return "", true
	}
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return value, json.Unmarshal(raw, &value) == nil
}
