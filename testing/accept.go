package bizppuriotest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// maxRefKey is the longest refkey in bytes (spec 3.3).
const maxRefKey = 32

// order is a message as the server took it.
type order struct {
	kind, from, to, refKey, userInfo, country, messageKey string
	channels                                              []string // types, the first and its fallbacks
	at                                                    time.Time
	files                                                 []string // keys of images
}

// message answers PathMessage (spec 1.3).
func (s *Server) message(x *exchange) *reply {
	o, refused := s.readOrder(x.body)
	if refused != nil {
		return refused
	}
	o.messageKey = newMessageKey(o.kind)
	s.ledger.accept(o.refKey, x.body)
	s.reports.accepted(o)
	return success(o)
}

func success(o *order) *reply {
	return asJSON(http.StatusOK, struct {
		Code        int    `json:"code"`
		Description string `json:"description"`
		RefKey      string `json:"refkey"`
		MessageKey  string `json:"messagekey"`
	}{codeSuccess, "Success", o.refKey, o.messageKey})
}

// newMessageKey returns a key of the shape that was observed (spec 3.4).
func newMessageKey(kind string) string {
	now := time.Now().In(korea())
	stamp := strings.Replace(now.Format("060102150405.000"), ".", "", 1)
	return stamp + "#" + kind + "027420" + strings.ToLower(rand.Text()[:8])
}

// readOrder checks a message as the vendor does. When it refuses, the answer
// is the second result.
func (s *Server) readOrder(body []byte) (*order, *reply) {
	members, err := object(body)
	if err != nil {
		return nil, refusal(3014, "")
	}
	o := &order{}
	refKey, _ := text(members, "refkey")
	if len(refKey) <= maxRefKey {
		o.refKey = refKey
	}
	refuse := func(code int, problem string) (*order, *reply) {
		return nil, refusalBecause(code, o.refKey, problem)
	}
	var account, sendTime, reseller string
	for key, to := range map[string]*string{
		"account": &account, "type": &o.kind, "from": &o.from, "to": &o.to, "refkey": &refKey,
		"country": &o.country, "userinfo": &o.userInfo, "resellercode": &reseller, "sendtime": &sendTime,
	} {
		var ok bool
		if *to, ok = text(members, key); !ok {
			return refuse(3014, key+" is not a string")
		}
		delete(members, key)
	}
	switch {
	case account != s.opt.account:
		return refuse(3004, "invalid account")
	case o.kind == "" || o.from == "" || o.to == "" || refKey == "":
		return refuse(2000, "type, from, to and refkey are required")
	case len(refKey) > maxRefKey:
		return refuse(2000, "refkey is longer than 32 bytes")
	case !number(o.from) || !number(o.to):
		return refuse(2000, "from and to are digits, at most 16")
	case sendTime != "" && (len(sendTime) != 10 || !number(sendTime)):
		return refuse(2000, "sendtime is unix seconds")
	}
	if sendTime != "" {
		seconds, _ := strconv.ParseInt(sendTime, 10, 64) // ten digits
		o.at = time.Unix(seconds, 0)
	}
	content, err := object(members["content"])
	if err != nil || len(content) != 1 || content[o.kind] == nil {
		return refuse(2000, "content must have one key, equal to type")
	}
	for key := range members {
		if key != "content" && key != "resend" && key != "recontent" {
			return refuse(3014, "unknown field at the top level")
		}
	}
	if problem := invalid(body); problem != "" {
		return refuse(2000, problem)
	}
	o.channels = channels(o.kind, members["resend"])
	o.files = fileKeys(content["mms"])
	return o, nil
}

// invalid reads the body with the types of package send and returns what
// their Validate has against it, "" for nothing. It names no value.
func invalid(body []byte) string {
	var m send.Message
	if err := json.Unmarshal(body, &m); err != nil {
		return "the message cannot be read"
	}
	err := m.Validate()
	if err == nil {
		return ""
	}
	if field, ok := errors.AsType[*send.FieldError](err); ok {
		return field.Error()
	}
	return "invalid message"
}

// channels returns the type of the message and those of its fallbacks
// (spec 3.2).
func channels(kind string, resend json.RawMessage) []string {
	var order struct{ First, Second string }
	if len(resend) > 0 && json.Unmarshal(resend, &order) != nil {
		return []string{kind}
	}
	all := []string{kind}
	for _, next := range []string{order.First, order.Second} {
		if next != "" {
			all = append(all, next)
		}
	}
	return all
}

// number reports whether s is 1 to 16 digits (spec 2.1).
func number(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(s, "0123456789") == ""
}

// fileKeys returns the image keys in the content of an MMS.
func fileKeys(mms json.RawMessage) []string {
	var c struct {
		File []struct {
			Key string `json:"key"`
		} `json:"file"`
	}
	if len(mms) == 0 || json.Unmarshal(mms, &c) != nil {
		return nil
	}
	keys := make([]string, len(c.File))
	for i, f := range c.File {
		keys[i] = f.Key
	}
	return keys
}
