package send_test

import (
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

// friendForms are messages in the vendor's own form, by kind.
func friendForms() []struct{ name, kind, vendor string } {
	const row = `{"title":"1","img_url":"https://img.example/1.jpg","url_mobile":"https://example.com/1"}`
	return []struct{ name, kind, vendor string }{
		{"text", "ft", `{"senderkey":"S","message":"세일 안내","adflag":"Y"}`},
		{"no advertisement", "ft", `{"senderkey":"S","message":"안내","adflag":"N"}`},
		{"button and coupon", "ft", `{"senderkey":"S","message":"세일 안내","adflag":"Y",
			"button":[{"name":"보기","type":"WL","url_mobile":"https://example.com/m?a=1&b=2"}],
			"coupon":{"title":"10% 할인 쿠폰","description":"회원 전용","url_mobile":"https://example.com/c"}}`},
		{"coupon without a link", "ft", `{"senderkey":"S","message":"a","coupon":{"title":"배송비 할인 쿠폰","description":"회원 전용"}}`},
		{"user key and the old wide flag", "ft", `{"senderkey":"S","message":"안내","userkey":"user-1","wide":"Y","image":{"img_url":"https://img.example/w.jpg"}}`},
		{"image", "fi", `{"senderkey":"S","message":"이미지","adflag":"Y","image":{"img_url":"https://img.example/i.jpg","img_link":"https://example.com"}}`},
		{"wide image", "fw", `{"senderkey":"S","message":"와이드","adflag":"Y","image":{"img_url":"https://img.example/w.jpg"}}`},
		{"item list", "fl", `{"senderkey":"S","adflag":"Y","header":"목록","item":{"list":[` + row + `,` + row + `,` + row + `]}}`},
		{"carousel", "fc", `{"senderkey":"S","adflag":"Y","carousel":{"list":[
			{"header":"A","message":"가","attachment":{"button":[],"image":{"img_url":"https://img.example/a.jpg"}}},
			{"header":"B","message":"나","attachment":{"button":[],"image":{"img_url":"https://img.example/b.jpg"}}}],
			"tail":{"url_mobile":"https://example.com/more"}}}`},
		{"commerce", "fm", `{"senderkey":"S","adflag":"Y","image":{"img_url":"https://img.example/p.jpg"},
			"commerce":{"title":"상품","regular_price":30000,"discount_price":27000,"discount_rate":10},
			"button":[{"name":"구매","type":"WL","url_mobile":"https://example.com/m"}]}`},
		{"commerce for nothing", "fm", `{"senderkey":"S","commerce":{"title":"상품","regular_price":0,"discount_price":0,"discount_fixed":0}}`},
		{"video", "fp", `{"senderkey":"S","message":"영상","adflag":"Y","video":{"video_url":"https://tv.kakao.com/v/000000000"}}`},
		{"carousel of commerce", "fa", `{"senderkey":"S","adflag":"Y","carousel":{
			"head":{"header":"기획전","content":"여름","image_url":"https://img.example/h.jpg"},
			"list":[{"additional_content":"무료배송","attachment":{"button":[{"name":"구매","type":"WL","url_mobile":"https://example.com/p"}],
			"image":{"img_url":"https://img.example/p.jpg"},"commerce":{"title":"상품","regular_price":30000}}}]}}`},
		{"business form", "ft", `{"senderkey":"S","message":"a","button":[{"name":"b","type":"BF","biz_form_id":123}]}`},
	}
}

func TestFriendTalk_VendorForm(t *testing.T) {
	t.Parallel()
	for _, tt := range friendForms() {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			checkVendorForm(t, tt.kind, tt.vendor, func(m send.FriendTalk) send.FriendTalk {
				m.Kind = tt.kind
				return m
			})
		})
	}
}

