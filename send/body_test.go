package send_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

// unwritable wants MarshalJSON, with json.Marshal around it, and AppendBody to
// refuse m for field, and nothing to be appended. AppendBody says To and From
// of a number that it cannot send, in other words.
func unwritable(t *testing.T, name string, m send.Message, field string) {
	t.Helper()
	if b, err := json.Marshal(m); !hasField(err, field) {
		t.Errorf("%s: Marshal() = %s, %v, want %s refused", name, b, err, field)
	}
	if b, err := m.AppendBody([]byte("x"), "acct01"); string(b) != "x" || !hasField(err, field) {
		t.Errorf("%s: AppendBody() = %q, %v, want what was there and %s refused", name, b, err, field)
	}
}

// TestMessage_NotUTF8: JSON has no place for text that is not valid UTF-8, and
// encoding/json would put U+FFFD there, which makes it valid.
func TestMessage_NotUTF8(t *testing.T) {
	t.Parallel()
	const bad = "a\xffb"
	for name, change := range map[string]func(*send.Message){
		"RefKey":       func(m *send.Message) { m.RefKey = bad },
		"UserInfo":     func(m *send.Message) { m.UserInfo = bad },
		"ResellerCode": func(m *send.Message) { m.ResellerCode = bad },
		"Country":      func(m *send.Message) { m.Country = bad },
		"To":           func(m *send.Message) { m.To = bad },
		"From":         func(m *send.Message) { m.From = bad },
		"Content.Text": func(m *send.Message) { m.Content = &send.SMS{Text: bad} },
		"Content.JSON": func(m *send.Message) { m.Content = send.Raw{Type: "zz", JSON: []byte(`{"a":"` + bad + `"}`)} },
		"Content.Type": func(m *send.Message) { m.Content = send.Raw{Type: bad, JSON: []byte(`{}`)} },
		"Fallback[0].Text": func(m *send.Message) {
			m.Content, m.Fallback = alimTalk(), []send.Content{send.LMS{Text: bad}}
		},
		"Fallback[1].Text": func(m *send.Message) {
			m.Content, m.Fallback = alimTalk(), []send.Content{send.Raw{Type: "zz", JSON: []byte(`{}`)}, send.SMS{Text: bad}}
		},
	} {
		m := message()
		change(&m)
		unwritable(t, name, m, name)
	}
	m := message()
	if _, err := m.AppendBody(nil, bad); !hasField(err, "account") {
		t.Errorf("AppendBody(account that is not UTF-8) = %v, want account refused", err)
	}
}

// TestContent_NotUTF8 is TestMessage_NotUTF8 for every text of every channel.
func TestContent_NotUTF8(t *testing.T) {
	t.Parallel()
	type leaf struct {
		path string
		set  func(string)
	}
	for c, kind := range map[send.Content]string{
		&send.SMS{}: "", &send.LMS{}: "", &send.MMS{}: "", &send.AlimTalk{}: "", &send.FriendTalk{}: "ft",
		&send.BrandMessage{}: "ut", &send.RCS{}: "", &send.TalkTalk{}: "",
	} {
		v := reflect.ValueOf(c).Elem()
		var all []leaf
		leaves(v, "Content", func(path string, set func(string)) { all = append(all, leaf{path, set}) })
		if len(all) == 0 {
			t.Fatalf("%T has no text", c)
		}
		for _, l := range all {
			if kind != "" {
				v.FieldByName("Kind").SetString(kind)
			}
			l.set("a\xffb")
			m := message()
			m.Content = c
			unwritable(t, fmt.Sprintf("%T", c), m, l.path)
			l.set("")
		}
	}
}

