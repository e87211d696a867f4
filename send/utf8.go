package send

import (
	"bytes"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

const problemUTF8 = "not valid UTF-8"

// replaced reports whether encoded, JSON that encoding/json made, may hold
// U+FFFD: it stands there for what is not valid UTF-8, or for itself.
func replaced(encoded []byte) bool {
	return bytes.Contains(encoded, []byte(`\ufffd`)) || bytes.Contains(encoded, []byte("\ufffd"))
}

// notUTF8 returns the path of a text in v that is not valid UTF-8, in Go's
// spelling, and "" if there is none. As in the checks of the contents, a list
// of texts and a map are named as a whole.
func notUTF8(v reflect.Value, path string) string {
	switch v.Kind() { //nolint:exhaustive // the other kinds hold no text
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return path
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return notUTF8(v.Elem(), path)
		}
	case reflect.Slice:
		of := v.Type().Elem().Kind()
		if of == reflect.Uint8 {
			return "" // JSON that is copied as it is
		}
		for i := range v.Len() {
			at := path
			if of != reflect.String {
				at += "[" + strconv.Itoa(i) + "]"
			}
			if bad := notUTF8(v.Index(i), at); bad != "" {
				return bad
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if notUTF8(it.Key(), path) != "" || notUTF8(it.Value(), path) != "" {
				return path
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return ""
		}
		for i := range v.NumField() {
			if bad := notUTF8(v.Field(i), path+"."+v.Type().Field(i).Name); bad != "" {
				return bad
			}
		}
	}
	return ""
}
