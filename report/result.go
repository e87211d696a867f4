package report

import (
	"strings"

	"github.com/go-bizppurio/sdk/internal/codes"
)

// Family is a group of result codes: one number means different things in
// different families (spec A37).
type Family string

// The families of delivery results.
const (
	SMS    Family = "sms"    // SMS (spec 6.3)
	MMS    Family = "mms"    // LMS and MMS (spec 6.4)
	Kakao  Family = "kakao"  // alimtalk, friendtalk and brand messages (spec 6.5)
	RCS    Family = "rcs"    // RCS (spec 6.6)
	NTalk  Family = "ntalk"  // Naver TalkTalk (spec 6.7)
	Common Family = "common" // 9xxx, whatever the channel (spec 6.8), but for two of RCS's own
)

// Result is the result code of a channel (spec 6).
type Result struct {
	Family Family `json:"family,omitempty"` // from the medium if that is known, else from the code; "" for neither
	Code   int    `json:"code,omitempty"`   // 0: there is none, or it cannot be read
}

// Text returns the meaning of the code in English, "" for one that is not in
// the vendor's tables.
func (r Result) Text() string { return codes.Text(codes.Family(r.Family), r.Code) }

// status follows spec 6: a few codes are success, one is "may still arrive
// within 30 days", and whatever else there is, known or not, is failure.
func (r Result) status() Status {
	if r.Code == 0 {
		return Uncertain
	}
	if r.Family == "" {
		r.Family = familyOf("", r.Code)
	}
	switch r {
	case Result{SMS, 4100}, Result{MMS, 6600}, Result{Kakao, 7000}, Result{RCS, 8000},
		Result{NTalk, 5000}, Result{NTalk, 5001}, Result{NTalk, 5002}, Result{NTalk, 5003}:
		return Delivered
	case Result{Kakao, 7305}:
		return Uncertain
	}
	return Failed
}

// familyOf follows the medium where it is known and the code otherwise; 9xxx
// is common to all, unless it is in the medium's own table (RCS 9998 and 9999,
// spec 6.6).
func familyOf(medium string, code int) Family {
	f := mediumFamily(knownMedium(medium))
	if isCommon(code) && !codes.Known(codes.Family(f), code) {
		return Common
	}
	if f != "" {
		return f
	}
	switch code / 1000 {
	case 4:
		return SMS
	case 5:
		return NTalk
	case 6:
		return MMS
	case 7:
		return Kakao
	case 8:
		return RCS
	}
	return ""
}

func isCommon(code int) bool { return code/1000 == 9 }

// knownMedium returns the vendor's spelling of a medium, "" for one that is
// not in its tables.
func knownMedium(medium string) string {
	medium = strings.ToUpper(strings.TrimSpace(medium))
	if mediumFamily(medium) != "" {
		return medium
	}
	return ""
}

// mediumFamily knows the values of MEDIA that the Web API can send (spec 1.5;
// the ones in the last lines of a family come from the vendor's simulator
// only).
func mediumFamily(medium string) Family {
	switch medium {
	case "SMS", "ISM":
		return SMS
	case "LMS", "ILM", "MMS", "VDO":
		return MMS
	case "KAT", "KFT", "KFP", "KFW",
		"UTF", "UIF", "UWF", "ULF", "UCF", "UMF", "UPF", "UAF":
		return Kakao
	case "RSS", "RLS", "RMS", "RTS",
		"RIS", "RLT":
		return RCS
	case "NIT", "NBT", "NCT":
		return NTalk
	}
	return ""
}
