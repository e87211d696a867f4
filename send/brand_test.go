package send_test

import (
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func TestBrandMessage_VendorForm(t *testing.T) {
	t.Parallel()
	const (
		free  = `"senderkey":"S","brandmessagetype":"FREE","sendtarget":"friend"`
		basic = `"senderkey":"S","brandmessagetype":"BASIC","sendtarget":"marketing","targeting":"M","templatecode":"T1"`
		row   = `{"title":"1","img_url":"https://img.example/1.jpg","url_mobile":"https://example.com/1"}`
	)
	tests := []struct{ name, kind, vendor string }{
		{"text", "ut", `{` + free + `,"message":"소식"}`},
		{"text with a button", "ut", `{` + free + `,"message":"소식","button":[{"name":"보기","type":"WL","url_mobile":"https://example.com/m"}]}`},
		{"image", "ui", `{` + free + `,"message":"소식","image":{"img_url":"https://img.example/i.jpg","img_link":"https://example.com"}}`},
		{"wide image with a coupon", "uw", `{` + free + `,"message":"소식","image":{"img_url":"https://img.example/w.jpg"},
			"coupon":{"title":"배송비 할인 쿠폰","description":"이번 주","url_mobile":"https://example.com/c"}}`},
		{"coupon of the channel", "ut", `{` + free + `,"message":"소식","coupon":{"title":"첫구매 무료 쿠폰","description":"이번 주","scheme_android":"alimtalk=coupon://x"}}`},
		{"item list", "ul", `{` + free + `,"header":"목록","item":{"list":[` + row + `,` + row + `,` + row + `,` + row + `,` + row + `]}}`},
		{"item list, first row without a title", "ul", `{` + free + `,"header":"목록","item":{"list":[
			{"img_url":"https://img.example/1.jpg","url_mobile":"https://example.com/1"},` + row + `,` + row + `]}}`},
		{"carousel", "uc", `{` + free + `,"carousel":{"list":[
			{"header":"A","message":"가","attachment":{"image":{"img_url":"https://img.example/a.jpg"},"button":[{"name":"보기","type":"WL","url_mobile":"https://example.com"}]}},
			{"header":"B","message":"나","attachment":{"image":{"img_url":"https://img.example/b.jpg"},"button":[]}}]}}`},
		{"additional text", "um", `{` + free + `,"image":{"img_url":"https://img.example/p.jpg"},"commerce":{"title":"상품","regular_price":30000},
			"additionalcontent":"무료배송","button":[{"name":"구매","type":"WL","url_mobile":"https://example.com/m"}]}`},
		{"video", "up", `{` + free + `,"header":"h","message":"m","video":{"video_url":"https://tv.kakao.com/channel/1/cliplink/2","thumbnail_url":"https://img.example/t.jpg"}}`},
		{"carousel of commerce", "ua", `{` + free + `,"carousel":{"head":{"header":"기획전","content":"여름","image_url":"https://img.example/h.jpg"},
			"list":[{"additional_content":"무료배송","attachment":{"image":{"img_url":"https://img.example/1.jpg"},"commerce":{"title":"상품","regular_price":3000},
			"button":[{"name":"구매","type":"WL","url_mobile":"https://example.com/m"}]}}],"tail":{"url_mobile":"https://example.com/more"}}}`},
		{"business form", "ut", `{` + free + `,"message":"m","button":[{"name":"b","type":"BF","biz_form_key":123}]}`},
		{"template as it is", "ut", `{"senderkey":"S","brandmessagetype":"BASIC","sendtarget":"marketing","targeting":"N","templatecode":"T2",
			"unsubscribephonenumber":"080-000-0000","unsubscribeauthnumber":"1234","grouptagkey":"g1","pushalarm":"N","adult":"Y"}`},
		{"template of each kind as it is", "um", `{` + basic + `}`},
		{"variables", "um", `{` + basic + `,"commercevariable":{"정상가격":"30000","할인가격":"27000","할인율":"10"},"buttonvariable":{"링크":"example.com"}}`},
		{"variables of text, coupon, image", "ui", `{` + basic + `,"messagevariable":{"이름":"홍길동"},"couponvariable":{"쿠폰":"ESCAPE_COUPON"},"imagevariable":["https://img.example/1.jpg"]}`},
		{"variables of a list", "ul", `{` + basic + `,"imagevariable":["https://img.example/1.jpg","https://img.example/2.jpg","https://img.example/3.jpg"]}`},
		{"variables of a film", "up", `{` + basic + `,"videovariable":{"video_url":"https://tv.kakao.com/v/1","thumbnail_url":"https://img.example/t.jpg"}}`},
		{"variables of cards", "ua", `{` + basic + `,"carouselvariable":[{},{"messagevariable":{"a":"b"},"imagevariable":["https://img.example/1.jpg"]},{"commercevariable":{"정액할인가격":"1"},"buttonvariable":{"a":""},"couponvariable":{"a":"b"}}]}`},
		{"template with its full text", "ut", `{` + basic + `,"message":"소식","button":[{"name":"채널 추가","type":"AC"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			checkVendorForm(t, tt.kind, tt.vendor, func(m send.BrandMessage) send.BrandMessage {
				m.Kind = tt.kind
				return m
			})
		})
	}
}

// brandMessage is a FREE message of kind with what it requires.
func brandMessage(kind string) send.BrandMessage {
	m := send.BrandMessage{Kind: kind, SenderKey: "S", BrandMessageType: "FREE", SendTarget: "friend"}
	f := friendMessage("f" + kind[1:])
	m.Text, m.Header, m.Image, m.Items, m.Commerce, m.Video, m.Carousel = f.Text, f.Header, f.Image, f.Items, f.Commerce, f.Video, f.Carousel
	switch kind {
	case "um":
		m.Buttons = kakaoButtons(1)
	case "ua":
		m.Carousel.List = append(m.Carousel.List, m.Carousel.List[0])
	}
	return m
}

func TestBrandMessage_Kinds(t *testing.T) {
	t.Parallel()
	requires := map[string][]string{
		"ut": {"Text"}, "ui": {"Image"}, "uw": {"Image"}, "ul": {"Header", "Items"},
		"uc": {"Carousel"}, "um": {"Commerce", "Buttons"}, "up": {"Video"}, "ua": {"Carousel"},
	}
	for kind, fields := range requires {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			m := brandMessage(kind)
			checkFields(t, m, &m)
			m = send.BrandMessage{Kind: kind, SenderKey: "S", BrandMessageType: "FREE", SendTarget: "friend"}
			checkFields(t, m, &m, fields...)
			m.BrandMessageType, m.TemplateCode = "BASIC", "T"
			checkFields(t, m, &m)
			m = send.BrandMessage{
				Kind: kind, SenderKey: "S", BrandMessageType: "FREE", SendTarget: "friend", Text: "t", Header: "h", Buttons: kakaoButtons(1),
				Image: &send.KakaoImage{ImgURL: "https://img.example/i.jpg"}, Items: &send.WideItemList{List: wideItems(3)},
				Carousel: brandMessage("uc").Carousel, Commerce: &send.Commerce{Title: "상품"}, Video: &send.Video{VideoURL: "https://tv.kakao.com/v/1"},
			}
			if kind == "ua" {
				m.Carousel = brandMessage("ua").Carousel
			}
			var others []string
			for field, kinds := range map[string]string{
				"Text": "ut ui uw up", "Buttons": "ut ui uw ul um up", "Items": "ul", "Carousel": "uc ua", "Commerce": "um", "Video": "up",
			} {
				if !strings.Contains(kinds, kind) {
					others = append(others, field)
				}
			}
			checkFields(t, m, &m, others...)
		})
	}
}

func TestBrandMessage_Target(t *testing.T) {
	t.Parallel()
	type message = send.BrandMessage
	marketing := func(m *message) { m.SendTarget, m.Targeting = "marketing", "M" }
	channel := []send.Button{{Name: "채널 추가", Type: send.ChannelAdd}}
	tests := []struct {
		name   string
		change func(*message)
		want   []string
	}{
		{"nothing set", func(m *message) { *m = message{} }, []string{"Kind", "SenderKey", "BrandMessageType", "SendTarget"}},
		{"unknown kind", func(m *message) { m.Kind = "ft" }, []string{"Kind"}},
		{"unknown type", func(m *message) { m.BrandMessageType = "free" }, []string{"BrandMessageType"}},
		{"unknown target", func(m *message) { m.SendTarget = "all" }, []string{"SendTarget"}},
		{"marketing without targeting", func(m *message) { m.SendTarget = "marketing" }, []string{"Targeting"}},
		{"marketing M", marketing, nil},
		{"marketing N", func(m *message) { marketing(m); m.Targeting = "N" }, nil},
		{"marketing O", func(m *message) { marketing(m); m.Targeting = "O" }, nil},
		{"marketing I", func(m *message) { marketing(m); m.Targeting = "I" }, []string{"Targeting"}},
		{"friends with targeting", func(m *message) { m.Targeting = "M" }, []string{"Targeting"}},
		{"friends with unsubscribe number", func(m *message) { m.UnsubscribePhoneNumber, m.UnsubscribeAuthNumber = "1", "2" }, []string{"UnsubscribePhoneNumber", "UnsubscribeAuthNumber"}},
		{"unsubscribe at its limits", func(m *message) {
			marketing(m)
			m.UnsubscribePhoneNumber, m.UnsubscribeAuthNumber = strings.Repeat("0", 13), strings.Repeat("0", 10)
		}, nil},
		{"unsubscribe too long", func(m *message) {
			marketing(m)
			m.UnsubscribePhoneNumber, m.UnsubscribeAuthNumber = strings.Repeat("0", 14), strings.Repeat("0", 11)
		}, []string{"UnsubscribePhoneNumber", "UnsubscribeAuthNumber"}},
		{"unsubscribe code alone", func(m *message) { marketing(m); m.UnsubscribeAuthNumber = "1234" }, []string{"UnsubscribePhoneNumber"}},
		{"template with FREE", func(m *message) { m.TemplateCode = "T" }, []string{"TemplateCode"}},
		{"BASIC without template", func(m *message) { m.BrandMessageType = "BASIC" }, []string{"TemplateCode"}},
		{"template code at its limit", func(m *message) { m.BrandMessageType, m.TemplateCode = "BASIC", hangul(64) }, nil},
		{"template code too long", func(m *message) { m.BrandMessageType, m.TemplateCode = "BASIC", hangul(65) }, []string{"TemplateCode"}},
		{"flags", func(m *message) { m.PushAlarm, m.Adult = send.No, send.Yes }, nil},
		{"flags in lower case", func(m *message) { m.PushAlarm, m.Adult = "n", "y" }, []string{"PushAlarm", "Adult"}},
		{"group at its limit", func(m *message) { m.GroupTagKey = hangul(40) }, nil},
		{"group too long", func(m *message) { m.GroupTagKey = hangul(41) }, []string{"GroupTagKey"}},
		{"channel button to friends", func(m *message) { m.Buttons = channel }, []string{"Buttons[0].Type"}},
		{"channel button, M", func(m *message) { marketing(m); m.Buttons = channel }, nil},
		{"channel button, N", func(m *message) { marketing(m); m.Targeting, m.Buttons = "N", channel }, nil},
		{"channel button, O", func(m *message) { marketing(m); m.Targeting, m.Buttons = "O", channel }, []string{"Buttons[0].Type"}},
		{"channel button of another name", func(m *message) {
			marketing(m)
			m.Buttons = []send.Button{{Name: "추가", Type: send.ChannelAdd}}
		}, []string{"Buttons[0].Name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := brandMessage("ut")
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

func TestBrandMessage_Variables(t *testing.T) {
	t.Parallel()
	type message = send.BrandMessage
	one := map[string]string{"a": "b"}
	links := func(n int) []string { return strings.Split(strings.Repeat("u", n), "")[:n] }
	tests := []struct {
		name, kind string
		change     func(*message)
		want       []string
	}{
		{"with FREE", "ut", func(m *message) {
			*m = brandMessage("ut")
			m.MessageVariable, m.ButtonVariable, m.CouponVariable, m.ImageVariable = one, one, one, links(1)
			m.VideoVariable, m.CommerceVariable, m.CarouselVariable = &send.VideoVariable{}, map[string]string{"할인율": "1"}, make([]send.CardVariable, 1)
		}, []string{"MessageVariable", "ButtonVariable", "CouponVariable", "ImageVariable", "VideoVariable", "CommerceVariable", "CarouselVariable"}},
		{"nameless", "ut", func(m *message) { m.MessageVariable = map[string]string{"": "x"} }, []string{"MessageVariable"}},
		{"not UTF-8", "ut", func(m *message) { m.ButtonVariable = map[string]string{"a": "\xff"} }, []string{"ButtonVariable"}},
		{"two pictures", "ui", func(m *message) { m.ImageVariable = links(2) }, []string{"ImageVariable"}},
		{"two rows", "ul", func(m *message) { m.ImageVariable = links(2) }, []string{"ImageVariable"}},
		{"five rows", "ul", func(m *message) { m.ImageVariable = links(5) }, nil},
		{"six rows", "ul", func(m *message) { m.ImageVariable = links(6) }, []string{"ImageVariable"}},
		{"empty link", "ui", func(m *message) { m.ImageVariable = []string{""} }, []string{"ImageVariable"}},
		{"foreign film", "up", func(m *message) { m.VideoVariable = &send.VideoVariable{VideoURL: "https://youtu.be/1"} }, []string{"VideoVariable.VideoURL"}},
		{"thumbnail alone", "up", func(m *message) { m.VideoVariable = &send.VideoVariable{ThumbnailURL: "u"} }, nil},
		{"price of another name", "um", func(m *message) { m.CommerceVariable = one }, []string{"CommerceVariable"}},
		{"seven cards", "ua", func(m *message) { m.CarouselVariable = make([]send.CardVariable, 7) }, nil},
		{"eight cards", "ua", func(m *message) { m.CarouselVariable = make([]send.CardVariable, 8) }, []string{"CarouselVariable"}},
		{"price of another name on a card", "ua", func(m *message) {
			m.CarouselVariable = []send.CardVariable{{}, {CommerceVariable: one}}
		}, []string{"CarouselVariable[1].CommerceVariable"}},
		{"full text that is not full", "ul", func(m *message) { m.Items = &send.WideItemList{List: wideItems(3)} }, []string{"Header"}},
		{"text beside variables", "ul", func(m *message) { m.MessageVariable, m.Items = one, &send.WideItemList{List: wideItems(3)} }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message{Kind: tt.kind, SenderKey: "S", BrandMessageType: "BASIC", SendTarget: "friend", TemplateCode: "T"}
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

func TestBrandMessage_Text(t *testing.T) {
	t.Parallel()
	type message = send.BrandMessage
	coupon := func(n int) *send.Coupon {
		return &send.Coupon{Title: "배송비 할인 쿠폰", Description: hangul(n), URLMobile: "u"}
	}
	cards := func(m *message, n int) {
		for len(m.Carousel.List) < n {
			m.Carousel.List = append(m.Carousel.List, m.Carousel.List[0])
		}
		m.Carousel.List = m.Carousel.List[:n]
	}
	head := &send.CarouselHead{Header: hangul(20), Content: hangul(50), ImageURL: "u", URLMobile: "u", SchemeIOS: "s"}
	tests := []struct {
		name, kind string
		change     func(*message)
		want       []string
	}{
		{"text at its limit", "ut", func(m *message) { m.Text = strings.Repeat("😀", 1300) }, nil},
		{"text too long", "ut", func(m *message) { m.Text = strings.Repeat("😀", 1301) }, []string{"Text"}},
		{"99 line breaks", "ui", func(m *message) { m.Text = strings.Repeat("\n", 99) }, nil},
		{"100 line breaks", "ui", func(m *message) { m.Text = strings.Repeat("\n", 100) }, []string{"Text"}},
		{"wide text at its limit", "uw", func(m *message) { m.Text = hangul(76) }, nil},
		{"wide text too long", "uw", func(m *message) { m.Text = hangul(77) }, []string{"Text"}},
		{"video text too long", "up", func(m *message) { m.Text = hangul(77) }, []string{"Text"}},
		{"header at its limit", "ul", func(m *message) { m.Header = hangul(20) }, nil},
		{"header too long", "ul", func(m *message) { m.Header = hangul(21) }, []string{"Header"}},
		{"additional text at its limit", "um", func(m *message) { m.AdditionalContent = hangul(34) }, nil},
		{"additional text too long", "um", func(m *message) { m.AdditionalContent = hangul(35) }, []string{"AdditionalContent"}},
		{"five buttons", "ut", func(m *message) { m.Buttons = kakaoButtons(5) }, nil},
		{"six buttons", "ut", func(m *message) { m.Buttons = kakaoButtons(6) }, []string{"Buttons"}},
		{"four buttons and a coupon", "ui", func(m *message) { m.Buttons, m.Coupon = kakaoButtons(4), coupon(1) }, nil},
		{"five buttons and a coupon", "ui", func(m *message) { m.Buttons, m.Coupon = kakaoButtons(5), coupon(1) }, []string{"Buttons"}},
		{"wide, two buttons", "uw", func(m *message) { m.Buttons = kakaoButtons(2) }, nil},
		{"wide, three buttons", "uw", func(m *message) { m.Buttons = kakaoButtons(3) }, []string{"Buttons"}},
		{"list, three buttons", "ul", func(m *message) { m.Buttons = kakaoButtons(3) }, []string{"Buttons"}},
		{"video, one button", "up", func(m *message) { m.Buttons = kakaoButtons(1) }, nil},
		{"video, two buttons", "up", func(m *message) { m.Buttons = kakaoButtons(2) }, []string{"Buttons"}},
		{"commerce, two buttons", "um", func(m *message) { m.Buttons = kakaoButtons(2) }, nil},
		{"commerce, three buttons", "um", func(m *message) { m.Buttons = kakaoButtons(3) }, []string{"Buttons"}},
		{"link at its limit", "ut", func(m *message) {
			m.Buttons = []send.Button{{Name: "b", Type: send.WebLink, URLMobile: strings.Repeat("u", 1000)}}
		}, nil},
		{"link too long", "ut", func(m *message) {
			m.Buttons = []send.Button{{Name: "b", Type: send.WebLink, URLMobile: strings.Repeat("u", 1001)}}
		}, []string{"Buttons[0].URLMobile"}},
		{"buttons of alimtalk", "ut", func(m *message) {
			m.Buttons = []send.Button{{Name: "a", Type: send.DeliveryTrack}, {Name: "a", Type: send.PhoneCall, TelNumber: "1"}}
		}, []string{"Buttons[0].Type", "Buttons[1].Type"}},
		{"business form of alimtalk", "ut", func(m *message) {
			m.Buttons = []send.Button{{Name: "a", Type: send.BizForm, BizFormID: 1}}
		}, []string{"Buttons[0].BizFormKey"}},
		{"image link at its limit", "ui", func(m *message) { m.Image = &send.KakaoImage{ImgURL: "u", ImgLink: strings.Repeat("u", 1000)} }, nil},
		{"image link too long", "ui", func(m *message) { m.Image = &send.KakaoImage{ImgURL: "u", ImgLink: strings.Repeat("u", 1001)} }, []string{"Image.ImgLink"}},
		{"coupon text at its limit", "ut", func(m *message) { m.Coupon = coupon(12) }, nil},
		{"coupon text too long", "ut", func(m *message) { m.Coupon = coupon(13) }, []string{"Coupon.Description"}},
		{"wide coupon text at its limit", "uw", func(m *message) { m.Coupon = coupon(18) }, nil},
		{"wide coupon text too long", "ul", func(m *message) { m.Coupon = coupon(19) }, []string{"Coupon.Description"}},
		{"coupon without a link", "ut", func(m *message) { m.Coupon = coupon(1); m.Coupon.URLMobile = "" }, []string{"Coupon.URLMobile"}},
		{"two rows", "ul", func(m *message) { m.Items.List = wideItems(2) }, []string{"Items.List"}},
		{"five rows", "ul", func(m *message) { m.Items.List = wideItems(5) }, nil},
		{"six rows", "ul", func(m *message) { m.Items.List = wideItems(6) }, []string{"Items.List"}},
		{"rows at their limits", "ul", func(m *message) { m.Items.List[0].Title, m.Items.List[1].Title = hangul(25), hangul(29)+"\n" }, nil},
		{"rows too long", "ul", func(m *message) { m.Items.List[0].Title, m.Items.List[1].Title = hangul(26), hangul(31) }, []string{"Items.List[0].Title", "Items.List[1].Title"}},
		{"row of three lines", "ul", func(m *message) { m.Items.List[1].Title = "a\nb\nc" }, []string{"Items.List[1].Title"}},
		{"second row without a title", "ul", func(m *message) { m.Items.List[1].Title = "" }, []string{"Items.List[1].Title"}},
		{"one card", "uc", func(m *message) { cards(m, 1) }, []string{"Carousel.List"}},
		{"six cards", "uc", func(m *message) { cards(m, 6) }, nil},
		{"seven cards", "uc", func(m *message) { cards(m, 7) }, []string{"Carousel.List"}},
		{"feed with a head", "uc", func(m *message) { m.Carousel.Head = head }, []string{"Carousel.Head"}},
		{"one product", "ua", func(m *message) { cards(m, 1) }, []string{"Carousel.List"}},
		{"one product behind a head", "ua", func(m *message) { cards(m, 1); m.Carousel.Head = head }, nil},
		{"seven products behind a head", "ua", func(m *message) { cards(m, 7); m.Carousel.Head = head }, []string{"Carousel.List"}},
		{"head too long", "ua", func(m *message) {
			m.Carousel.Head = &send.CarouselHead{Header: hangul(21), Content: hangul(51), ImageURL: "u", URLPC: "u"}
		}, []string{"Carousel.Head.Header", "Carousel.Head.Content", "Carousel.Head.URLMobile"}},
		{"empty head", "ua", func(m *message) { m.Carousel.Head = &send.CarouselHead{} }, []string{"Carousel.Head.Header", "Carousel.Head.Content", "Carousel.Head.ImageURL"}},
		{"card at its limits", "uc", func(m *message) {
			c := &m.Carousel.List[1]
			c.Header, c.Text, c.AdditionalContent = hangul(20), hangul(170)+strings.Repeat("\n", 10), hangul(34)
			c.Attachment.Coupon = coupon(12)
		}, nil},
		{"card too long", "uc", func(m *message) {
			c := &m.Carousel.List[1]
			c.Header, c.Text, c.AdditionalContent = hangul(21), hangul(181), hangul(35)
			c.Attachment.Coupon = coupon(13)
		}, []string{"Carousel.List[1].Header", "Carousel.List[1].Text", "Carousel.List[1].AdditionalContent", "Carousel.List[1].Attachment.Coupon.Description"}},
		{"card of twelve lines", "uc", func(m *message) { m.Carousel.List[1].Text = strings.Repeat("\n", 11) }, []string{"Carousel.List[1].Text"}},
		{"two channel buttons in a carousel", "uc", func(m *message) {
			m.SendTarget, m.Targeting = "marketing", "M"
			for i := range m.Carousel.List {
				m.Carousel.List[i].Attachment.Buttons = []send.Button{{Name: "채널 추가", Type: send.ChannelAdd}}
			}
		}, []string{"Carousel.List[1].Attachment.Buttons[0].Type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := brandMessage(tt.kind)
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

func TestCoupon_Title(t *testing.T) {
	t.Parallel()
	tests := []struct {
		title string
		ok    bool
	}{
		{"1원 할인 쿠폰", true},
		{"99999999원 할인 쿠폰", true},
		{"99,999,999원 할인 쿠폰", true},
		{"0원 할인 쿠폰", false},
		{"100000000원 할인 쿠폰", false},
		{"1,00원 할인 쿠폰", false},
		{",100원 할인 쿠폰", false},
		{"원 할인 쿠폰", false},
		{"-1원 할인 쿠폰", false},
		{"+1원 할인 쿠폰", false},
		{"010원 할인 쿠폰", false},
		{"천원 할인 쿠폰", false},
		{"1% 할인 쿠폰", true},
		{"100% 할인 쿠폰", true},
		{"0% 할인 쿠폰", false},
		{"101% 할인 쿠폰", false},
		{"배송비 할인 쿠폰", true},
		{"배송비 할인 쿠폰 ", false},
		{"할인 쿠폰", false},
		{"일이삼사오육칠 무료 쿠폰", true},
		{"일이삼사오육칠팔 무료 쿠폰", false},
		{" 무료 쿠폰", false},
		{"포인트 UP 쿠폰", true},
		{"일이삼사오육칠팔 UP 쿠폰", false},
		{"포인트 up 쿠폰", false},
		{"", false},
	}
	for _, tt := range tests {
		t.Run(tt.title, func(t *testing.T) {
			t.Parallel()
			m := brandMessage("ut")
			m.Coupon = &send.Coupon{Title: tt.title, Description: "d", URLMobile: "u"}
			var want []string
			if !tt.ok {
				want = []string{"Coupon.Title"}
			}
			checkFields(t, m, &m, want...)
		})
	}
}

func TestCommerce_Check(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		c    send.Commerce
		want []string
	}{
		{"nothing", send.Commerce{}, []string{"Commerce.Title"}},
		{"at its limits", send.Commerce{
			Title: hangul(30), RegularPrice: 99_999_999, DiscountPrice: new(99_999_999), DiscountRate: new(100), DiscountFixed: new(999_999),
		}, nil},
		{"too much", send.Commerce{
			Title: hangul(31), RegularPrice: 100_000_000, DiscountPrice: new(100_000_000), DiscountRate: new(101), DiscountFixed: new(1_000_000),
		}, []string{"Commerce.Title", "Commerce.RegularPrice", "Commerce.DiscountPrice", "Commerce.DiscountRate", "Commerce.DiscountFixed"}},
		{"free of charge", send.Commerce{Title: "t", DiscountPrice: new(0), DiscountRate: new(0)}, nil},
		{"too little", send.Commerce{
			Title: "t", RegularPrice: -1, DiscountPrice: new(-1), DiscountRate: new(-1), DiscountFixed: new(-1),
		}, []string{"Commerce.RegularPrice", "Commerce.DiscountPrice", "Commerce.DiscountRate", "Commerce.DiscountFixed"}},
		{"price alone", send.Commerce{Title: "t", DiscountPrice: new(1)}, []string{"Commerce.DiscountRate"}},
		{"price and fixed", send.Commerce{Title: "t", DiscountPrice: new(1), DiscountFixed: new(1)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := brandMessage("um")
			m.Commerce = &tt.c
			checkFields(t, m, &m, tt.want...)
		})
	}
}

func TestVideo_URL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url string
		ok  bool
	}{
		{"https://tv.kakao.com/v/123", true},
		{"https://tv.kakao.com/channel/1/cliplink/2", true},
		{"https://tv.kakao.com/v/" + strings.Repeat("1", 477), true},
		{"https://tv.kakao.com/v/" + strings.Repeat("1", 478), false},
		{"", false},
		{"http://tv.kakao.com/v/123", false},
		{"https://tv.kakao.com/v/", false},
		{"https://tv.kakao.com/v/123/4", false},
		{"https://tv.kakao.com/channel/1/cliplink/", false},
		{"https://tv.kakao.com/channel//cliplink/2", false},
		{"https://tv.kakao.com/v/1?x", false},
		{"https://youtu.be/v/123", false},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			m := brandMessage("up")
			m.Video = &send.Video{VideoURL: tt.url, ThumbnailURL: strings.Repeat("u", 500)}
			var want []string
			if !tt.ok {
				want = []string{"Video.VideoURL"}
			}
			checkFields(t, m, &m, want...)
		})
	}
	m := brandMessage("up")
	m.Video.ThumbnailURL = strings.Repeat("u", 501)
	checkFields(t, m, &m, "Video.ThumbnailURL")
}

func TestBrandMessage_Advertises(t *testing.T) {
	t.Parallel()
	c := brandMessage("ut")
	e, err := send.Encode(c)
	if err != nil {
		t.Fatalf("Encode() = %v, want nil", err)
	}
	for name, content := range map[string]send.Content{"value": c, "pointer": &c, "encoded": e} {
		if !(send.Message{Content: content}).Advertises() {
			t.Errorf("%s: Advertises() = false, want true", name)
		}
	}
}
