package send_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// leaves fills v with one of everything and calls visit for each text in it,
// with its path; set replaces the text.
func leaves(v reflect.Value, path string, visit func(path string, set func(string))) {
	switch v.Kind() { //nolint:exhaustive // the kinds that contents are made of
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		leaves(v.Elem(), path, visit)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			leaves(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if v.Type().Elem().Kind() == reflect.String {
			visit(path, v.Index(0).SetString) // a list of texts is named as a whole
			return
		}
		leaves(v.Index(0), path+"[0]", visit)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"k": "v"}))
		visit(path, func(s string) { v.Set(reflect.ValueOf(map[string]string{"k": s})) })
		visit(path, func(s string) { v.Set(reflect.ValueOf(map[string]string{s: "v"})) })
	case reflect.String:
		v.SetString("")
		visit(path, v.SetString)
	default: // numbers and switches
	}
}

// TestContent_UTF8 wants every text of every channel to be refused when it is
// not valid UTF-8, because JSON would change it in silence.
func TestContent_UTF8(t *testing.T) {
	t.Parallel()
	for _, c := range []send.Content{&send.FriendTalk{}, &send.BrandMessage{}, &send.RCS{}, &send.TalkTalk{}} {
		v := reflect.ValueOf(c).Elem()
		type leaf struct {
			path string
			set  func(string)
		}
		var all []leaf
		leaves(v, "Content", func(path string, set func(string)) { all = append(all, leaf{path, set}) })
		for _, l := range all {
			l.set("\xff")
			_, err := send.Encode(c)
			l.set("")
			if !refusedText(err, l.path) {
				t.Errorf("%T: %s takes text that is not valid UTF-8", c, l.path)
			}
		}
		if len(all) < 20 {
			t.Errorf("%T has %d texts, want at least 20", c, len(all))
		}
	}
}

func refusedText(err error, path string) bool {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return false
	}
	for _, e := range joined.Unwrap() {
		var field *send.FieldError
		if !errors.As(e, &field) || field.Field != path {
			continue
		}
		for _, problem := range []string{"UTF-8", "must be", "unknown type"} {
			if strings.Contains(field.Problem, problem) {
				return true
			}
		}
	}
	return false
}
