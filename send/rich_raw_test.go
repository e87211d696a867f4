package send_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

// TestMessage_RichRaw: what the types cannot say comes back as Raw, whole.
func TestMessage_RichRaw(t *testing.T) {
	t.Parallel()
	button := func(action string) string {
		return `{"messagebaseid":"SL000000","chatbotid":"1","header":"0","button":[{"suggestions":[` + action + `]}]}`
	}
	tests := []struct{ name, kind, content string }{
		{"latitude as text", "rcs", button(`{"action":{"mapAction":{"showLocation":{"location":{"latitude":"37.4","longitude":"127.0"}}},"displayText":"a"}}`)},
		{"text of a button beside its action", "rcs", button(`{"action":{"urlAction":{"openUrl":{"url":"u"}}},"displayText":"a"}`)},
		{"action of a later release", "rcs", button(`{"action":{"newAction":{},"displayText":"a"}}`)},
		{"suggestions that are no list", "rcs", `{"messagebaseid":"SL000000","chatbotid":"1","header":"0","button":[{"suggestions":{}}]}`},
		{"a suggestion that is no object", "rcs", button(`1`)},
		{"a number among the texts", "rcs", `{"messagebaseid":"SS000000","chatbotid":"1","header":"0","message":{"description":1}}`},
		{"key of a later release in a coupon", "ut", `{"senderkey":"S","brandmessagetype":"FREE","sendtarget":"friend","message":"m","coupon":{"title":"t","description":"d","x":1}}`},
		{"price with a point", "um", `{"senderkey":"S","brandmessagetype":"FREE","sendtarget":"friend","commerce":{"title":"t","regular_price":0.5}}`},
		{"empty variables", "ut", `{"senderkey":"S","brandmessagetype":"BASIC","sendtarget":"friend","templatecode":"T","messagevariable":{}}`},
		{"friendtalk card without a list of buttons", "fc", `{"senderkey":"S","carousel":{"list":[{"header":"h","message":"m","attachment":{"image":{"img_url":"u"}}}]}}`},
		{"talktalk parameter that is no text", "ntalk", `{"partnerid":"p","partnerkey":"k","productcode":"BENEFIT","templatecode":"T","extra":{"templateParams":{"a":1}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := `{"to":"01000000000","type":"` + tt.kind + `","content":{"` + tt.kind + `":` + tt.content + `}}`
			var m send.Message
			if err := json.Unmarshal([]byte(in), &m); err != nil {
				t.Fatalf("Unmarshal() = %v, want nil", err)
			}
			if _, ok := m.Content.(send.Raw); !ok {
				t.Errorf("content is a %T, want send.Raw", m.Content)
			}
			kind, got := richContent(t, m.Content)
			if kind != tt.kind {
				t.Errorf("type = %q, want %q", kind, tt.kind)
			}
			if diff := sameJSON(t, got, []byte(tt.content)); diff != "" {
				t.Errorf("content differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRCS_NotANumber(t *testing.T) {
	t.Parallel()
	m := send.Message{To: "01000000000", From: "0200000000", Content: send.RCS{
		Buttons: []send.RCSCard{{{Text: "b", ShowLocation: &send.RCSLocation{Latitude: math.NaN()}}}},
	}}
	if b, err := m.AppendBody(nil, "acct01"); err == nil {
		t.Errorf("AppendBody() = %s, nil, want an error", b)
	}
}
