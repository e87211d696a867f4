package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Errors of [Decode].
var (
	// ErrUnreadable is a body that is neither a report nor an envelope.
	ErrUnreadable = errors.New("report: not a delivery report")

	// ErrRefused is a POLLING envelope whose code is not 1000: the vendor
	// refused to hand out reports, which is not the same as having none.
	ErrRefused = errors.New("report: envelope without code 1000")
)

// success is the code of an envelope that carries reports (spec 6.2).
const success = 1000

// Decode reads one body: the object that the vendor pushes, or the envelope of
// a polling answer (spec 1.5, 1.7). An array of pushed objects, which is not
// documented, is read as well if at least one of them is a report. Keys count
// in any case, values may be strings or numbers, unknown fields are kept in
// Raw (spec A1, A27). A key that comes twice with different values counts as
// unreadable, so that no second RESULT turns a failure into a success.
//
// An envelope without entries ([], null or no report at all) gives no reports
// and no error. An entry that is no report is a Report of which only Raw is
// set, and the batch goes on; null entries are dropped.
//
// The error is [ErrUnreadable] or [ErrRefused], and holds nothing of the body.
// The reports share no memory with body.
func Decode(body []byte) ([]Report, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
	if !json.Valid(body) {
		return nil, fmt.Errorf("%w: not one JSON value", ErrUnreadable)
	}
	if body[0] == '[' {
		return decodeArray(body)
	}
	top, ok := readObject(body)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: neither an object nor an array", ErrUnreadable)
	case top.kind("REPORT") == '[':
		return decodeEnvelope(top)
	case top.has("RESULT", "MSGID", "CMSGID"):
		return []Report{newReport(top)}, nil
	case top.has("CODE", "REPORT"):
		return decodeEnvelope(top)
	case top.has("REFKEY"):
		return []Report{newReport(top)}, nil
	}
	return nil, fmt.Errorf("%w: an object of something else", ErrUnreadable)
}

func decodeArray(body []byte) ([]Report, error) {
	reports, found, err := decodeEntries(body)
	if err != nil || !found {
		return nil, fmt.Errorf("%w: an array of something else", ErrUnreadable)
	}
	return reports, nil
}

func decodeEnvelope(top object) ([]Report, error) {
	if code, ok := top.code("CODE"); !ok || code != success {
		return nil, ErrRefused
	}
	raw := top.fields["REPORT"]
	if raw == nil {
		return []Report{}, nil
	}
	reports, _, err := decodeEntries(raw)
	return reports, err
}

// decodeEntries reads an array. Found is true if an entry has a key of a
// report.
func decodeEntries(array json.RawMessage) (reports []Report, found bool, err error) {
	var entries []json.RawMessage
	if json.Unmarshal(array, &entries) != nil {
		return nil, false, fmt.Errorf("%w: report is not an array", ErrUnreadable)
	}
	reports = make([]Report, 0, len(entries))
	for _, e := range entries {
		if e[0] == 'n' {
			continue
		}
		o, ok := readObject(e)
		if !ok {
			o = object{raw: e}
		}
		found = found || o.has("RESULT", "MSGID", "CMSGID", "REFKEY")
		reports = append(reports, newReport(o))
	}
	return reports, found, nil
}

func newReport(o object) Report {
	r := Report{
		RefKey:     o.text("REFKEY"),
		MessageKey: o.text("CMSGID"),
		MessageID:  o.text("MSGID"),
		To:         o.text("PHONE"),
		ToName:     o.text("TONAME"),
		Device:     o.text("DEVICE"),
		Medium:     o.text("MEDIA"),
		Carrier:    o.text("WAPINFO"),
		UserInfo:   o.text("USERDATA"),
		Fallback: Fallback{
			TelRes:     o.text("TELRES"),
			TelTime:    o.text("TELTIME"),
			KaoRes:     o.text("KAORES"),
			KaoTime:    o.text("KAOTIME"),
			RCSRes:     o.text("RCSRES"),
			RCSTime:    o.text("RCSTIME"),
			RetryFlag:  o.text("RETRYFLAG"),
			ResendFlag: o.text("RESENDFLAG"),
		},
		Time: o.time("UNIXTIME", "UNIXTME"),
		Raw:  o.raw,
	}
	if code, ok := o.code("RESULT"); ok {
		r.Result = Result{Family: familyOf(r.Medium, code), Code: code}
	}
	return r
}
