// Package codes is the table of the vendor's result codes, made from
// codes.tsv, which is a copy of the specification's table.
package codes

//go:generate go run generate.go

// Family is a group of codes; a number means one thing per family.
type Family string

// The families of codes.tsv.
const (
	API    Family = "api"    // answers of the API (spec 6.2)
	SMS    Family = "sms"    // delivery of SMS (spec 6.3)
	MMS    Family = "mms"    // delivery of LMS and MMS (spec 6.4)
	Kakao  Family = "kakao"  // delivery of alimtalk, friendtalk and brand messages (spec 6.5)
	RCS    Family = "rcs"    // delivery of RCS (spec 6.6)
	NTalk  Family = "ntalk"  // delivery of Naver TalkTalk (spec 6.7)
	Common Family = "common" // 9xxx in delivery reports (spec 6.8)
)

// Text returns the English meaning of a code, "" when the table lacks it.
func Text(f Family, code int) string { return table[key{f, code}].english }

// Korean returns the vendor's own words, "" when the table lacks the code.
func Korean(f Family, code int) string { return table[key{f, code}].korean }

// Known reports whether the table has the code.
func Known(f Family, code int) bool {
	_, ok := table[key{f, code}]
	return ok
}

type key struct {
	family Family
	code   int
}

type meaning struct{ korean, english string }
