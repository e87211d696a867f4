package send_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

// message is a message that nothing is wrong with.
func message() send.Message {
	return send.Message{
		To: "01000000000", From: "0200000000", RefKey: "order-0001", Content: send.SMS{Text: "주문 접수"},
	}
}

func alimTalk() send.AlimTalk {
	return send.AlimTalk{SenderKey: "key", TemplateCode: "TPL01", Text: "홍길동님 주문 접수"}
}

// expectFields wants Validate to complain of exactly these fields.
func expectFields(t *testing.T, m send.Message, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := richFields(t, m.Validate()); !slices.Equal(got, want) {
		t.Errorf("refused fields = %q, want %q: %v", got, want, m.Validate())
	}
}

func TestMessage_Validate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*send.Message)
		want   []string
	}{
		{"as it is", func(*send.Message) {}, nil},
		{"zero", func(m *send.Message) { *m = send.Message{} }, []string{"To", "Content"}},
		{"no From, no RefKey", func(m *send.Message) { m.From, m.RefKey = "", "" }, nil},
		{"RefKey of 32 bytes", func(m *send.Message) { m.RefKey = strings.Repeat("가", 10) + "ab" }, nil},
		{"RefKey of 33 bytes", func(m *send.Message) { m.RefKey = strings.Repeat("가", 11) }, []string{"RefKey"}},
		{"RefKey with a control character", func(m *send.Message) { m.RefKey = "a\nb" }, []string{"RefKey"}},
		{"RefKey not UTF-8", func(m *send.Message) { m.RefKey = "a\xff" }, []string{"RefKey"}},
		{"UserInfo of 50", func(m *send.Message) { m.UserInfo = strings.Repeat("가", 50) }, nil},
		{"UserInfo of 51", func(m *send.Message) { m.UserInfo = strings.Repeat("a", 51) }, []string{"UserInfo"}},
		{"ResellerCode", func(m *send.Message) { m.ResellerCode = "123456789" }, nil},
		{"ResellerCode of 8", func(m *send.Message) { m.ResellerCode = "12345678" }, []string{"ResellerCode"}},
		{"ResellerCode of letters", func(m *send.Message) { m.ResellerCode = "12345678a" }, []string{"ResellerCode"}},
		{"At past", func(m *send.Message) { m.At = time.Now().Add(-time.Hour) }, nil},
		{"At 30 days ahead", func(m *send.Message) { m.At = time.Now().Add(30 * 24 * time.Hour) }, nil},
		{"At later", func(m *send.Message) { m.At = time.Now().Add(30*24*time.Hour + 1) }, []string{"At"}},
		{
			"everything at once", func(m *send.Message) {
				*m = send.Message{To: "1", From: "2", RefKey: "\x00", UserInfo: "\xff", Country: "x", Content: send.SMS{}}
			},
			[]string{"To", "From", "RefKey", "UserInfo", "Country", "Content.Text"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			atClock(t, func(t *testing.T) {
				t.Helper()
				m := message()
				tt.change(&m)
				expectFields(t, m, tt.want...)
			})
		})
	}
}

func TestMessage_NoContent(t *testing.T) {
	t.Parallel()
	type stranger struct{ send.Content }
	tests := map[string]send.Content{
		"nil": nil, "zero Encoded": new(send.Encoded), "nil Encoded": (*send.Encoded)(nil),
		"SMS": (*send.SMS)(nil), "LMS": (*send.LMS)(nil), "MMS": (*send.MMS)(nil), "AlimTalk": (*send.AlimTalk)(nil),
		"FriendTalk": (*send.FriendTalk)(nil), "BrandMessage": (*send.BrandMessage)(nil), "RCS": (*send.RCS)(nil),
		"TalkTalk": (*send.TalkTalk)(nil), "Raw": (*send.Raw)(nil), "stranger": stranger{},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Content = c
			expectFields(t, m, "Content")
			if _, err := m.AppendBody(nil, "acct01"); !hasField(err, "Content") {
				t.Errorf("AppendBody() = %v, want Content refused", err)
			}
			if _, err := send.Encode(c); !hasField(err, "Content") {
				t.Errorf("Encode() = %v, want Content refused", err)
			}
			if got := m.Type(); got != "" {
				t.Errorf("Type() = %q, want none", got)
			}
			if m.Advertises() {
				t.Error("Advertises() = true, want false")
			}
			m = message()
			m.Content = alimTalk()
			m.Fallback = []send.Content{c}
			expectFields(t, m, "Fallback[0]")
			if _, err := m.AppendBody(nil, "acct01"); !hasField(err, "Fallback[0]") {
				t.Errorf("AppendBody() = %v, want Fallback[0] refused", err)
			}
			if _, err := m.MarshalJSON(); !hasField(err, "Fallback[0]") {
				t.Errorf("MarshalJSON() = %v, want Fallback[0] refused", err)
			}
		})
	}
}

