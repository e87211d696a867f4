package report

import (
	"encoding/json"
	"time"
)

// Report is one record about one message, as the vendor pushed it to the
// webhook or handed it out when polled (spec 1.5, 1.7). A field that is
// absent, null, of an odd type, or given twice with different values is
// empty. No field but Result and Time is interpreted.
//
// A Report goes through encoding/json and back unchanged, but for the spelling
// of Raw: it comes back as the same JSON value, perhaps with other white space
// and escapes. fmt and slog print a Report masked.
type Report struct {
	RefKey     string `json:"ref_key,omitempty"`     // REFKEY: of the message; the one to match on
	MessageKey string `json:"message_key,omitempty"` // CMSGID: what the send returned, perhaps in another spelling, see [SameMessageKey]
	MessageID  string `json:"message_id,omitempty"`  // MSGID: of this record; dedupe on this

	To       string `json:"to,omitempty"`        // PHONE: the recipient, as given
	ToName   string `json:"to_name,omitempty"`   // TO_NAME
	Device   string `json:"device,omitempty"`    // DEVICE: the type asked for
	Medium   string `json:"medium,omitempty"`    // MEDIA: the type really sent, such as KAT or LMS; an open set
	Carrier  string `json:"carrier,omitempty"`   // WAPINFO: SKT, KTF, LGT or KAO
	UserInfo string `json:"user_info,omitempty"` // USERDATA: Message.UserInfo of the send

	Result   Result    `json:"result,omitzero"`
	Fallback Fallback  `json:"fallback,omitzero"`
	Time     time.Time `json:"time,omitzero"` // UNIXTIME: when it was sent, in UTC; zero when there is none or it cannot be read

	Raw json.RawMessage `json:"raw,omitempty"` // the record as it came
}

// Fallback is what a record says about alternative send (대체발송), as given:
// the vendor documents neither the form of the times nor the values of the
// flags (spec 9).
type Fallback struct {
	TelRes     string `json:"tel_res,omitempty"`     // TELRES: result code of SMS, LMS or MMS
	TelTime    string `json:"tel_time,omitempty"`    // TELTIME
	KaoRes     string `json:"kao_res,omitempty"`     // KAORES: result code of Kakao
	KaoTime    string `json:"kao_time,omitempty"`    // KAOTIME
	RCSRes     string `json:"rcs_res,omitempty"`     // RCSRES: result code of RCS
	RCSTime    string `json:"rcs_time,omitempty"`    // RCSTIME
	RetryFlag  string `json:"retry_flag,omitempty"`  // RETRY_FLAG: information about the alternative send
	ResendFlag string `json:"resend_flag,omitempty"` // RESEND_FLAG: type of the alternative send
}

// SameMessageKey reports whether two message keys are one: the vendor writes
// the same key with and without its "#" (spec A12). Empty keys match nothing.
// Match on RefKey first; this is for records that have none.
func SameMessageKey(a, b string) bool {
	a, b = withoutHash(a), withoutHash(b)
	return a != "" && a == b
}
