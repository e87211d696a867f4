package send

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The GSM 03.38 alphabet beside ASCII letters and digits: the characters of
// one byte, and those of two. ESC is none of them.
const (
	gsmBasic    = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà"
	gsmExtended = "^€{}[]~\\|"
)

// gsmLen returns how many bytes s takes abroad (spec 2.9): one per character
// of the GSM alphabet, two per extended character, and two per UTF-16 unit of
// the whole text as soon as one character is outside the alphabet.
func gsmLen(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', strings.ContainsRune(gsmBasic, r):
			n++
		case strings.ContainsRune(gsmExtended, r):
			n += 2
		default:
			return 2 * len(utf16.Encode([]rune(s)))
		}
	}
	return n
}

// bytes allows at most korean bytes as EUC-KR counts them, or abroad bytes of
// the GSM alphabet in international sending.
func (c *checker) bytes(name, value string, korean, abroad int) {
	if !c.country {
		c.eucKR(name, value, korean)
		return
	}
	if !utf8.ValidString(value) {
		c.add(name, problemUTF8)
		return
	}
	if gsmLen(value) > abroad {
		c.tooLong(name, abroad, "bytes abroad")
	}
}
