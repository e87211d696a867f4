package send_test

import (
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// TestMessage_Fallback holds the table of spec 3.2.
func TestMessage_Fallback(t *testing.T) {
	t.Parallel()
	sms, lms := send.SMS{Text: "주문"}, send.LMS{Text: "주문"}
	mms := send.MMS{Images: []send.Image{{Key: "k"}}}
	at, ai := alimTalk(), alimTalk()
	ai.Image = true
	ft := send.FriendTalk{Kind: "ft", SenderKey: "k", Text: "a"}
	ut := send.BrandMessage{Kind: "ut", SenderKey: "k", BrandMessageType: "FREE", SendTarget: "friend", Text: "a"}
	rcs := send.RCS{MessageBaseID: "SS000000", ChatbotID: "15880000", Header: "0", Message: map[string]string{"description": "a"}}
	talk := send.TalkTalk{PartnerID: "p", PartnerKey: "k", ProductCode: "CARDINFO", TemplateCode: "T"}
	raw := send.Raw{Type: "zz", JSON: []byte(`{}`)}
	list := func(c ...send.Content) []send.Content { return c }
	tests := []struct {
		name     string
		main     send.Content
		fallback []send.Content
		want     []string
	}{
		{"sms, none", sms, nil, nil},
		{"sms, sms", sms, list(sms), []string{"Fallback[0]"}},
		{"sms, lms", sms, list(lms), []string{"Fallback[0]"}},
		{"lms, rcs", lms, list(rcs), []string{"Fallback[0]"}},
		{"mms, at", mms, list(at), []string{"Fallback[0]"}},
		{"ntalk, sms", talk, list(sms), []string{"Fallback[0]"}},
		{"at, sms", at, list(sms), nil},
		{"at, lms", at, list(lms), nil},
		{"at, mms", at, list(mms), nil},
		{"at, rcs", at, list(rcs), nil},
		{"at, rcs, mms", at, list(rcs, mms), nil},
		{"at, sms, lms", at, list(sms, lms), []string{"Fallback[1]"}},
		{"at, sms, rcs", at, list(sms, rcs), []string{"Fallback[1]"}},
		{"at, rcs, at", at, list(rcs, at), []string{"Fallback[1]"}},
		{"at, at", at, list(at), []string{"Fallback[0]"}},
		{"at, ai", at, list(ai), []string{"Fallback[0]"}},
		{"at, ft", at, list(ft), []string{"Fallback[0]"}},
		{"at, ntalk", at, list(talk), []string{"Fallback[0]"}},
		{"ai, sms", ai, list(sms), nil},
		{"ft, sms", ft, list(sms), nil},
		{"ft, rcs, lms", ft, list(rcs, lms), nil},
		{"ut, lms", ut, list(lms), nil},
		{"ut, at", ut, list(at), []string{"Fallback[0]"}},
		{"rcs, sms", rcs, list(sms), nil},
		{"rcs, at, sms", rcs, list(at, sms), nil},
		{"rcs, ut, lms", rcs, list(ut, lms), nil},
		{"rcs, rcs", rcs, list(rcs), []string{"Fallback[0]"}},
		{"rcs, lms, at", rcs, list(lms, at), []string{"Fallback[1]"}},
		{"two of one type", at, list(sms, sms), []string{"Fallback[1]"}},
		{"three", at, list(rcs, sms, lms), []string{"Fallback", "Fallback[2]"}},
		{"raw main", raw, list(sms, lms), nil},
		{"raw first", at, list(raw, sms), nil},
		{"raw second", sms, list(raw), nil},
		{"raw by the name of a known channel", sms, list(send.Raw{Type: "sms", JSON: []byte(`{}`)}), nil},
		{"two raw of one type", at, list(raw, raw), []string{"Fallback[1]"}},
		{"sms of 91 bytes", at, list(send.SMS{Text: "가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가가a"}), []string{"Fallback[0].Text"}},
		{"empty sms", at, list(send.SMS{}), []string{"Fallback[0].Text"}},
		{"second is wrong inside", at, list(rcs, send.LMS{}), []string{"Fallback[1].Text"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Content, m.Fallback = tt.main, tt.fallback
			expectFields(t, m, tt.want...)
			if len(tt.want) == 0 {
				expectFields(t, encoded(t, m))
			}
		})
	}
}

// TestMessage_FallbackWithoutPlace: what recontent cannot hold is refused by
// each way into JSON.
func TestMessage_FallbackWithoutPlace(t *testing.T) {
	t.Parallel()
	sms := send.SMS{Text: "주문"}
	tests := []struct {
		name     string
		fallback []send.Content
		want     string
	}{
		{"two of one type", []send.Content{sms, sms}, "Fallback[1]"},
		{"three", []send.Content{sms, send.LMS{Text: "a"}, send.MMS{}}, "Fallback"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Content, m.Fallback = alimTalk(), tt.fallback
			if _, err := m.AppendBody(nil, "acct01"); !hasField(err, tt.want) {
				t.Errorf("AppendBody() = %v, want %s refused", err, tt.want)
			}
			if _, err := m.MarshalJSON(); !hasField(err, tt.want) {
				t.Errorf("MarshalJSON() = %v, want %s refused", err, tt.want)
			}
		})
	}
}

func TestMessage_TalkTalkIgnoresAt(t *testing.T) {
	t.Parallel()
	m := message()
	m.Content = send.TalkTalk{PartnerID: "p", PartnerKey: "k", ProductCode: "CARDINFO", TemplateCode: "T"}
	expectFields(t, m)
	m.At = time.Now().Add(time.Hour)
	expectFields(t, m, "At")
	m.Content = send.Raw{Type: "ntalk", JSON: []byte(`{}`)}
	expectFields(t, m, "At")
}
