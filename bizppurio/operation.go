package bizppurio

import (
	"github.com/go-bizppurio/sdk/internal/wire"
	"github.com/go-bizppurio/sdk/send"
)

// operation is one endpoint of the vendor (spec 1.1). The table is the only
// place that says what is sent where and what may be repeated.
type operation struct {
	span     string // name of the call's span
	path     string
	accept   int64 // most bytes of an answer, inflated
	gzip     bool  // the answer may be compressed
	codeless bool  // success carries no code (spec 1.2, 1.4)

	decode   func([]byte) (wire.Answer, error)
	complete func(wire.Answer) bool // the answer holds what success must hold
	again    func(verdict) bool     // whether the call may be repeated after this
}

const (
	smallAnswer = 1 << 20
	largeAnswer = 16 << 20 // 1,000 reports
)

// The operations. A message, a file and a report are repeated only after a
// proven NotSent; a token call harms nobody.
var (
	opSend    = &operation{span: "bizppurio.send", path: "/v3/message", accept: smallAnswer, decode: wire.Decode, complete: always, again: provenNotSent}
	opFile    = &operation{span: "bizppurio.upload", path: "/v2/file", accept: smallAnswer, codeless: true, decode: wire.Decode, complete: hasFileKey, again: provenNotSent}
	opReport  = &operation{span: "bizppurio.report", path: "/v2/report", accept: smallAnswer, decode: wire.Decode, complete: always, again: provenNotSent}
	opPoll    = &operation{span: "bizppurio.poll", path: "/v1/result/request", accept: largeAnswer, gzip: true, decode: wire.DecodeAnyCase, complete: always, again: provenNotSent}
	opConfirm = &operation{span: "bizppurio.confirm", path: "/v1/result/confirm", accept: smallAnswer, decode: wire.Decode, complete: always, again: provenNotSent}
	opWarm    = &operation{span: "bizppurio.warm", complete: always, again: provenNotSent} // makes no request of its own
	opToken   = &operation{span: "bizppurio.token", path: "/v1/token", accept: smallAnswer, codeless: true, decode: wire.Decode, complete: hasToken, again: harmless}
)

func operations() []*operation {
	return []*operation{opSend, opFile, opReport, opPoll, opConfirm, opToken}
}

func always(wire.Answer) bool       { return true }
func hasFileKey(a wire.Answer) bool { return a.FileKey != "" }
func hasToken(a wire.Answer) bool   { return wire.ValidToken(a.Token) }

// provenNotSent allows what did not reach the vendor, or was turned away by
// it for now.
func provenNotSent(v verdict) bool {
	if v.outcome != send.NotSent {
		return false
	}
	switch v.reason { //nolint:exhaustive // every other reason is final
	case send.Unreachable, send.RateLimited, send.Busy:
		return true
	}
	return false
}

// harmless allows a token call to be repeated after answers that say the
// vendor could not serve it, too.
func harmless(v verdict) bool {
	return provenNotSent(v) || v.outcome == send.Unknown && v.reason == send.VendorFault && v.status >= 500
}
