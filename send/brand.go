package send

import (
	"maps"
	"slices"
)

// BrandMessage is an advertisement at KakaoTalk (브랜드 메시지, spec 2.7); the ad
// window always applies to it. A reserved one cannot be cancelled.
//
// Kind is the vendor's type: ut text, ui image, uw wide image, ul wide item
// list, uc carousel, um commerce, up premium video, ua carousel of commerce.
//
// With BrandMessageType BASIC the template of TemplateCode says what is sent:
// as it is, with the variables that the fields named …Variable fill in, or
// with the full text, which is given as in a message of type FREE.
type BrandMessage struct {
	Kind                   string `json:"-"`                                // required
	SenderKey              string `json:"senderkey"`                        // key of the sender profile, required, at most 40 characters
	BrandMessageType       string `json:"brandmessagetype"`                 // required: BASIC (template) or FREE
	SendTarget             string `json:"sendtarget"`                       // required: marketing (who consented) or friend (of the channel)
	Targeting              string `json:"targeting,omitempty"`              // with marketing, and only then: M all, N without friends, O friends only
	TemplateCode           string `json:"templatecode,omitempty"`           // with BASIC, and only then; at most 64 characters
	UnsubscribePhoneNumber string `json:"unsubscribephonenumber,omitempty"` // marketing only, at most 13 characters; none: that of the profile
	UnsubscribeAuthNumber  string `json:"unsubscribeauthnumber,omitempty"`  // only beside the phone number, at most 10 characters
	PushAlarm              Flag   `json:"pushalarm,omitempty"`              // default Yes
	Adult                  Flag   `json:"adult,omitempty"`                  // default No
	GroupTagKey            string `json:"grouptagkey,omitempty"`            // in the statistics, at most 40 characters

	MessageVariable  map[string]string `json:"messagevariable,omitempty"` // BASIC only, as all variables
	ButtonVariable   map[string]string `json:"buttonvariable,omitempty"`
	CouponVariable   map[string]string `json:"couponvariable,omitempty"` // the value ESCAPE_COUPON drops the template's coupon
	ImageVariable    []string          `json:"imagevariable,omitempty"`  // links of pictures: 1 with ui and uw, one per row with ul
	VideoVariable    *VideoVariable    `json:"videovariable,omitempty"`
	CommerceVariable map[string]string `json:"commercevariable,omitempty"` // 할인가격, 정상가격, 할인율, 정액할인가격
	CarouselVariable []CardVariable    `json:"carouselvariable,omitempty"` // the introduction first; an empty one keeps the place of a card

	Text              string        `json:"message,omitempty"`           // ut and ui: at most 1,300 characters and 99 line breaks; uw and up: 76 characters; not with other kinds
	Header            string        `json:"header,omitempty"`            // at most 20 characters; required with ul
	Buttons           []Button      `json:"button,omitempty"`            // ut, ui: at most 5, 4 with a coupon; uw, ul: 2; up: 1; um: 1 to 2; none with uc and ua
	Image             *KakaoImage   `json:"image,omitempty"`             // required with ui and uw
	Items             *WideItemList `json:"item,omitempty"`              // required with ul, and only there
	Carousel          *Carousel     `json:"carousel,omitempty"`          // required with uc and ua, and only there
	Commerce          *Commerce     `json:"commerce,omitempty"`          // required with um, and only there
	Video             *Video        `json:"video,omitempty"`             // required with up, and only there
	Coupon            *Coupon       `json:"coupon,omitempty"`            // its description has at most 18 characters with uw, ul and up, else 12
	AdditionalContent string        `json:"additionalcontent,omitempty"` // at most 34 characters, for um
}

// VideoVariable replaces the film of a template.
type VideoVariable struct {
	VideoURL     string `json:"video_url,omitempty"`     // as in [Video]
	ThumbnailURL string `json:"thumbnail_url,omitempty"` // at most 500 characters
}

// CardVariable holds the variables of one card of a template's carousel. An
// empty one keeps the place of a card that has none.
type CardVariable struct {
	MessageVariable  map[string]string `json:"messagevariable,omitempty"`
	ButtonVariable   map[string]string `json:"buttonvariable,omitempty"`
	ImageVariable    []string          `json:"imagevariable,omitempty"`
	CouponVariable   map[string]string `json:"couponvariable,omitempty"`
	CommerceVariable map[string]string `json:"commercevariable,omitempty"`
}

