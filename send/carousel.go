package send

// Carousel is a row of cards (캐러셀): pictures with text (kinds fc, uc) or
// products (fa, ua).
type Carousel struct {
	Head *CarouselHead `json:"head,omitempty"` // introduction, kinds fa and ua only
	List []Card        `json:"list"`           // BrandMessage: 2 to 6 cards, 1 to 6 with a Head
	Tail *Link         `json:"tail,omitempty"` // where "more" leads; URLMobile required
}

// CarouselHead introduces a [Carousel].
type CarouselHead struct {
	Header        string `json:"header"`               // required, at most 20 characters
	Content       string `json:"content"`              // required, at most 50 characters
	ImageURL      string `json:"image_url"`            // required
	URLMobile     string `json:"url_mobile,omitempty"` // required as soon as another link is set
	URLPC         string `json:"url_pc,omitempty"`
	SchemeAndroid string `json:"scheme_android,omitempty"`
	SchemeIOS     string `json:"scheme_ios,omitempty"`
}

// Card is one card of a [Carousel].
type Card struct {
	Header            string     `json:"header,omitempty"`             // at most 20 characters; required with fc and uc, not allowed with fa
	Text              string     `json:"message,omitempty"`            // at most 180 characters; required with fc and uc, not allowed with fa
	AdditionalContent string     `json:"additional_content,omitempty"` // at most 34 characters, not with fc
	Attachment        Attachment `json:"attachment"`
}

// Attachment is what a [Card] shows beside its text.
type Attachment struct {
	Buttons  []Button    `json:"button,omitzero"`    // nil is left out of a BrandMessage, and an empty list in a FriendTalk
	Image    *KakaoImage `json:"image,omitempty"`    // required
	Coupon   *Coupon     `json:"coupon,omitempty"`   // description at most 12 characters
	Commerce *Commerce   `json:"commerce,omitempty"` // required with fa and ua, not allowed with fc
}

// check knows the rules of the kinds fc, fa, uc and ua. What the vendor says
// of friendtalk cards alone is not asked of brand messages.
func (k *Carousel) check(c *checker, kind string, buttons buttonRules) {
	feed, friend := kind == "fc" || kind == "uc", kind == "fc" || kind == "fa"
	if k.Head != nil {
		c.absent("Head", feed, "kind "+kind)
		k.Head.check(c.in("Head"))
	}
	switch {
	case friend && len(k.List) == 0:
		c.add("List", "required")
	case !friend && k.Head != nil:
		c.count("List", len(k.List), 1, 6)
	case !friend:
		c.count("List", len(k.List), 2, 6)
	}
	channels := 0
	for i := range k.List {
		card, in := &k.List[i], c.item("List", i)
		card.check(in, kind, buttons)
		for j, b := range card.Attachment.Buttons {
			if b.Type != ChannelAdd {
				continue
			}
			if channels++; channels > 1 {
				in.in("Attachment").item("Buttons", j).add("Type", "only one AC in a carousel")
			}
		}
	}
	if k.Tail != nil {
		in := c.in("Tail")
		in.required("URLMobile", k.Tail.URLMobile)
		in.links(k.Tail.URLMobile, k.Tail.URLPC, k.Tail.SchemeAndroid, k.Tail.SchemeIOS)
	}
}

func (h *CarouselHead) check(c *checker) {
	c.requiredChars("Header", h.Header, 20)
	c.requiredChars("Content", h.Content, 50)
	c.requiredChars("ImageURL", h.ImageURL, maxURL)
	if h.URLMobile == "" && h.URLPC+h.SchemeAndroid+h.SchemeIOS != "" {
		c.add("URLMobile", "required with any other link")
	}
	c.links(h.URLMobile, h.URLPC, h.SchemeAndroid, h.SchemeIOS)
}

func (d *Card) check(c *checker, kind string, buttons buttonRules) {
	c.chars("Header", d.Header, 20)
	c.chars("Text", d.Text, 180)
	c.lineBreaks("Text", d.Text, 10)
	c.chars("AdditionalContent", d.AdditionalContent, 34)
	a := &d.Attachment
	in := c.in("Attachment")
	switch kind {
	case "fc", "uc":
		c.required("Header", d.Header)
		c.required("Text", d.Text)
	case "fa":
		c.absent("Header", d.Header != "", "kind fa")
		c.absent("Text", d.Text != "", "kind fa")
	}
	if kind == "fc" {
		c.absent("AdditionalContent", d.AdditionalContent != "", "kind fc")
		in.absent("Commerce", a.Commerce != nil, "kind fc")
	}
	if (kind == "fa" || kind == "ua") && a.Commerce == nil {
		in.add("Commerce", "required")
	}
	if a.Image == nil {
		in.add("Image", "required")
	} else {
		a.Image.check(in.in("Image"))
	}
	buttons.check(in, a.Buttons)
	if a.Coupon != nil {
		a.Coupon.check(in.in("Coupon"), 12, buttons.brand)
	}
	if a.Commerce != nil {
		a.Commerce.check(in.in("Commerce"))
	}
}