func friendMessage(kind string) send.FriendTalk {
	m := send.FriendTalk{Kind: kind, SenderKey: "S"}
	image := &send.KakaoImage{ImgURL: "https://img.example/i.jpg"}
	switch kind {
	case "ft":
		m.Text = "안내"
	case "fi", "fw":
		m.Image = image
	case "fl":
		m.Header = "목록"
		m.Items = &send.WideItemList{List: wideItems(3)}
	case "fc":
		m.Carousel = &send.Carousel{List: []send.Card{
			{Header: "A", Text: "가", Attachment: send.Attachment{Image: image}},
			{Header: "B", Text: "나", Attachment: send.Attachment{Image: image}},
		}}
	case "fm":
		m.Commerce = &send.Commerce{Title: "상품"}
	case "fp":
		m.Video = &send.Video{VideoURL: "https://tv.kakao.com/v/1"}
	case "fa":
		m.Carousel = &send.Carousel{List: []send.Card{
			{Attachment: send.Attachment{Image: image, Commerce: &send.Commerce{Title: "상품"}}},
		}}
	}
	return m
}

func wideItems(n int) []send.WideItem {
	rows := make([]send.WideItem, n)
	for i := range rows {
		rows[i] = send.WideItem{Title: "t", ImgURL: "https://img.example/1.jpg", URLMobile: "https://example.com"}
	}
	return rows
}

func kakaoButtons(n int) []send.Button {
	buttons := make([]send.Button, n)
	for i := range buttons {
		buttons[i] = send.Button{Name: "b", Type: send.MessageDelivery}
	}
	return buttons
}

// TestFriendTalk_Kinds wants each kind to be accepted with what it requires,
// and refused without.
func TestFriendTalk_Kinds(t *testing.T) {
	t.Parallel()
	requires := map[string][]string{
		"ft": {"Text"}, "fi": {"Image"}, "fw": {"Image"}, "fl": {"Header", "Items"},
		"fc": {"Carousel"}, "fm": {"Commerce"}, "fp": {"Video"}, "fa": {"Carousel"},
	}
	for kind, fields := range requires {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			m := friendMessage(kind)
			checkFields(t, m, &m)
			m = send.FriendTalk{Kind: kind}
			checkFields(t, m, &m, append([]string{"SenderKey"}, fields...)...)
			m = send.FriendTalk{
				Kind: kind, SenderKey: "S", Text: "안내", Header: "목록",
				Image: &send.KakaoImage{ImgURL: "https://img.example/i.jpg"}, Items: &send.WideItemList{List: wideItems(3)},
				Carousel: friendMessage("fc").Carousel,
				Commerce: &send.Commerce{Title: "상품"}, Video: &send.Video{VideoURL: "https://tv.kakao.com/v/1"},
			}
			if kind == "fa" {
				m.Carousel = friendMessage("fa").Carousel
			}
			var others []string
			for field, kinds := range map[string]string{"Items": "fl", "Carousel": "fc fa", "Commerce": "fm", "Video": "fp"} {
				if !strings.Contains(kinds, kind) {
					others = append(others, field)
				}
			}
			checkFields(t, m, &m, others...)
		})
	}
}