func hasField(err error, field string) bool {
	var f *send.FieldError
	return errors.As(err, &f) && f.Field == field
}

// TestMessage_Pointers: a pointer to content is content.
func TestMessage_Pointers(t *testing.T) {
	t.Parallel()
	a := alimTalk()
	m := message()
	m.Content, m.Fallback = &a, []send.Content{&send.LMS{Text: "주문"}}
	expectFields(t, m)
	plain := message()
	plain.Content, plain.Fallback = a, []send.Content{send.LMS{Text: "주문"}}
	got, err := m.AppendBody(nil, "acct01")
	want, wantErr := plain.AppendBody(nil, "acct01")
	if string(got) != string(want) || err != nil || wantErr != nil {
		t.Errorf("AppendBody() = %s, %v, want %s", got, err, want)
	}
	for _, c := range []send.Content{
		&send.SMS{}, &send.MMS{}, &send.FriendTalk{}, &send.BrandMessage{}, &send.RCS{}, &send.TalkTalk{}, &send.Raw{},
	} {
		m.Content = c
		if err := m.Validate(); err == nil {
			t.Errorf("Validate() of an empty %T = nil, want its problems", c)
		}
	}
}

func TestMessage_AppendBodyNeedsFrom(t *testing.T) {
	t.Parallel()
	m := message()
	m.From = ""
	b, err := m.AppendBody([]byte("x"), "acct01")
	if string(b) != "x" || !hasField(err, "From") {
		t.Errorf("AppendBody() = %q, %v, want what was there and From refused", b, err)
	}
}

func TestMessage_AppendBodyOrder(t *testing.T) {
	t.Parallel()
	m := send.Message{
		To: "010-0000-0000", From: "02-0000-0000", RefKey: "r<&>1", Content: alimTalk(), Ad: true,
		Fallback: []send.Content{send.RCS{MessageBaseID: "SS000000", ChatbotID: "15880000", Header: "0"}, send.SMS{Text: "a\"b\n"}},
		At:       time.Unix(1798070400, 999), UserInfo: "dept1", ResellerCode: "123456789",
	}
	want := `{"account":"acct01","refkey":"r<&>1","type":"at","from":"0200000000","to":"01000000000",` +
		`"content":{"at":{"senderkey":"key","templatecode":"TPL01","message":"홍길동님 주문 접수"}},` +
		`"userinfo":"dept1","resellercode":"123456789","sendtime":"1798070400",` +
		`"resend":{"first":"rcs","second":"sms"},` +
		`"recontent":{"rcs":{"messagebaseid":"SS000000","chatbotid":"15880000","header":"0"},"sms":{"message":"a\"b\n"}}}`
	got, err := m.AppendBody(nil, "acct01")
	if string(got) != want || err != nil {
		t.Errorf("AppendBody() = %s, %v, want %s", got, err, want)
	}
}

func TestMessage_AppendBodyFillsRefKey(t *testing.T) {
	t.Parallel()
	m := message()
	m.RefKey = ""
	seen := map[string]bool{}
	for range 100 {
		b, err := m.AppendBody(nil, "acct01")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := value(t, b).(map[string]any)
		key, _ := body["refkey"].(string)
		if key == "" || len(key) > 32 || seen[key] {
			t.Fatalf("refkey = %q, want a fresh one of at most 32 bytes", key)
		}
		seen[key] = true
	}
	if m.RefKey != "" {
		t.Error("AppendBody changed the message")
	}
}

