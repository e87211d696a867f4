package bizppuriotest

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"
)

// newMsgID returns an id of the shape that was observed (spec 3.4).
func newMsgID() string {
	return time.Now().In(korea()).Format("0102") + "se_SL46760" + strings.ToLower(rand.Text()[:14])
}

// outcome makes the reports of a message: one for each channel that was
// tried (spec 8, A13).
func (s *Server) outcome(o *order, f fate) []record {
	if f.silent {
		return nil
	}
	first := s.newRecord(o, o.kind)
	failed := s.mustFail(o, first)
	switch {
	case f.sameRecord && len(o.channels) > 1:
		first["result"] = failure(o.kind)
		second := s.newRecord(o, o.channels[1])
		first[fallbackKey(o.channels[1])+"res"] = second["result"]
		first[fallbackKey(o.channels[1])+"time"] = second["unixtime"]
		return []record{first}
	case f.firstFails || f.allFail || f.sameRecord:
		first["result"] = failure(o.kind)
		failed = true
	case f.uncertain && familyOf(o.kind).name == "kakao":
		first["result"] = "7305" // may still arrive within 30 days (spec 6)
	}
	records := []record{first}
	for _, kind := range o.channels[1:] {
		if !failed {
			break
		}
		r := s.newRecord(o, kind)
		r["resend_flag"] = strings.ToUpper(kind)
		if failed = f.allFail; failed {
			r["result"] = failure(kind)
		}
		records = append(records, r)
	}
	if f.twice {
		records = append(records, records[len(records)-1])
	}
	return records
}

// newRecord returns the report of a delivery.
func (s *Server) newRecord(o *order, kind string) record {
	f := familyOf(kind)
	r := record{
		"device": strings.ToUpper(kind), "cmsgid": o.messageKey, "msgid": newMsgID(),
		"phone": o.to, "media": f.medium(kind, o.country != ""), "wapinfo": f.carrier,
		"unixtime": strconv.FormatInt(time.Now().Unix(), 10), "result": f.delivered, "refkey": o.refKey,
	}
	if o.userInfo != "" {
		r["userdata"] = o.userInfo
	}
	return r
}

// mustFail turns r into a failure that the message brought on itself: a
// sender that is not registered, an image that was never uploaded.
func (s *Server) mustFail(o *order, r record) bool {
	family := familyOf(o.kind).name
	if s.opt.senders != nil && !s.opt.senders[o.from] {
		switch family {
		case "sms":
			r["result"] = "4434"
			return true
		case "mms":
			r["result"] = "6631"
			return true
		}
	}
	for _, key := range o.files {
		if !s.files.good(key) {
			r["result"] = "9017"
			return true
		}
	}
	return false
}