func TestFriendTalk_Check(t *testing.T) {
	t.Parallel()
	type message = send.FriendTalk
	card := func(m *message) *send.Card { return &m.Carousel.List[len(m.Carousel.List)-1] }
	tests := []struct {
		name, kind string
		change     func(*message)
		want       []string
	}{
		{"no kind", "ft", func(m *message) { m.Kind = "" }, []string{"Kind"}},
		{"kind in upper case", "ft", func(m *message) { m.Kind = "FT" }, []string{"Kind"}},
		{"kind of another channel", "ft", func(m *message) { m.Kind = "ut" }, []string{"Kind"}},
		{"sender key at its limit", "ft", func(m *message) { m.SenderKey = hangul(40) }, nil},
		{"sender key too long", "ft", func(m *message) { m.SenderKey = hangul(41) }, []string{"SenderKey"}},
		{"text at its limit", "ft", func(m *message) { m.Text = strings.Repeat("😀", 1000) }, nil},
		{"text too long", "ft", func(m *message) { m.Text = strings.Repeat("😀", 1001) }, []string{"Text"}},
		{"user key at its limit", "ft", func(m *message) { m.UserKey = hangul(30) }, nil},
		{"user key too long", "ft", func(m *message) { m.UserKey = hangul(31) }, []string{"UserKey"}},
		{"flags", "ft", func(m *message) { m.AdFlag, m.Wide, m.Adult, m.PushAlarm = send.Yes, send.No, send.Yes, send.No }, nil},
		{"flags in lower case", "ft", func(m *message) { m.AdFlag, m.Wide, m.Adult, m.PushAlarm = "y", "n", "x", " " }, []string{"AdFlag", "Wide", "Adult", "PushAlarm"}},
		{"header at its limit", "fl", func(m *message) { m.Header = hangul(25) }, nil},
		{"header too long", "fl", func(m *message) { m.Header = hangul(26) }, []string{"Header"}},
		{"additional text at its limit", "fm", func(m *message) { m.AdditionalContent = hangul(34) }, nil},
		{"additional text too long", "fm", func(m *message) { m.AdditionalContent = hangul(35) }, []string{"AdditionalContent"}},
		{"five buttons", "ft", func(m *message) { m.Buttons = kakaoButtons(5) }, nil},
		{"six buttons", "ft", func(m *message) { m.Buttons = kakaoButtons(6) }, []string{"Buttons"}},
		{"buttons of alimtalk", "ft", func(m *message) {
			m.Buttons = []send.Button{{Name: "a", Type: send.DeliveryTrack}, {Name: "a", Type: send.SecureImage}, {Name: "채널 추가", Type: send.ChannelAdd}}
		}, []string{"Buttons[0].Type", "Buttons[1].Type", "Buttons[2].Type"}},
		{"business form of a brand message", "ft", func(m *message) {
			m.Buttons = []send.Button{{Name: "a", Type: send.BizForm, BizFormKey: 1}}
		}, []string{"Buttons[0].BizFormID"}},
		{"link button without a link", "ft", func(m *message) {
			m.Buttons = []send.Button{{Name: "a", Type: send.WebLink}}
		}, []string{"Buttons[0].URLMobile"}},
		{"image without its file", "ft", func(m *message) { m.Image = &send.KakaoImage{ImgLink: "x"} }, []string{"Image.ImgURL"}},
		{"coupon text of ft at its limit", "ft", func(m *message) { m.Coupon = &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(12)} }, nil},
		{"coupon text of ft too long", "ft", func(m *message) { m.Coupon = &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(13)} }, []string{"Coupon.Description"}},
		{"coupon text of fi too long", "fi", func(m *message) { m.Coupon = &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(13)} }, []string{"Coupon.Description"}},
		{"coupon text of fw at its limit", "fw", func(m *message) { m.Coupon = &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(18)} }, nil},
		{"coupon text of fl too long", "fl", func(m *message) { m.Coupon = &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(19)} }, []string{"Coupon.Description"}},
		{"two rows", "fl", func(m *message) { m.Items.List = wideItems(2) }, []string{"Items.List"}},
		{"four rows", "fl", func(m *message) { m.Items.List = wideItems(4) }, nil},
		{"five rows", "fl", func(m *message) { m.Items.List = wideItems(5) }, []string{"Items.List"}},
		{"row at its limit", "fl", func(m *message) { m.Items.List[2].Title = hangul(25) }, nil},
		{"row too long", "fl", func(m *message) { m.Items.List[2].Title = hangul(26) }, []string{"Items.List[2].Title"}},
		{"empty row", "fl", func(m *message) { m.Items.List[0] = send.WideItem{} }, []string{"Items.List[0].Title", "Items.List[0].ImgURL", "Items.List[0].URLMobile"}},
		{"carousel without cards", "fc", func(m *message) { m.Carousel.List = nil }, []string{"Carousel.List"}},
		{"feed with a head", "fc", func(m *message) {
			m.Carousel.Head = &send.CarouselHead{Header: "h", Content: "c", ImageURL: "u"}
		}, []string{"Carousel.Head"}},
		{"feed card without text", "fc", func(m *message) { c := card(m); c.Header, c.Text = "", "" }, []string{"Carousel.List[1].Header", "Carousel.List[1].Text"}},
		{"feed card with a product", "fc", func(m *message) {
			c := card(m)
			c.AdditionalContent, c.Attachment.Commerce = "a", &send.Commerce{Title: "t"}
		}, []string{"Carousel.List[1].AdditionalContent", "Carousel.List[1].Attachment.Commerce"}},
		{"card without a picture", "fc", func(m *message) { card(m).Attachment.Image = nil }, []string{"Carousel.List[1].Attachment.Image"}},
		{"card with an alimtalk button", "fc", func(m *message) {
			card(m).Attachment.Buttons = []send.Button{{Name: "a", Type: send.DeliveryTrack}}
		}, []string{"Carousel.List[1].Attachment.Buttons[0].Type"}},
		{"tail without a link", "fc", func(m *message) { m.Carousel.Tail = &send.Link{URLPC: "x"} }, []string{"Carousel.Tail.URLMobile"}},
		{"product card with text", "fa", func(m *message) { c := card(m); c.Header, c.Text = "h", "t" }, []string{"Carousel.List[0].Header", "Carousel.List[0].Text"}},
		{"product card without a product", "fa", func(m *message) { card(m).Attachment.Commerce = nil }, []string{"Carousel.List[0].Attachment.Commerce"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := friendMessage(tt.kind)
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

// TestFriendTalk_EmptyButtons: a card without buttons has an empty list, and
// the caller's message stays as it was.
func TestFriendTalk_EmptyButtons(t *testing.T) {
	t.Parallel()
	m := friendMessage("fc")
	_, got := richContent(t, m)
	if n := strings.Count(string(got), `"button":[]`); n != 2 {
		t.Errorf(`body has %d "button":[], want 2: %s`, n, got)
	}
	if m.Carousel.List[0].Attachment.Buttons != nil {
		t.Error("encoding changed the message")
	}
}

func TestFriendTalk_Advertises(t *testing.T) {
	t.Parallel()
	for flag, want := range map[send.Flag]bool{"": true, send.Yes: true, send.No: false} {
		c := send.FriendTalk{Kind: "ft", SenderKey: "S", Text: "a", AdFlag: flag}
		e, err := send.Encode(c)
		if err != nil {
			t.Fatalf("Encode() = %v, want nil", err)
		}
		for name, content := range map[string]send.Content{"value": c, "pointer": &c, "encoded": e} {
			if got := (send.Message{Content: content}).Advertises(); got != want {
				t.Errorf("%s: AdFlag %q: Advertises() = %v, want %v", name, flag, got, want)
			}
		}
	}
}

func TestKakao_Masked(t *testing.T) {
	t.Parallel()
	coupon := &send.Coupon{Title: "CANARY"}
	commerce := &send.Commerce{Title: "CANARY"}
	image := &send.KakaoImage{ImgLink: "CANARY"}
	video := &send.Video{VideoURL: "CANARY"}
	row := send.WideItem{Title: "CANARY"}
	list := &send.WideItemList{List: []send.WideItem{row}}
	attachment := send.Attachment{Image: image, Coupon: coupon, Commerce: commerce}
	card := send.Card{Text: "CANARY", Attachment: attachment}
	head := &send.CarouselHead{Header: "CANARY"}
	carousel := &send.Carousel{Head: head, List: []send.Card{card}}
	cardVariable := send.CardVariable{MessageVariable: map[string]string{"CANARY": "CANARY"}}
	videoVariable := &send.VideoVariable{VideoURL: "CANARY"}
	for _, v := range []any{
		coupon, *coupon, commerce, *commerce, image, *image, video, *video, row, &row, list, *list,
		attachment, &attachment, card, &card, head, *head, carousel, *carousel, cardVariable, &cardVariable, videoVariable, *videoVariable,
		send.FriendTalk{Text: "CANARY", Items: list},
		&send.FriendTalk{Carousel: carousel},
		send.BrandMessage{Text: "CANARY", CarouselVariable: []send.CardVariable{cardVariable}},
		&send.BrandMessage{Video: video},
	} {
		checkMasked(t, v)
	}
}
