package send_test

import (
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func sameTalkTalk(m send.TalkTalk) send.TalkTalk { return m }

func TestTalkTalk_VendorForm(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, vendor string }{
		{"information", `{"partnerid":"p1","partnerkey":"k1","productcode":"INFORMATION","templatecode":"T1","templatetype":"ID",
			"extra":{"templateParams":{"orderNo":"1"},"attachment":{"buttons":[{"buttonCode":"view","pcUrl":"https://example.com","mobileUrl":"https://example.com/m"}]}}}`},
		{"fixed text", `{"partnerid":"p1","partnerkey":"k1","productcode":"CARDINFO","templatecode":"T3","templatetype":"CT","message":"승인 10,000원"}`},
		{"coupon", `{"partnerid":"p1","partnerkey":"k1","productcode":"BENEFIT","templatecode":"T1","templatetype":"BC","username":"홍길동","groupkey":"g",
			"extra":{"attachment":{"imageUrl":"https://img.example/a.jpg?x=1&y=<2>","imageHashId":"h","buttons":[{"buttonCode":"b","aOsAppScheme":"a://","iOsAppScheme":"i://"}],
			"gift":{"coupon":{"code":"C","endDate":"2024-04-10","name":"n","publisher":"p","imageUrl":"https://img.example/c.jpg"}}}}}`},
		{"group key in place of the partner key", `{"partnerid":"p1","productcode":"BENEFIT","templatecode":"T1","groupkey":"g"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkVendorForm(t, "ntalk", tt.vendor, sameTalkTalk)
		})
	}
}

func TestTalkTalk_Check(t *testing.T) {
	t.Parallel()
	attachment := func(m *send.TalkTalk) *send.TalkTalkAttachment {
		m.Extra = &send.TalkTalkExtra{Attachment: &send.TalkTalkAttachment{}}
		return m.Extra.Attachment
	}
	coupon := func(m *send.TalkTalk) *send.TalkTalkCoupon {
		a := attachment(m)
		a.Gift = &send.TalkTalkGift{Coupon: &send.TalkTalkCoupon{Code: "c", EndDate: "2024-04-10"}}
		return a.Gift.Coupon
	}
	tests := []struct {
		name   string
		change func(*send.TalkTalk)
		want   []string
	}{
		{"nothing set", func(m *send.TalkTalk) { *m = send.TalkTalk{} }, []string{"PartnerID", "PartnerKey", "ProductCode", "TemplateCode"}},
		{"partner id at its limit", func(m *send.TalkTalk) { m.PartnerID = hangul(40) }, nil},
		{"partner id too long", func(m *send.TalkTalk) { m.PartnerID = hangul(41) }, []string{"PartnerID"}},
		{"partner key at its limit", func(m *send.TalkTalk) { m.PartnerKey = hangul(64) }, nil},
		{"partner key too long", func(m *send.TalkTalk) { m.PartnerKey = hangul(65) }, []string{"PartnerKey"}},
		{"unknown product", func(m *send.TalkTalk) { m.ProductCode = "information" }, []string{"ProductCode"}},
		{"template code at its limit", func(m *send.TalkTalk) { m.TemplateCode = hangul(64) }, nil},
		{"template code too long", func(m *send.TalkTalk) { m.TemplateCode = hangul(65) }, []string{"TemplateCode"}},
		{"unknown template type", func(m *send.TalkTalk) { m.TemplateType = "XX" }, []string{"TemplateType"}},
		{"user name at its limit", func(m *send.TalkTalk) { m.UserName = hangul(5) }, nil},
		{"user name too long", func(m *send.TalkTalk) { m.UserName = hangul(6) }, []string{"UserName"}},
		{"group key at its limit", func(m *send.TalkTalk) { m.GroupKey = hangul(30) }, nil},
		{"group key too long", func(m *send.TalkTalk) { m.GroupKey = hangul(31) }, []string{"GroupKey"}},
		{"text at its limit", func(m *send.TalkTalk) { m.Text = strings.Repeat("😀", 2048) }, nil},
		{"text too long", func(m *send.TalkTalk) { m.Text = strings.Repeat("😀", 2049) }, []string{"Text"}},
		{"text not UTF-8", func(m *send.TalkTalk) { m.Text = "\xff" }, []string{"Text"}},
		{"parameter at its limit", func(m *send.TalkTalk) {
			m.Extra = &send.TalkTalkExtra{TemplateParams: map[string]string{"a": hangul(150)}}
		}, nil},
		{"parameter too long", func(m *send.TalkTalk) {
			m.Extra = &send.TalkTalkExtra{TemplateParams: map[string]string{"a": hangul(151)}}
		}, []string{"Extra.TemplateParams"}},
		{"image hash at its limit", func(m *send.TalkTalk) { attachment(m).ImageHashID = hangul(64) }, nil},
		{"image hash too long", func(m *send.TalkTalk) { attachment(m).ImageHashID = hangul(65) }, []string{"Extra.Attachment.ImageHashID"}},
		{"five buttons", func(m *send.TalkTalk) {
			a := attachment(m)
			for range 5 {
				a.Buttons = append(a.Buttons, send.TalkTalkButton{ButtonCode: "b"})
			}
		}, nil},
		{"six buttons", func(m *send.TalkTalk) {
			a := attachment(m)
			for range 6 {
				a.Buttons = append(a.Buttons, send.TalkTalkButton{ButtonCode: "b"})
			}
		}, []string{"Extra.Attachment.Buttons"}},
		{"button without a code", func(m *send.TalkTalk) {
			attachment(m).Buttons = []send.TalkTalkButton{{ButtonCode: "b"}, {PCURL: "https://example.com"}}
		}, []string{"Extra.Attachment.Buttons[1].ButtonCode"}},
		{"gift without a coupon", func(m *send.TalkTalk) { attachment(m).Gift = &send.TalkTalkGift{} }, []string{"Extra.Attachment.Gift.Coupon"}},
		{"coupon", func(m *send.TalkTalk) { coupon(m) }, nil},
		{"coupon without a code", func(m *send.TalkTalk) { coupon(m).Code = "" }, []string{"Extra.Attachment.Gift.Coupon.Code"}},
		{"coupon without an end", func(m *send.TalkTalk) { coupon(m).EndDate = "" }, []string{"Extra.Attachment.Gift.Coupon.EndDate"}},
		{"coupon that ends on no day", func(m *send.TalkTalk) { coupon(m).EndDate = "2024-02-30" }, []string{"Extra.Attachment.Gift.Coupon.EndDate"}},
		{"coupon that ends in another form", func(m *send.TalkTalk) { coupon(m).EndDate = "20240410" }, []string{"Extra.Attachment.Gift.Coupon.EndDate"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := send.TalkTalk{PartnerID: "p", PartnerKey: "k", ProductCode: "INFORMATION", TemplateCode: "T"}
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

func TestTalkTalk_Masked(t *testing.T) {
	t.Parallel()
	c := &send.TalkTalkCoupon{Code: "CANARY"}
	b := send.TalkTalkButton{ButtonCode: "CANARY"}
	a := &send.TalkTalkAttachment{Buttons: []send.TalkTalkButton{b}, Gift: &send.TalkTalkGift{Coupon: c}}
	e := &send.TalkTalkExtra{TemplateParams: map[string]string{"CANARY": "CANARY"}, Attachment: a}
	for _, v := range []any{send.TalkTalk{PartnerKey: "CANARY", Extra: e}, &send.TalkTalk{Text: "CANARY"}, e, *e, a, *a, b, a.Gift, *a.Gift, c, *c} {
		checkMasked(t, v)
	}
}