// TestMessage_ReplacementCharacter: U+FFFD itself, and the six characters that
// JSON writes for it, are text like any other.
func TestMessage_ReplacementCharacter(t *testing.T) {
	t.Parallel()
	a := alimTalk()
	a.Text = "\ufffd \\ufffd\n"
	raw := send.Raw{Type: "zz", JSON: []byte(`{"a":"\ufffd","b":"` + "\ufffd" + `"}`)}
	for _, c := range []send.Content{a, raw, send.SMS{Text: a.Text}} {
		m := message()
		m.Content, m.UserInfo = c, a.Text
		b, err := json.Marshal(m)
		if err != nil {
			t.Errorf("%T: Marshal() = %v, want nil", c, err)
			continue
		}
		var back send.Message
		if err := json.Unmarshal(b, &back); err != nil || !cmp.Equal(m, back) {
			t.Errorf("%T: Unmarshal() = %v, (-want +got):\n%s", c, err, cmp.Diff(m, back))
		}
		e, err := send.Encode(c)
		if _, isText := c.(send.SMS); isText {
			continue // EUC-KR lacks U+FFFD
		}
		if err != nil {
			t.Fatal(err)
		}
		m.Content = e
		if coded, err := json.Marshal(m); string(coded) != string(b) || err != nil {
			t.Errorf("%T: Marshal() of encoded = %s, %v, want %s", c, coded, err, b)
		}
	}
}

// TestMessage_UnmarshalNotUTF8: encoding/json would put U+FFFD there.
func TestMessage_UnmarshalNotUTF8(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"{\"refkey\":\"a\xff\"}",
		"{\"type\":\"at\",\"content\":{\"at\":{\"senderkey\":\"k\",\"templatecode\":\"t\",\"message\":\"a\xff\"}}}",
		"{\"type\":\"zz\",\"content\":{\"zz\":{\"a\":\"\xff\"}}}",
	} {
		m := send.Message{RefKey: "before"}
		if err := json.Unmarshal([]byte(in), &m); err == nil || m.RefKey != "before" {
			t.Errorf("Unmarshal(%q) = %v, want an error and the message as it was", in, err)
		}
	}
}

// TestMessage_UnknownKind: a kind that this release does not know comes back
// as Raw, of which nobody knows what is wrong with it or that it advertises.
func TestMessage_UnknownKind(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "UT", "FT", "Ft", "ft ", "zz", "sms", "at"} {
		for _, c := range []send.Content{
			send.BrandMessage{Kind: kind, SenderKey: "k", BrandMessageType: "FREE", SendTarget: "friend", Text: "a"},
			&send.FriendTalk{Kind: kind, SenderKey: "k", Text: "a"},
		} {
			m := message()
			m.Content = c
			unwritable(t, fmt.Sprintf("%T of kind %q", c, kind), m, "Content.Kind")
			m.Content, m.Fallback = send.RCS{MessageBaseID: "SS000000", ChatbotID: "1", Header: "0"}, []send.Content{c}
			unwritable(t, fmt.Sprintf("%T of kind %q as fallback", c, kind), m, "Fallback[0].Kind")
		}
	}
	m := message()
	m.Content = send.BrandMessage{Kind: "ft"}
	unwritable(t, "a brand message of a friendtalk's kind", m, "Content.Kind")
	m.Content = send.FriendTalk{Kind: "ut"}
	unwritable(t, "a friendtalk of a brand message's kind", m, "Content.Kind")
	m.Content = send.Raw{JSON: []byte(`{}`)}
	unwritable(t, "Raw without a type", m, "Content.Type")
}

// TestMessage_FarAt: sendtime has ten digits (spec 3.1), and UnmarshalJSON
// takes no more.
func TestMessage_FarAt(t *testing.T) {
	t.Parallel()
	last := time.Unix(9_999_999_999, 0) // in 2286
	m := message()
	m.At = last.Add(time.Second - 1)
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("Marshal(At %v) = %v, want nil", m.At.UTC(), err)
	}
	var back send.Message
	if err := json.Unmarshal(b, &back); err != nil || !back.At.Equal(last) {
		t.Errorf("Unmarshal() = %v, At %v, want %v", err, back.At.UTC(), last.UTC())
	}
	for _, at := range []time.Time{last.Add(time.Second), time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		m.At = at
		unwritable(t, at.UTC().String(), m, "At")
	}
}