// Type returns Kind.
func (m BrandMessage) Type() string { return m.Kind }

// advertises reports that the ad window applies, as to every brand message.
func (BrandMessage) advertises() bool { return true }

func (m BrandMessage) appendJSON(b []byte) ([]byte, error) {
	if err := kindOf(m.Kind, brandMessage); err != nil {
		return b, err
	}
	return appendValue(b, m)
}

func (m BrandMessage) check(c *checker) {
	m.Kind = c.kind(m.Kind, "ut", "ui", "uw", "ul", "uc", "um", "up", "ua")
	c.requiredChars("SenderKey", m.SenderKey, 40)
	m.checkTarget(c)
	m.checkType(c)
	c.flag("PushAlarm", m.PushAlarm)
	c.flag("Adult", m.Adult)
	c.chars("GroupTagKey", m.GroupTagKey, 40)
	m.checkVariables(c)
	m.checkText(c)
	m.checkParts(c)
}

func (m BrandMessage) checkTarget(c *checker) {
	c.required("SendTarget", m.SendTarget)
	c.oneOf("SendTarget", m.SendTarget, "marketing", "friend")
	c.oneOf("Targeting", m.Targeting, "M", "N", "O")
	c.chars("UnsubscribePhoneNumber", m.UnsubscribePhoneNumber, 13)
	c.chars("UnsubscribeAuthNumber", m.UnsubscribeAuthNumber, 10)
	switch m.SendTarget {
	case "marketing":
		c.required("Targeting", m.Targeting)
	case "friend":
		const why = "SendTarget friend"
		c.absent("Targeting", m.Targeting != "", why)
		c.absent("UnsubscribePhoneNumber", m.UnsubscribePhoneNumber != "", why)
		c.absent("UnsubscribeAuthNumber", m.UnsubscribeAuthNumber != "", why)
	}
	if m.UnsubscribeAuthNumber != "" {
		c.required("UnsubscribePhoneNumber", m.UnsubscribePhoneNumber)
	}
}

func (m BrandMessage) checkType(c *checker) {
	c.required("BrandMessageType", m.BrandMessageType)
	c.oneOf("BrandMessageType", m.BrandMessageType, "BASIC", "FREE")
	c.chars("TemplateCode", m.TemplateCode, 64)
	switch m.BrandMessageType {
	case "BASIC":
		c.required("TemplateCode", m.TemplateCode)
	case "FREE":
		const why = "BrandMessageType FREE"
		c.absent("TemplateCode", m.TemplateCode != "", why)
		c.absent("MessageVariable", len(m.MessageVariable) != 0, why)
		c.absent("ButtonVariable", len(m.ButtonVariable) != 0, why)
		c.absent("CouponVariable", len(m.CouponVariable) != 0, why)
		c.absent("ImageVariable", len(m.ImageVariable) != 0, why)
		c.absent("VideoVariable", m.VideoVariable != nil, why)
		c.absent("CommerceVariable", len(m.CommerceVariable) != 0, why)
		c.absent("CarouselVariable", len(m.CarouselVariable) != 0, why)
	}
}

// hasText reports whether any part of the full text is given, and
// hasVariables whether any variable is.
func (m BrandMessage) hasText() bool {
	return m.Text+m.Header+m.AdditionalContent != "" || len(m.Buttons) != 0 || m.Image != nil || m.Items != nil ||
		m.Carousel != nil || m.Commerce != nil || m.Video != nil || m.Coupon != nil
}

func (m BrandMessage) hasVariables() bool {
	return len(m.MessageVariable)+len(m.ButtonVariable)+len(m.CouponVariable)+len(m.ImageVariable)+
		len(m.CommerceVariable)+len(m.CarouselVariable) != 0 || m.VideoVariable != nil
}

// full reports whether the text must be complete: always with FREE, and with
// BASIC if it is given in place of variables.
func (m BrandMessage) full() bool {
	return m.BrandMessageType == "FREE" || m.hasText() && !m.hasVariables()
}

