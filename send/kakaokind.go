package send

import "slices"

// kind requires one of the known kinds, and returns "" for any other, so that
// no rule of a kind is asked of it.
func (c *checker) kind(kind string, known ...string) string {
	c.required("Kind", kind)
	c.oneOf("Kind", kind, known...)
	if !slices.Contains(known, kind) {
		return ""
	}
	return kind
}

// kindOf returns an error if kind is not one of the channel's: its JSON would
// come back as [Raw], of which nothing is known.
func kindOf(kind string, of channel) error {
	switch {
	case kind == "":
		return &FieldError{Field: "Kind", Problem: "required"}
	case family(kind) != of:
		return &FieldError{Field: "Kind", Problem: "unknown kind"}
	}
	return nil
}

// part reports a part that only some kinds have, where it is missing though
// needed, and where it is given to another kind.
func (c *checker) part(name string, given, needed bool, kind string, kinds ...string) {
	switch has := slices.Contains(kinds, kind); {
	case has && needed && !given:
		c.add(name, "required")
	case !has && kind != "":
		c.absent(name, given, "kind "+kind)
	}
}

// absent reports a field that is set although it must not be with what why
// names, a fixed word.
func (c *checker) absent(name string, set bool, why string) {
	if set {
		c.add(name, "not allowed with "+why)
	}
}

// buttonRules are what the kinds and ways of Kakao messages differ in.
type buttonRules struct {
	most    int
	brand   bool // of a BrandMessage, else of a FriendTalk
	channel bool // AC allowed: a BrandMessage with targeting M or N
}

func (r buttonRules) check(c *checker, buttons []Button) {
	c.count("Buttons", len(buttons), 0, r.most)
	for i, b := range buttons {
		in := c.item("Buttons", i)
		b.check(in)
		switch b.Type {
		case "", WebLink, AppLink, BotKeyword, MessageDelivery, ChatTransfer, BotTransfer:
		case BizForm:
			switch {
			case r.brand && b.BizFormKey == 0:
				in.add("BizFormKey", "required")
			case !r.brand && b.BizFormID == 0:
				in.add("BizFormID", "required")
			}
		case ChannelAdd:
			switch {
			case !r.brand:
				in.add("Type", "not allowed in a friendtalk")
			case !r.channel:
				in.add("Type", "AC needs targeting M or N")
			}
		case DeliveryTrack, SecureImage, PersonalData, OneClickPayment, PhoneCall, Map:
			in.add("Type", "for alimtalk only")
		default: // reported by b.check
		}
		if r.brand {
			in.links(b.URLMobile, b.URLPC, b.SchemeAndroid, b.SchemeIOS)
		}
	}
}
