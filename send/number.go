package send

import "strings"

// digits removes the white space around a number and the ASCII spaces and
// hyphens inside, and reports whether ASCII digits remain, after an optional
// plus sign.
func digits(typed string) (national string, plus, ok bool) {
	typed = strings.TrimSpace(typed)
	if rest, cut := strings.CutPrefix(typed, "+"); cut {
		typed, plus = rest, true
	}
	bare := make([]byte, 0, 24) // on the stack, for all numbers that there are
	for i := range len(typed) {
		switch b := typed[i]; {
		case b >= '0' && b <= '9':
			bare = append(bare, b)
		case b != ' ' && b != '-':
			return "", plus, false
		}
	}
	if len(bare) < len(typed) {
		typed = string(bare)
	}
	return typed, plus, typed != ""
}

// koreanNumber returns the digits of a number in Korea as the vendor takes
// them, with the leading zero; +82 becomes that zero. It refuses what has not
// the shape of a Korean number: a typing error is not sent anywhere.
func koreanNumber(typed string) (string, bool) {
	n, plus, ok := digits(typed)
	if !ok {
		return "", false
	}
	if plus {
		rest, korea := strings.CutPrefix(n, "82")
		if !korea {
			return "", false
		}
		n = "0" + rest
	}
	return n, koreanShape(n)
}

// foreignNumber returns the digits of a number abroad, without country code
// (spec 2.9).
func foreignNumber(typed string) (string, bool) {
	n, plus, ok := digits(typed)
	return n, ok && !plus && len(n) >= 4 && len(n) <= 16
}

// koreanShape judges by prefix and length alone: exchange codes that nobody
// has are used for tests. The shapes are those of the numbering plan and of
// the rules for sender numbers: representative numbers stand alone, without an
// area code before them.
func koreanShape(n string) bool {
	if representative(n) {
		return true
	}
	least, most, area := 0, 0, 0 // digits in all; length of an area code
	switch prefix(n, 3) {
	case "010", "070":
		least, most = 11, 11
	case "011", "016", "017", "018", "019":
		least, most = 10, 11
	case "030", "050":
		least, most = 11, 12
	case "060", "080":
		least, most = 10, 11
	case "031", "032", "033", "041", "042", "043", "044",
		"051", "052", "053", "054", "055", "061", "062", "063", "064":
		least, most, area = 10, 11, 3
	default:
		if prefix(n, 2) != "02" {
			return false
		}
		least, most, area = 9, 10, 2
	}
	return len(n) >= least && len(n) <= most && (area == 0 || !representative(n[area:]))
}

// representative reports whether n is a nationwide number of a company: 15YY,
// 16YY or 18YY and four more digits.
func representative(n string) bool {
	if len(n) != 8 {
		return false
	}
	p := n[:2]
	return p == "15" || p == "16" || p == "18"
}

func prefix(s string, n int) string { return s[:min(n, len(s))] }
