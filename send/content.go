package send

// Content is what a message says, in one of the vendor's channels: [SMS],
// [LMS], [MMS], [AlimTalk], [FriendTalk], [BrandMessage], [RCS], [TalkTalk],
// [Raw], or an [*Encoded] made from one of them for many recipients. A pointer
// to one of them is Content as well; a nil one makes the message Invalid.
//
// The set is closed; Raw is the way out for what the vendor adds later.
// [Message.Type] tells the channel.
type Content interface {
	// check reports every problem of the content to c. It is pure.
	check(c *checker)

	// appendJSON appends the vendor's JSON object of the content, the value
	// of content.<type> in the request (spec 2), to b.
	appendJSON(b []byte) ([]byte, error)
}

// typed is Content with a name for its channel: all but Raw, whose field has
// that name.
type typed interface {
	Content

	// Type is the vendor's name of the channel, such as "sms" or "at".
	Type() string
}

// typeOf returns the vendor's name of the channel of c, "" for nil.
func typeOf(c Content) string {
	switch c := c.(type) {
	case Raw:
		return c.Type
	case typed:
		return c.Type()
	}
	return ""
}

// known returns c with pointers followed, and nil where there is no content
// behind them: nil, a nil pointer, an [*Encoded] that was not made by
// [Encode], or a type that is not of this package.
func known(c Content) Content {
	switch c := c.(type) {
	case SMS, LMS, MMS, AlimTalk, FriendTalk, BrandMessage, RCS, TalkTalk, Raw:
		return c
	case *Encoded:
		if c == nil || c.content == nil {
			return nil
		}
		return c
	case *SMS:
		return deref(c)
	case *LMS:
		return deref(c)
	case *MMS:
		return deref(c)
	case *AlimTalk:
		return deref(c)
	case *FriendTalk:
		return deref(c)
	case *BrandMessage:
		return deref(c)
	case *RCS:
		return deref(c)
	case *TalkTalk:
		return deref(c)
	case *Raw:
		return deref(c)
	}
	return nil
}

func deref[T Content](p *T) Content {
	if p == nil {
		return nil
	}
	return *p
}

// plain is known, and sees through *Encoded.
func plain(c Content) Content {
	c = known(c)
	if e, ok := c.(*Encoded); ok {
		return e.content
	}
	return c
}
