package send

import (
	"maps"
	"slices"
	"time"
)

// TalkTalk is a Naver TalkTalk message (네이버 톡톡, type ntalk, spec 2.8b). It
// is sent at once, so a Message.At is refused; it has no fallback and does not go
// abroad.
type TalkTalk struct {
	PartnerID    string         `json:"partnerid"`              // required, at most 40 characters
	PartnerKey   string         `json:"partnerkey,omitempty"`   // at most 64; this or GroupKey is required (result code 5104)
	ProductCode  string         `json:"productcode"`            // required: INFORMATION, BENEFIT or CARDINFO
	TemplateCode string         `json:"templatecode"`           // required, at most 64 characters
	TemplateType string         `json:"templatetype,omitempty"` // ID, IG, IT (information), BD, BM, BC, BL (benefit) or CT (card)
	UserName     string         `json:"username,omitempty"`     // at most 5 characters
	GroupKey     string         `json:"groupkey,omitempty"`     // at most 30 characters
	Text         string         `json:"message,omitempty"`      // for templates of fixed text, at most 2048 characters
	Extra        *TalkTalkExtra `json:"extra,omitempty"`
}

// TalkTalkExtra fills in the template of a [TalkTalk].
type TalkTalkExtra struct {
	TemplateParams map[string]string   `json:"templateParams,omitempty"` // name to value of at most 150 characters
	Attachment     *TalkTalkAttachment `json:"attachment,omitempty"`
}

// TalkTalkAttachment is what a [TalkTalk] carries beside its text.
type TalkTalkAttachment struct {
	ImageURL    string           `json:"imageUrl,omitempty"`
	ImageHashID string           `json:"imageHashId,omitempty"` // at most 64 characters
	Buttons     []TalkTalkButton `json:"buttons,omitempty"`     // at most 5
	Gift        *TalkTalkGift    `json:"gift,omitempty"`
}

// TalkTalkButton gives a button of the template its links.
type TalkTalkButton struct {
	ButtonCode   string `json:"buttonCode"` // required
	PCURL        string `json:"pcUrl,omitempty"`
	MobileURL    string `json:"mobileUrl,omitempty"`
	AOSAppScheme string `json:"aOsAppScheme,omitempty"`
	IOSAppScheme string `json:"iOsAppScheme,omitempty"`
}

// TalkTalkGift holds the gift of a [TalkTalkAttachment].
type TalkTalkGift struct {
	Coupon *TalkTalkCoupon `json:"coupon,omitempty"` // required
}

// TalkTalkCoupon is a coupon that a [TalkTalk] gives away.
type TalkTalkCoupon struct {
	Code      string `json:"code"`    // required
	EndDate   string `json:"endDate"` // required: last day, such as "2024-04-10"
	Name      string `json:"name,omitempty"`
	Publisher string `json:"publisher,omitempty"`
	ImageURL  string `json:"imageUrl,omitempty"`
}

// Type returns "ntalk".
func (TalkTalk) Type() string { return "ntalk" }

func (t TalkTalk) appendJSON(b []byte) ([]byte, error) { return appendValue(b, t) }

func (t TalkTalk) check(c *checker) {
	c.requiredChars("PartnerID", t.PartnerID, 40)
	if t.GroupKey == "" {
		c.required("PartnerKey", t.PartnerKey)
	}
	c.chars("PartnerKey", t.PartnerKey, 64)
	c.required("ProductCode", t.ProductCode)
	c.oneOf("ProductCode", t.ProductCode, "INFORMATION", "BENEFIT", "CARDINFO")
	c.requiredChars("TemplateCode", t.TemplateCode, 64)
	c.oneOf("TemplateType", t.TemplateType, "ID", "IG", "IT", "BD", "BM", "BC", "BL", "CT")
	c.chars("UserName", t.UserName, 5)
	c.chars("GroupKey", t.GroupKey, 30)
	c.chars("Text", t.Text, 2048)
	if t.Extra != nil {
		t.Extra.check(c.in("Extra"))
	}
}

func (e *TalkTalkExtra) check(c *checker) {
	for _, name := range slices.Sorted(maps.Keys(e.TemplateParams)) {
		c.utf8("TemplateParams", name)
		c.chars("TemplateParams", e.TemplateParams[name], 150)
	}
	if a := e.Attachment; a != nil {
		a.check(c.in("Attachment"))
	}
}

func (a *TalkTalkAttachment) check(c *checker) {
	c.utf8("ImageURL", a.ImageURL)
	c.chars("ImageHashID", a.ImageHashID, 64)
	c.count("Buttons", len(a.Buttons), 0, 5)
	for i, b := range a.Buttons {
		b.check(c.item("Buttons", i))
	}
	if a.Gift == nil {
		return
	}
	if a.Gift.Coupon == nil {
		c.in("Gift").add("Coupon", "required")
		return
	}
	a.Gift.Coupon.check(c.in("Gift").in("Coupon"))
}

func (b TalkTalkButton) check(c *checker) {
	if c.required("ButtonCode", b.ButtonCode) {
		c.utf8("ButtonCode", b.ButtonCode)
	}
	c.utf8("PCURL", b.PCURL)
	c.utf8("MobileURL", b.MobileURL)
	c.utf8("AOSAppScheme", b.AOSAppScheme)
	c.utf8("IOSAppScheme", b.IOSAppScheme)
}

func (t *TalkTalkCoupon) check(c *checker) {
	if c.required("Code", t.Code) {
		c.utf8("Code", t.Code)
	}
	if c.required("EndDate", t.EndDate) {
		if _, err := time.Parse(time.DateOnly, t.EndDate); err != nil {
			c.add("EndDate", "must be a date such as 2024-04-10")
		}
	}
	c.utf8("Name", t.Name)
	c.utf8("Publisher", t.Publisher)
	c.utf8("ImageURL", t.ImageURL)
}
