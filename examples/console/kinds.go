package main

import (
	"slices"

	"github.com/go-bizppurio/sdk/send"
)

// What the simulation takes: it knows every number and key.
const (
	simulatedFrom      = "02-1234-5678"
	simulatedSenderKey = "SENDERKEY"
	simulatedTemplate  = "ORDER01"
)

// kind is a choice of the form: a content, and what it falls back on (대체발송).
type kind struct {
	Name string `json:"name"` // its labels are in words.js
	Unit string `json:"unit"` // of Max: bytes of EUC-KR, or chars
	Max  int    `json:"max"`  // of the text, by the narrowest channel (spec 2)

	offered bool
	build   func(text string) []send.Content // the first channel, then its fallbacks
}

// message makes one message of the kind.
func (k kind) message(to, refKey, text string) send.Message {
	contents := k.build(text)
	return send.Message{To: to, RefKey: refKey, Content: contents[0], Fallback: contents[1:]}
}

// kindsOf returns what can be sent. Kakao's kinds need the key of a sender
// profile, an alimtalk (알림톡) a template too; the text is then what the
// person types. RCS needs more than this page asks for and is simulated only.
func kindsOf(senderKey, template string, simulated bool) []kind {
	sms := func(text string) send.Content { return send.SMS{Text: text} }
	lms := func(text string) send.Content { return send.LMS{Subject: "안내", Text: text} }
	alimtalk := func(text string) send.Content {
		return send.AlimTalk{SenderKey: senderKey, TemplateCode: template, Text: text}
	}
	brand := func(text string) send.Content {
		return send.BrandMessage{Kind: "ut", SenderKey: senderKey, BrandMessageType: "FREE", SendTarget: "friend", Text: text}
	}
	rcs := func(text string) send.Content {
		return send.RCS{
			MessageBaseID: "SS000000", ChatbotID: simulatedFrom, Header: "0",
			Message: map[string]string{"description": text},
		}
	}
	profile := senderKey != ""
	templated := profile && template != ""
	all := []kind{
		{"alimtalk_lms", "bytes", 2000, templated, channels(alimtalk, lms)},
		{"alimtalk", "chars", 1300, templated, channels(alimtalk)},
		{"brand_lms", "bytes", 2000, profile, channels(brand, lms)},
		{"rcs_alimtalk_lms", "chars", 100, templated && simulated, channels(rcs, alimtalk, lms)},
		{"sms", "bytes", 90, true, channels(sms)},
		{"lms", "bytes", 2000, true, channels(lms)},
	}
	return slices.DeleteFunc(all, func(k kind) bool { return !k.offered })
}

// channels gives all channels the same text.
func channels(makers ...func(string) send.Content) func(text string) []send.Content {
	return func(text string) []send.Content {
		contents := make([]send.Content, len(makers))
		for i, content := range makers {
			contents[i] = content(text)
		}
		return contents
	}
}
