package send

import (
	"crypto/rand"
	"slices"
	"strconv"
	"time"
)

// Message is one message to one recipient. It is plain data: nothing in this
// module changes a Message or its content, and any number of sends may share
// the content.
//
// A Message goes through encoding/json and back, for outboxes and job queues;
// see [Message.MarshalJSON].
type Message struct {
	// To is the recipient's number. Korean numbers may have spaces, hyphens
	// and +82; with Country it is the national number abroad. Required.
	To string

	// From is the sender number, registered with the vendor before. Empty:
	// the sender's own, such as bizppurio.Config.From.
	From string

	// RefKey comes back in delivery reports: at most 32 bytes of UTF-8
	// (spec 3.3). Empty: a fresh one of [NewRefKey]. It does not keep the
	// vendor from sending the same message twice.
	RefKey string

	// Content is what is sent first. Required.
	Content Content

	// Fallback is sent when Content could not be delivered (대체발송, spec
	// 3.2), the first, then the second: text after Kakao or RCS, and RCS and
	// Kakao after one another. The account needs the vendor's permission.
	Fallback []Content

	// At is the moment of sending, at most 30 days ahead, in whole seconds
	// (spec 3.1). Zero or past: now. The vendor has no way to cancel.
	At time.Time

	// Ad says that this is an advertisement, which is sent within the ad
	// window only. Brand messages, and friendtalks with their ad flag on, are
	// advertisements anyway. It does not reach the vendor, and it does not
	// put the marks into the text that the law asks for.
	Ad bool

	// Country is the country code of To, 1 to 5 digits such as "1", for
	// sending abroad (spec 2.9). Empty: Korea.
	Country string

	UserInfo     string // comes back in delivery reports, for settlement; at most 50 characters
	ResellerCode string // 9 digits, for special value-added operators (특부가사업자 식별코드)
}

// maxAhead is how far ahead a message may be reserved (spec 3.1).
const maxAhead = 30 * 24 * time.Hour

// maxRefKey is the length of a refkey in bytes (spec 3.3).
const maxRefKey = 32

// NewRefKey returns a fresh RefKey: 26 letters and digits that hold 130
// random bits, which nobody can guess. Make it and store it before the send,
// so that a delivery report finds its message whatever happens in between.
func NewRefKey() string { return rand.Text() }

// Type returns the vendor's name of the channel of the content, such as "sms"
// or "at", and "" when there is none.
func (m Message) Type() string { return typeOf(known(m.Content)) }

// Due returns the moment of sending: At, or now if At is unset or past.
func (m Message) Due(now time.Time) time.Time { return dueAt(m.At, now) }

func dueAt(at, now time.Time) time.Time {
	if at.After(now) {
		return at
	}
	return now
}

// advertiser is content of the channels that are made for advertising.
type advertiser interface{ advertises() bool }

// Advertises reports whether the ad window applies: to a Message with Ad set,
// to a [BrandMessage], and to a [FriendTalk] with its ad flag on, also where
// they are the fallback.
func (m Message) Advertises() bool {
	return m.Ad || advertises(m.Content) || slices.ContainsFunc(m.Fallback, advertises)
}

func advertises(c Content) bool {
	a, ok := plain(c).(advertiser)
	return ok && a.advertises()
}

// Validate reports everything that the vendor would refuse, as far as its
// documents tell, joined as [errors.Join] does, each a [*FieldError]. An empty
// From or RefKey is fine here. It is pure, but for the clock: At and the
// pictures of an MMS are measured against now.
func (m Message) Validate() error {
	c := newChecker()
	c.at, c.country = m.At, m.Country != ""
	m.checkNumbers(c)
	if m.RefKey != "" {
		c.refKey("RefKey", m.RefKey)
	}
	c.chars("UserInfo", m.UserInfo, 50)
	if m.ResellerCode != "" && (len(m.ResellerCode) != 9 || !onlyDigits(m.ResellerCode)) {
		c.add("ResellerCode", "must have 9 digits")
	}
	if !m.At.IsZero() && m.At.After(time.Now().Add(maxAhead)) {
		c.add("At", "more than 30 days ahead")
	}
	m.checkContent(c)
	return c.err()
}

func (m Message) checkNumbers(c *checker) {
	if m.Country != "" && (len(m.Country) > 5 || !onlyDigits(m.Country)) {
		c.add("Country", "must have 1 to 5 digits")
	}
	if c.required("To", m.To) {
		if _, ok := m.recipient(); !ok {
			c.add("To", m.shapeOfTo())
		}
	}
	if m.From != "" {
		if _, ok := koreanNumber(m.From); !ok {
			c.add("From", notKorean)
		}
	}
}

const notKorean = "not a number in Korea"

// recipient returns To as the vendor takes it.
func (m Message) recipient() (string, bool) {
	if m.Country != "" {
		return foreignNumber(m.To)
	}
	return koreanNumber(m.To)
}

func (m Message) shapeOfTo() string {
	if m.Country != "" {
		return "must have 4 to 16 digits, without country code"
	}
	return notKorean + "; a number abroad needs Country"
}

func (m Message) checkContent(c *checker) {
	content := known(m.Content)
	if content == nil {
		c.add("Content", "required")
	} else {
		content.check(c.in("Content"))
		m.checkChannel(c, "Content", content)
	}
	if !m.At.IsZero() && family(m.Type()) == talkTalk {
		c.add("At", "TalkTalk is sent at once")
	}
	if len(m.Fallback) > 2 {
		c.add("Fallback", "more than 2 entries")
	}
	prev, seen := content, ""
	for i, f := range m.Fallback {
		name := fallbackField(i)
		f = known(f)
		if f == nil {
			c.add(name, "required")
			continue
		}
		f.check(c.in(name))
		m.checkChannel(c, name, f)
		if kind := typeOf(f); kind == seen {
			c.add(name, "of the same type as the first")
		} else {
			m.checkOrder(c, i, prev, f)
			seen = kind
		}
		prev = f
	}
}

func fallbackField(i int) string { return "Fallback[" + strconv.Itoa(i) + "]" }

// checkChannel refuses what does not go abroad (spec 2.9).
func (m Message) checkChannel(c *checker, name string, content Content) {
	if m.Country == "" || isRaw(content) {
		return
	}
	switch typeOf(content) {
	case "mms", "rcs", "ntalk":
		c.add(name, typeOf(content)+" is not sent abroad")
	}
}

// checkOrder holds the vendor's table of alternative send (spec 3.2) for
// fallback i, which comes after prev.
func (m Message) checkOrder(c *checker, i int, prev, next Content) {
	if prev == nil || isRaw(m.Content) || isRaw(prev) || isRaw(next) {
		return
	}
	kind := family(typeOf(next))
	if !kind.follows(family(typeOf(prev))) || i > 0 && kind != text {
		c.add(fallbackField(i), typeOf(next)+" cannot follow "+typeOf(prev))
	}
}

func isRaw(c Content) bool {
	_, raw := plain(c).(Raw)
	return raw
}
