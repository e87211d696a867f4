package bizppuriotest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// maxBatch is the most reports in a poll and in a confirmation (spec 1.7).
const maxBatch = 1000

// poll answers PathPoll (spec 1.7).
func (s *Server) poll(x *exchange) *reply {
	if refused := s.checkAccount(x.body); refused != nil {
		return refused
	}
	s.reports.mu.Lock()
	n := min(len(s.reports.waiting), maxBatch)
	batch := append([]record{}, s.reports.waiting[:n]...)
	s.reports.mu.Unlock()
	r := asJSON(http.StatusOK, struct {
		Code        int      `json:"code"`
		Description string   `json:"description"`
		Report      []record `json:"report"`
	}{codeSuccess, "Success", batch})
	if strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		r.body = zip(r.body)
		r.set("Content-Encoding", "gzip")
	}
	return r
}

// confirm answers PathConfirm (spec 1.8).
func (s *Server) confirm(x *exchange) *reply {
	if refused := s.checkAccount(x.body); refused != nil {
		return refused
	}
	var body struct {
		MsgID []struct {
			MsgID string `json:"msgid"`
		} `json:"msgid"`
	}
	if err := json.Unmarshal(x.body, &body); err != nil {
		return refusal(3014, "")
	}
	if len(body.MsgID) == 0 || len(body.MsgID) > maxBatch {
		return refusalBecause(2000, "", "msgid must have 1 to 1000 entries")
	}
	gone := make(map[string]bool, len(body.MsgID))
	for _, id := range body.MsgID {
		if id.MsgID == "" {
			return refusalBecause(2000, "", "an entry without msgid")
		}
		gone[id.MsgID] = true
	}
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	var left []record
	for _, r := range s.reports.waiting {
		if !gone[r["msgid"]] {
			left = append(left, r)
		}
	}
	s.reports.waiting = left
	return refusalBecause(codeSuccess, "", "Success")
}

// resend answers PathReport (spec 1.6): the report is pushed once more.
func (s *Server) resend(x *exchange) *reply {
	if refused := s.checkAccount(x.body); refused != nil {
		return refused
	}
	members, _ := object(x.body) // checkAccount read it
	key, ok := text(members, "messagekey")
	if !ok || key == "" {
		return refusal(2000, "")
	}
	if s.opt.webhook == "" {
		return refusal(5000, "") // not for accounts that poll
	}
	m := s.reports
	m.mu.Lock()
	records, known := m.past[key]
	m.mu.Unlock()
	switch {
	case !known:
		return refusal(3012, "")
	case records == nil:
		return refusal(3013, "")
	}
	m.ready(key, records)
	return refusalBecause(codeSuccess, "", "Success")
}

// Reports returns how many reports wait to be polled or confirmed, or to be
// pushed.
func (s *Server) Reports() int {
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	return len(s.reports.waiting) + len(s.reports.queue)
}

// checkAccount reads the account that every body names.
func (s *Server) checkAccount(body []byte) *reply {
	members, err := object(body)
	if err != nil {
		return refusal(3014, "")
	}
	account, ok := text(members, "account")
	switch {
	case !ok:
		return refusal(3014, "")
	case account != s.opt.account:
		return refusal(3004, "")
	}
	return nil
}
