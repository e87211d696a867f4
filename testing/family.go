package bizppuriotest

import "strings"

// family is what the reports of a group of channels have in common.
type family struct {
	name      string // as in internal/codes
	delivered string // RESULT of a success (spec 6)
	failed    string // a usual RESULT of a failure
	carrier   string // WAPINFO
	media     map[string]string
}

func familyOf(kind string) family {
	switch {
	case kind == "sms":
		return family{"sms", "4100", "4400", "SKT", map[string]string{"sms": "SMS"}}
	case kind == "lms", kind == "mms":
		return family{"mms", "6600", "6601", "SKT", map[string]string{"lms": "LMS", "mms": "MMS"}}
	case kind == "rcs":
		return family{"rcs", "8000", "8974", "SKT", map[string]string{"rcs": "RSS"}}
	case kind == "ntalk":
		return family{"ntalk", "5000", "5301", "", map[string]string{"ntalk": "NIT"}}
	case strings.HasPrefix(kind, "u"):
		return family{"kakao", "7000", "7103", "KAO", nil}
	}
	return family{"kakao", "7000", "7103", "KAO", map[string]string{
		"at": "KAT", "ai": "KAT", "ft": "KFT", "fi": "KFP", "fw": "KFW",
	}}
}

// medium returns MEDIA for a channel (spec 1.5).
func (f family) medium(kind string, abroad bool) string {
	switch {
	case abroad && kind == "sms":
		return "ISM"
	case abroad && kind == "lms":
		return "ILM"
	}
	if m := f.media[kind]; m != "" {
		return m
	}
	return strings.ToUpper(kind) + "F"
}

func failure(kind string) string { return familyOf(kind).failed }

// fallbackKey is the prefix of the fields that carry the result of a
// fallback inside the first record.
func fallbackKey(kind string) string {
	switch familyOf(kind).name {
	case "kakao":
		return "kao"
	case "rcs":
		return "rcs"
	}
	return "tel"
}
