package send_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

// TestMessage_UnmarshalKeepsWhatItDoesNotKnow: a key, a spelling or a number
// that the type would lose makes the content Raw.
func TestMessage_UnmarshalKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, object string
		want               send.Content
	}{
		{"sms", "sms", `{"message":"a"}`, send.SMS{Text: "a"}},
		{"escaped", "sms", `{"\u006dessage":"\uAC00"}`, send.SMS{Text: "가"}},
		{"sms with another key", "sms", `{"message":"a","new":1}`, nil},
		{"key in another case", "sms", `{"Message":"a"}`, nil},
		{"key twice", "sms", `{"message":"a","message":"a"}`, nil},
		{"key missing", "sms", `{}`, nil},
		{"wrong kind", "sms", `{"message":1}`, nil},
		{"no object", "sms", `["a"]`, nil},
		{"null", "sms", `null`, nil},
		{"empty instead of absent", "lms", `{"subject":"","message":"a"}`, nil},
		{"mms", "mms", `{"file":[{"type":"IMG","key":"k"}]}`, send.MMS{Images: []send.Image{{Key: "k"}}}},
		{"mms with another file", "mms", `{"file":[{"type":"PDF","key":"k"}]}`, nil},
		{"mms with another key in a file", "mms", `{"file":[{"type":"IMG","key":"k","size":1}]}`, nil},
		{"at", "at", `{"senderkey":"k","templatecode":"t","message":"a"}`, send.AlimTalk{SenderKey: "k", TemplateCode: "t", Text: "a"}},
		{"ai", "ai", `{"senderkey":"k","templatecode":"t","message":"a"}`, send.AlimTalk{SenderKey: "k", TemplateCode: "t", Text: "a", Image: true}},
		{"at, another key in a button", "at", `{"senderkey":"k","templatecode":"t","message":"a","button":[{"name":"a","type":"BK","new":"x"}]}`, nil},
		{"at, another key in an item", "at", `{"senderkey":"k","templatecode":"t","message":"a","item":{"list":[{"title":"a","description":"b","new":1}]}}`, nil},
		{"at, empty list", "at", `{"senderkey":"k","templatecode":"t","message":"a","button":[]}`, nil},
		{"at, number spelt another way", "at", `{"senderkey":"k","templatecode":"t","message":"a","button":[{"name":"a","type":"BF","biz_form_id":1.0}]}`, nil},
		{"at, number too large", "at", `{"senderkey":"k","templatecode":"t","message":"a","button":[{"name":"a","type":"BF","biz_form_id":9223372036854775808}]}`, nil},
		{"unknown channel", "zz", `{"id":9007199254740993}`, nil},
		{"channel in upper case", "SMS", `{"message":"a"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := `{"type":"` + tt.kind + `","content":{"` + tt.kind + `":` + tt.object + `}}`
			var m send.Message
			if err := json.Unmarshal([]byte(in), &m); err != nil {
				t.Fatalf("Unmarshal() = %v, want nil", err)
			}
			want := tt.want
			if want == nil {
				want = send.Raw{Type: tt.kind, JSON: json.RawMessage(tt.object)}
			}
			if diff := cmp.Diff(want, m.Content); diff != "" {
				t.Errorf("content differs (-want +got):\n%s", diff)
			}
			b, err := json.Marshal(m)
			if diff := cmp.Diff(value(t, []byte(in)), value(t, b)); diff != "" || err != nil {
				t.Errorf("Marshal() = %v, JSON differs (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestMessage_UnmarshalErrors(t *testing.T) {
	t.Parallel()
	const canary = "01099998888"
	tests := map[string]string{
		"no object":                `["` + canary + `"]`,
		"number":                   canary[1:],
		"member of another kind":   `{"to":` + canary[1:] + `}`,
		"unknown member":           `{"` + canary + `":1}`,
		"member in another case":   `{"To":"` + canary + `"}`,
		"member twice":             `{"to":"` + canary + `","to":"01000000000"}`,
		"type without content":     `{"type":"sms"}`,
		"content without type":     `{"content":{"sms":{"message":"` + canary + `"}}}`,
		"content of another type":  `{"type":"lms","content":{"sms":{"message":"a"}}}`,
		"content of two types":     `{"type":"sms","content":{"sms":{"message":"a"},"lms":{"message":"a"}}}`,
		"content under no name":    `{"type":"","content":{"":{}}}`,
		"content is null":          `{"type":"sms","content":null}`,
		"resend without recontent": `{"resend":{"first":"sms"}}`,
		"recontent without resend": `{"recontent":{"sms":{"message":"a"}}}`,
		"recontent of another":     `{"resend":{"first":"sms"},"recontent":{"lms":{"message":"a"}}}`,
		"more recontent":           `{"resend":{"first":"sms"},"recontent":{"sms":{"message":"a"},"lms":{"message":"a"}}}`,
		"second without first":     `{"resend":{"second":"sms"},"recontent":{"sms":{"message":"a"}}}`,
		"third":                    `{"resend":{"first":"sms","third":"lms"},"recontent":{"sms":{"message":"a"},"lms":{"message":"a"}}}`,
		"both of one type":         `{"resend":{"first":"sms","second":"sms"},"recontent":{"sms":{"message":"a"}}}`,
		"resend of another kind":   `{"resend":{"first":1},"recontent":{"sms":{"message":"a"}}}`,
		"sendtime of eleven":       `{"sendtime":"17980704000"}`,
		"sendtime with a sign":     `{"sendtime":"+798070400"}`,
		"sendtime as a number":     `{"sendtime":1798070400}`,
		"sendtime in words":        `{"sendtime":"tomorrow!!"}`,
		"ad in words":              `{"ad":"yes"}`,
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := send.Message{RefKey: "before"}
			err := m.UnmarshalJSON([]byte(in))
			if err == nil {
				t.Fatalf("UnmarshalJSON() = nil, want an error: %+v", m.Content)
			}
			if strings.Contains(err.Error(), "9999") {
				t.Errorf("UnmarshalJSON() = %v, which has a number in it", err)
			}
			if m.RefKey != "before" {
				t.Error("a failed UnmarshalJSON changed the message")
			}
		})
	}
}

func TestMessage_UnmarshalMalformed(t *testing.T) {
	t.Parallel()
	for _, in := range []string{``, `{`, `{"to"`, `{"to":`, `{"to":"1"`, `nul`, strings.Repeat("[", 20_000), `{"content":` + strings.Repeat(`{"a":`, 20_000)} {
		if err := new(send.Message).UnmarshalJSON([]byte(in)); err == nil {
			t.Errorf("UnmarshalJSON(%.20q) = nil, want an error", in)
		}
	}
}

func TestMessage_UnmarshalWhatIsMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     send.Message
	}{
		{"empty object", `{}`, send.Message{}},
		{"null leaves it alone", ` null `, send.Message{}},
		{"account is passed over", `{"account":"acct01","to":"01000000000"}`, send.Message{To: "01000000000"}},
		{"no resend", `{"resend":{},"recontent":{}}`, send.Message{}},
		{"ad", `{"ad":true}`, send.Message{Ad: true}},
		{"sendtime", `{"sendtime":"1798070400"}`, send.Message{At: time.Unix(1798070400, 0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got send.Message
			if err := got.UnmarshalJSON([]byte(tt.in)); err != nil {
				t.Fatalf("UnmarshalJSON() = %v, want nil", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessage_MarshalIncomplete: what is not there is left out, and a number
// that cannot be sent is kept as it was typed.
func TestMessage_MarshalIncomplete(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		m    send.Message
		want string
	}{
		{"zero", send.Message{}, `{}`},
		{"no RefKey, no From", send.Message{To: "010-0000-0000", Content: send.SMS{Text: "<a>"}}, `{"type":"sms","to":"01000000000","content":{"sms":{"message":"<a>"}}}`},
		{"number that cannot be sent", send.Message{To: "x", From: "y"}, `{"from":"y","to":"x"}`},
		{"ad", send.Message{Ad: true}, `{"ad":true}`},
		{"At long past", send.Message{At: time.Unix(999_999_999, 0)}, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.m.MarshalJSON()
			if string(got) != tt.want || err != nil {
				t.Errorf("MarshalJSON() = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	if _, err := json.Marshal(send.Message{Content: send.Raw{Type: "zz", JSON: []byte(`{`)}}); err == nil {
		t.Error("Marshal() of broken Raw = nil, want an error")
	}
}

// TestMMS_JSON: json.Marshal of a content is the vendor's form, the other way
// round too.
func TestMMS_JSON(t *testing.T) {
	t.Parallel()
	in := send.MMS{Subject: "안내", Text: "사진", Images: []send.Image{{Key: "a"}, {Key: "b"}}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"subject":"안내","message":"사진","file":[{"type":"IMG","key":"a"},{"type":"IMG","key":"b"}]}`
	if string(b) != want {
		t.Errorf("Marshal() = %s, want %s", b, want)
	}
	var back send.MMS
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, back); diff != "" {
		t.Errorf("MMS came back changed (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"file":1}`), &back); err == nil {
		t.Error("Unmarshal() of no list = nil, want an error")
	}
}

// FuzzMessage_UnmarshalJSON: what decodes, encodes, and then decodes to the
// same again; nothing panics.
func FuzzMessage_UnmarshalJSON(f *testing.F) {
	b, err := os.ReadFile("testdata/wire.json")
	if err != nil {
		f.Fatal(err)
	}
	var rows []struct {
		Body json.RawMessage `json:"expect_body"`
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		f.Fatal(err)
	}
	for _, row := range rows {
		f.Add([]byte(row.Body))
	}
	f.Add([]byte(`{"ad":true,"type":"zz","content":{"zz":{"a":[1e400,-0,"\ud800"]}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m send.Message
		if json.Unmarshal(b, &m) != nil {
			return
		}
		_ = m.Validate()
		_, _ = m.AppendBody(nil, "acct01")
		_ = m.Advertises()
		once, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("Marshal() = %v, want nil: %s", err, b)
		}
		var again send.Message
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("Unmarshal() = %v, want nil: %s", err, once)
		}
		twice, err := json.Marshal(again)
		if string(once) != string(twice) || err != nil {
			t.Fatalf("Marshal() = %s, %v, want %s", twice, err, once)
		}
		if e, err := send.Encode(m.Content); err == nil {
			m.Content = e
			if coded, err := json.Marshal(m); string(coded) != string(once) || err != nil {
				t.Fatalf("Marshal() of encoded = %s, %v, want %s", coded, err, once)
			}
		} else if !errors.As(err, new(*send.FieldError)) {
			t.Fatalf("Encode() = %v, want a FieldError", err)
		}
	})
}
