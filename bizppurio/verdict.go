package bizppurio

import (
	"time"

	"github.com/go-bizppurio/sdk/internal/codes"
	"github.com/go-bizppurio/sdk/internal/wire"
	"github.com/go-bizppurio/sdk/send"
)

// verdict is what one attempt came to.
type verdict struct {
	outcome    send.Outcome
	reason     send.Reason
	code       send.Code
	status     int
	retryAfter time.Duration
	err        error // safe to print

	answer wire.Answer // what could be read, when there was an answer
	body   []byte      // of an accepted answer

	tokenRefused bool // 3002 or 3005: the token, not the message
	notOurs      bool // the answer belongs to another message
}

func notSent(r send.Reason, err error) verdict {
	return verdict{outcome: send.NotSent, reason: r, err: err}
}

func unknown(r send.Reason, err error) verdict {
	return verdict{outcome: send.Unknown, reason: r, err: err}
}

// error returns the verdict as the caller sees it, nil when accepted.
func (v verdict) error(refkey string) error {
	if v.outcome == send.Accepted {
		return nil
	}
	return &send.Error{
		Outcome: v.outcome, Reason: v.reason, Code: v.code, Status: v.status,
		RefKey: refkey, RetryAfter: v.retryAfter, Err: v.err,
	}
}

// classify decides, for every endpoint and in this one place, what an answer
// that was read to its end says. The rules are the table "Classification" of
// the design; refkey is "" for calls that send no message.
func classify(op *operation, refkey string, status int, body []byte) verdict {
	answer, err := op.decode(body)
	v := verdict{status: status, answer: answer, code: send.Code(answer.Code)}
	is := func(o send.Outcome, r send.Reason) verdict {
		v.outcome, v.reason = o, r
		return v
	}
	switch {
	case status < 200 || status >= 300 && status < 400:
		return is(send.Unknown, send.BadResponse)
	case err == wire.ErrContradicts: //nolint:errorlint // Decode returns it bare
		return is(send.Unknown, send.BadResponse)
	case refkey != "" && !answer.Echoes(refkey):
		v.notOurs = true
		return is(send.Unknown, send.BadResponse)
	case !answer.HasCode:
		return withoutCode(op, v, is)
	}
	switch answer.Code {
	case 1000:
		if status >= 300 || !op.complete(answer) {
			return is(send.Unknown, send.BadResponse)
		}
		v.body = body
		return is(send.Accepted, "")
	case 3002, 3005:
		v.tokenRefused = true
		return is(send.Rejected, send.Refused)
	case 5002:
		return is(send.NotSent, send.RateLimited)
	case 3008, 5004:
		return is(send.NotSent, send.Busy)
	case 3011, 5003, 5005, 9000:
		return is(send.Unknown, send.VendorFault)
	case 5000:
		if op != opReport {
			return is(send.Unknown, send.BadResponse)
		}
		return is(send.Rejected, send.Refused)
	case 2000, 5001:
		return is(send.Rejected, send.Refused)
	}
	if answer.Code >= 3000 && answer.Code < 4000 && codes.Known(codes.API, answer.Code) {
		return is(send.Rejected, send.Refused)
	}
	return is(send.Unknown, send.BadResponse)
}

// withoutCode classifies an answer in which no code could be read: a
// gateway's page, or the success of an endpoint that sends none.
func withoutCode(op *operation, v verdict, is func(send.Outcome, send.Reason) verdict) verdict {
	switch {
	case v.status < 300 && op.codeless && op.complete(v.answer):
		return is(send.Accepted, "")
	case v.status >= 500:
		return is(send.Unknown, send.VendorFault)
	case v.status == 429:
		return is(send.NotSent, send.RateLimited)
	}
	return is(send.Unknown, send.BadResponse)
}