func (m BrandMessage) checkVariables(c *checker) {
	card := CardVariable{m.MessageVariable, m.ButtonVariable, m.ImageVariable, m.CouponVariable, m.CommerceVariable}
	card.check(c)
	switch n := len(m.ImageVariable); {
	case n != 0 && (m.Kind == "ui" || m.Kind == "uw"):
		c.count("ImageVariable", n, 1, 1)
	case n != 0 && m.Kind == "ul":
		c.count("ImageVariable", n, 3, 5)
	}
	if v := m.VideoVariable; v != nil {
		in := c.in("VideoVariable")
		if v.VideoURL != "" {
			(&Video{VideoURL: v.VideoURL}).check(in)
		}
		in.chars("ThumbnailURL", v.ThumbnailURL, 500)
	}
	c.count("CarouselVariable", len(m.CarouselVariable), 0, 7)
	for i := range m.CarouselVariable {
		m.CarouselVariable[i].check(c.item("CarouselVariable", i))
	}
}

func (v *CardVariable) check(c *checker) {
	c.variables("MessageVariable", v.MessageVariable)
	c.variables("ButtonVariable", v.ButtonVariable)
	c.variables("CouponVariable", v.CouponVariable)
	c.variables("CommerceVariable", v.CommerceVariable)
	for _, url := range v.ImageVariable {
		c.requiredChars("ImageVariable", url, maxURL)
	}
	for name := range v.CommerceVariable {
		if !slices.Contains([]string{"할인가격", "정상가격", "할인율", "정액할인가격"}, name) {
			c.add("CommerceVariable", "names are 할인가격, 정상가격, 할인율 and 정액할인가격")
			return
		}
	}
}

func (c *checker) variables(field string, v map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		c.required(field, name)
		c.utf8(field, name)
		c.utf8(field, v[name])
	}
}

func (m BrandMessage) checkText(c *checker) {
	switch m.Kind {
	case "ut", "ui":
		c.chars("Text", m.Text, 1300)
		c.lineBreaks("Text", m.Text, 99)
	case "uw", "up":
		c.chars("Text", m.Text, 76)
	case "ul", "uc", "um", "ua":
		c.absent("Text", m.Text != "", "kind "+m.Kind)
	default:
		c.utf8("Text", m.Text)
	}
	c.chars("Header", m.Header, 20)
	c.chars("AdditionalContent", m.AdditionalContent, 34)
	if !m.full() {
		return
	}
	switch m.Kind {
	case "ut":
		c.required("Text", m.Text)
	case "ul":
		c.required("Header", m.Header)
	case "um":
		if len(m.Buttons) == 0 {
			c.add("Buttons", "required")
		}
	}
}

func (m BrandMessage) checkParts(c *checker) {
	full := m.full()
	if m.Image == nil && full && (m.Kind == "ui" || m.Kind == "uw") {
		c.add("Image", "required")
	}
	c.part("Items", m.Items != nil, full, m.Kind, "ul")
	c.part("Carousel", m.Carousel != nil, full, m.Kind, "uc", "ua")
	c.part("Commerce", m.Commerce != nil, full, m.Kind, "um")
	c.part("Video", m.Video != nil, full, m.Kind, "up")

	buttons := buttonRules{most: 5, brand: true, channel: m.Targeting == "M" || m.Targeting == "N"}
	if m.Carousel != nil {
		m.Carousel.check(c.in("Carousel"), m.Kind, buttons)
	}
	switch m.Kind {
	case "ut", "ui":
		if m.Coupon != nil {
			buttons.most = 4
		}
	case "uw", "ul", "um":
		buttons.most = 2
	case "up":
		buttons.most = 1
	case "uc", "ua":
		c.absent("Buttons", len(m.Buttons) != 0, "kind "+m.Kind)
	}
	buttons.check(c, m.Buttons)
	if m.Image != nil {
		m.Image.check(c.in("Image"))
	}
	if m.Items != nil {
		m.Items.check(c.in("Items"), 5, true)
	}
	if m.Commerce != nil {
		m.Commerce.check(c.in("Commerce"))
	}
	if m.Video != nil {
		m.Video.check(c.in("Video"))
	}
	if m.Coupon != nil {
		limit := 12
		if m.Kind == "uw" || m.Kind == "ul" || m.Kind == "up" {
			limit = 18
		}
		m.Coupon.check(c.in("Coupon"), limit, true)
	}
}