// TestMessage_ComesBackAsBad: whatever a message holds, either MarshalJSON
// refuses it, or it comes back with the same problems, of the same types, and
// as much of an advertisement.
func TestMessage_ComesBackAsBad(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	draw := rand.New(rand.NewPCG(seed, seed))
	written := map[string]int{}
	for range 1500 {
		m := drawnMessage(draw)
		b, err := json.Marshal(m)
		if err != nil {
			if m.Validate() == nil || !errors.As(err, new(*send.FieldError)) {
				t.Fatalf("seed %d: Marshal() of a message with the problems %v = %v", seed, m.Validate(), err)
			}
			continue
		}
		var back send.Message
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("seed %d: Unmarshal(%s) = %v, want nil", seed, b, err)
		}
		written[fmt.Sprintf("%T", back.Content)]++
		same := reflect.TypeOf(m.Content) == reflect.TypeOf(back.Content) && m.Advertises() == back.Advertises()
		if got, want := problemsOf(back), problemsOf(m); !same || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s\nis a %T, advertises %t, and has the problems %q,\nwas a %T, %t, %q",
				seed, b, back.Content, back.Advertises(), got, m.Content, m.Advertises(), want)
		}
	}
	if len(written) != 9 { // the eight that can be drawn, and none
		t.Errorf("seed %d: contents written = %v, want all", seed, written)
	}
}

// problemsOf lists the problems of m, sorted.
func problemsOf(m send.Message) []string {
	err := m.Validate()
	if err == nil {
		return nil
	}
	all := strings.Split(err.Error(), "\n")
	slices.Sort(all)
	return all
}

// drawnMessage returns a message that holds anything.
func drawnMessage(draw *rand.Rand) send.Message {
	content := func() send.Content {
		all := []send.Content{
			nil, &send.SMS{}, &send.LMS{}, &send.MMS{}, &send.AlimTalk{}, &send.RCS{}, &send.TalkTalk{},
			&send.FriendTalk{}, &send.FriendTalk{}, &send.BrandMessage{}, &send.BrandMessage{}, // often of a kind that is refused
		}
		c := all[draw.IntN(len(all))]
		if c == nil {
			return nil
		}
		v := reflect.ValueOf(c).Elem()
		drawn(draw, v, 0)
		return v.Interface().(send.Content) //nolint:forcetypeassert // it came from the list
	}
	text := func(usual string) string {
		if draw.IntN(10) > 0 {
			return usual
		}
		return drawnText(draw)
	}
	m := send.Message{
		To: text("010-1234-5678"), From: text("02-000-0000"), RefKey: text("r"), UserInfo: text("dept1"),
		Country: text(""), ResellerCode: text(""), Content: content(), Ad: draw.IntN(2) == 0,
	}
	if draw.IntN(3) == 0 {
		m.At = time.Now().Add(time.Duration(draw.IntN(2000)-1000) * time.Hour)
	}
	for range draw.IntN(3) {
		m.Fallback = append(m.Fallback, content())
	}
	return m
}

func drawnText(draw *rand.Rand) string {
	all := []string{
		"", "", "a", "a", "가", "a\xff", "\"\\\n\t<&>\u2028", "\ufffd", "\x00", "1", "12345678901234567890", "Y", "N", "ai",
		"WL", "BF", "AC", "FREE", "BASIC", "friend", "marketing", "M", "0", "SS000000", "IMG", "https://tv.kakao.com/v/1", "2024-04-10", "🎉",
	}
	return all[draw.IntN(len(all))]
}

// drawn fills v with anything.
func drawn(draw *rand.Rand, v reflect.Value, depth int) {
	few := func() int { return draw.IntN(3) }
	switch v.Kind() { //nolint:exhaustive // the kinds that contents are made of
	case reflect.String:
		v.SetString(drawnText(draw))
	case reflect.Bool:
		v.SetBool(draw.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(draw.IntN(7) - 2))
	case reflect.Float64:
		v.SetFloat([]float64{0, -1.5, 37.4, 1e300, 5e-324}[draw.IntN(5)])
	case reflect.Pointer:
		if few() > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			drawn(draw, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if few() > 0 {
			v.Set(reflect.MakeSlice(v.Type(), few(), 3))
			for i := range v.Len() {
				drawn(draw, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if few() > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range few() {
				v.SetMapIndex(reflect.ValueOf(drawnText(draw)), reflect.ValueOf(drawnText(draw)))
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return // Image.Until, which JSON has no place for
		}
		for i := range v.NumField() {
			switch {
			case v.Type().Field(i).Name == "Kind":
				v.Field(i).SetString([]string{"ft", "fc", "ut", "ua", "UT", "zz", ""}[draw.IntN(7)])
			case depth > 0 || draw.IntN(2) == 0:
				drawn(draw, v.Field(i), depth+1)
			}
		}
	default:
		panic("nothing to draw for a " + v.Kind().String())
	}
}