func TestNewRefKey(t *testing.T) {
	t.Parallel()
	const n = 10_000
	seen := make(map[string]bool, n)
	for range n {
		key := send.NewRefKey()
		// 26 characters of 5 bits are 130 bits.
		if len(key) < 26 || len(key) > 32 {
			t.Fatalf("NewRefKey() has %d bytes, want 26 to 32", len(key))
		}
		seen[key] = true
		m := message()
		if m.RefKey = key; m.Validate() != nil {
			t.Fatalf("Validate() = %v, want nil", m.Validate())
		}
	}
	if len(seen) != n {
		t.Errorf("%d different keys, want %d", len(seen), n)
	}
}

// TestMessage_IsNotModified: validating, encoding and marshalling leave the
// content as it was.
func TestMessage_IsNotModified(t *testing.T) {
	t.Parallel()
	for _, tt := range wireCases(t) {
		m := tt.Message.message(t)
		_ = m.Validate()
		_, _ = m.AppendBody(nil, "acct01")
		_, _ = m.MarshalJSON()
		_, _ = send.Encode(m.Content)
		if diff := cmp.Diff(tt.Message.message(t), m); diff != "" {
			t.Errorf("%s: message was modified (-want +got):\n%s", tt.Name, diff)
		}
	}
}

func TestMessage_Due(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name     string
		at, want time.Time
	}{
		{"zero", time.Time{}, now},
		{"past", now.Add(-1), now},
		{"now", now, now},
		{"future", now.Add(1), now.Add(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (send.Message{At: tt.at}).Due(now); !got.Equal(tt.want) {
				t.Errorf("Due() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMessage_Advertises(t *testing.T) {
	t.Parallel()
	encode := func(c send.Content) send.Content {
		e, err := send.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ft := send.FriendTalk{Kind: "ft", SenderKey: "k", Text: "안내"}
	quiet := ft
	quiet.AdFlag = send.No
	tests := []struct {
		name string
		m    send.Message
		want bool
	}{
		{"text", send.Message{Content: send.SMS{Text: "a"}}, false},
		{"Ad", send.Message{Content: send.SMS{Text: "a"}, Ad: true}, true},
		{"brand message", send.Message{Content: send.BrandMessage{Kind: "ut"}}, true},
		{"pointer", send.Message{Content: &send.BrandMessage{Kind: "ut"}}, true},
		{"friendtalk", send.Message{Content: ft}, true},
		{"friendtalk without flag", send.Message{Content: quiet}, false},
		{"encoded friendtalk", send.Message{Content: encode(ft)}, true},
		{"encoded friendtalk without flag", send.Message{Content: encode(quiet)}, false},
		{"as fallback", send.Message{Content: send.SMS{}, Fallback: []send.Content{ft}}, true},
		{"raw brand message", send.Message{Content: send.Raw{Type: "ua", JSON: []byte(`{}`)}}, true},
		{"raw friendtalk", send.Message{Content: send.Raw{Type: "ft", JSON: []byte(`{}`)}}, true},
		{"raw friendtalk without flag", send.Message{Content: send.Raw{Type: "ft", JSON: []byte(`{"adflag":"N"}`)}}, false},
		{"raw brand message in upper case", send.Message{Content: send.Raw{Type: "UT", JSON: []byte(`{"a":1}`)}}, true},
		{"raw friendtalk in upper case", send.Message{Content: send.Raw{Type: "Fi", JSON: []byte(`{}`)}}, true},
		{"raw friendtalk in upper case without flag", send.Message{Content: send.Raw{Type: "FT", JSON: []byte(`{"adflag":"N"}`)}}, false},
		{"encoded raw brand message in upper case", send.Message{Content: encode(send.Raw{Type: "UP", JSON: []byte(`{}`)})}, true},
		{"raw text in upper case", send.Message{Content: send.Raw{Type: "SMS", JSON: []byte(`{}`)}}, false},
		{"raw alimtalk", send.Message{Content: send.Raw{Type: "at", JSON: []byte(`{}`)}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.m.Advertises(); got != tt.want {
				t.Errorf("Advertises() = %t, want %t", got, tt.want)
			}
		})
	}
}
