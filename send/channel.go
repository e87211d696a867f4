package send

// channels that share the rules of alternative send (spec 3.2).
type channel int

const (
	other        channel = iota // not known to this release
	text                        // sms, lms, mms
	alimTalk                    // at, ai
	friendTalk                  // ft and its kinds, until 3.10 of the vendor's manual
	brandMessage                // ut and its kinds
	rcs
	talkTalk
)

// family returns the family of a channel by the vendor's name.
func family(name string) channel {
	switch name {
	case "sms", "lms", "mms":
		return text
	case "at", "ai":
		return alimTalk
	case "ft", "fi", "fw", "fl", "fc", "fm", "fp", "fa":
		return friendTalk
	case "ut", "ui", "uw", "ul", "uc", "um", "up", "ua":
		return brandMessage
	case "rcs":
		return rcs
	case "ntalk":
		return talkTalk
	}
	return other
}

// kakao reports whether the channel is one of KakaoTalk. Kakao is never the
// fallback of Kakao.
func (c channel) kakao() bool {
	return c == alimTalk || c == friendTalk || c == brandMessage
}

// follows reports whether next may be sent when prev failed, as the vendor's
// table has it: text after Kakao or RCS, and these two after one another.
func (c channel) follows(prev channel) bool {
	switch {
	case c == other || prev == other:
		return true
	case c == text:
		return prev.kakao() || prev == rcs
	case c == rcs:
		return prev.kakao()
	case c.kakao():
		return prev == rcs
	}
	return false
}
