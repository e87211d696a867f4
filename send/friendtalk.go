package send

import "slices"

// FriendTalk is a message to a friend of a Kakao channel (친구톡, spec 2.6).
// The vendor has taken it out of its manual and offers [BrandMessage] instead;
// whether it still sends friendtalk is not documented (spec A31).
//
// Kind is the vendor's type: ft text, fi image, fw wide image, fl wide item
// list, fc carousel, fm commerce, fp premium video, fa carousel of commerce.
//
// A friendtalk is an advertisement, to which the ad window applies, unless
// AdFlag is No.
type FriendTalk struct {
	Kind              string        `json:"-"`                           // required
	SenderKey         string        `json:"senderkey"`                   // key of the sender profile, required, at most 40 characters
	Text              string        `json:"message,omitempty"`           // at most 1,000 characters; required with ft
	AdFlag            Flag          `json:"adflag,omitempty"`            // marked as an advertisement; default Yes
	UserKey           string        `json:"userkey,omitempty"`           // of the recipient in the channel, at most 30 characters
	Wide              Flag          `json:"wide,omitempty"`              // older way to ask for a wide image; default No
	Header            string        `json:"header,omitempty"`            // at most 25 characters; required with fl
	Buttons           []Button      `json:"button,omitempty"`            // at most 5, of types WL, AL, BK, MD, BC, BT and BF
	Image             *KakaoImage   `json:"image,omitempty"`             // required with fi and fw
	Items             *WideItemList `json:"item,omitempty"`              // required with fl, and only there
	Carousel          *Carousel     `json:"carousel,omitempty"`          // required with fc and fa, and only there
	Commerce          *Commerce     `json:"commerce,omitempty"`          // required with fm, and only there
	Video             *Video        `json:"video,omitempty"`             // required with fp, and only there
	Coupon            *Coupon       `json:"coupon,omitempty"`            // its description has at most 12 characters with ft and fi
	AdditionalContent string        `json:"additionalcontent,omitempty"` // at most 34 characters, for fm; the name is that of a BrandMessage
	Adult             Flag          `json:"adult,omitempty"`             // default No; the name is that of a BrandMessage
	PushAlarm         Flag          `json:"pushalarm,omitempty"`         // default Yes; the name is that of a BrandMessage
}

// Type returns Kind.
func (f FriendTalk) Type() string { return f.Kind }

// advertises reports whether the ad window applies: the vendor's default of
// AdFlag is Yes.
func (f FriendTalk) advertises() bool { return f.AdFlag != No }

// appendJSON gives each card a list of buttons, which may be empty but not
// absent (spec 2.6).
func (f FriendTalk) appendJSON(b []byte) ([]byte, error) {
	if err := kindOf(f.Kind, friendTalk); err != nil {
		return b, err
	}
	if f.Carousel != nil {
		k := *f.Carousel
		k.List = slices.Clone(k.List)
		for i := range k.List {
			if a := &k.List[i].Attachment; a.Buttons == nil {
				a.Buttons = []Button{}
			}
		}
		f.Carousel = &k
	}
	return appendValue(b, f)
}

func (f FriendTalk) check(c *checker) {
	f.Kind = c.kind(f.Kind, "ft", "fi", "fw", "fl", "fc", "fm", "fp", "fa")
	c.requiredChars("SenderKey", f.SenderKey, 40)
	c.chars("Text", f.Text, 1000)
	c.flag("AdFlag", f.AdFlag)
	c.chars("UserKey", f.UserKey, 30)
	c.flag("Wide", f.Wide)
	c.chars("Header", f.Header, 25)
	c.chars("AdditionalContent", f.AdditionalContent, 34)
	c.flag("Adult", f.Adult)
	c.flag("PushAlarm", f.PushAlarm)

	if f.Kind == "ft" {
		c.required("Text", f.Text)
	}
	if f.Kind == "fl" {
		c.required("Header", f.Header)
	}
	if f.Image == nil && (f.Kind == "fi" || f.Kind == "fw") {
		c.add("Image", "required")
	}
	c.part("Items", f.Items != nil, true, f.Kind, "fl")
	c.part("Carousel", f.Carousel != nil, true, f.Kind, "fc", "fa")
	c.part("Commerce", f.Commerce != nil, true, f.Kind, "fm")
	c.part("Video", f.Video != nil, true, f.Kind, "fp")

	buttons := buttonRules{most: 5}
	buttons.check(c, f.Buttons)
	if f.Image != nil {
		f.Image.check(c.in("Image"))
	}
	if f.Items != nil {
		f.Items.check(c.in("Items"), 4, false)
	}
	if f.Carousel != nil {
		f.Carousel.check(c.in("Carousel"), f.Kind, buttons)
	}
	if f.Commerce != nil {
		f.Commerce.check(c.in("Commerce"))
	}
	if f.Video != nil {
		f.Video.check(c.in("Video"))
	}
	if f.Coupon != nil {
		limit := 18
		if f.Kind == "ft" || f.Kind == "fi" {
			limit = 12
		}
		f.Coupon.check(c.in("Coupon"), limit, false)
	}
}
