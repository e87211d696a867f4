package bizppuriotest

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// fate is what becomes of an accepted message.
type fate struct {
	firstFails bool          // the first channel fails; a fallback delivers
	sameRecord bool          // as firstFails, but told in fields of the one report
	allFail    bool          // every channel fails
	uncertain  bool          // Kakao's 7305, nothing else
	silent     bool          // no report ever comes
	twice      bool          // the last report comes twice
	late       time.Duration // how much later it comes
}

// lateReport is how late the report of a late recipient is.
const lateReport = 2 * time.Second

// fateOf reads the fate out of a recipient's number.
func fateOf(to string) fate {
	switch to {
	case "01000001001":
		return fate{allFail: true}
	case "01000001002":
		return fate{firstFails: true}
	case "01000001003":
		return fate{sameRecord: true}
	case "01000001004":
		return fate{late: lateReport}
	case "01000001005":
		return fate{twice: true}
	case "01000001006":
		return fate{silent: true}
	case "01000001007":
		return fate{uncertain: true}
	}
	return fate{}
}

// trick is what a recipient's number does to the request: to a Server by its
// fault, to a Fake by the error that a client would return.
type trick struct {
	fault Fault
	once  bool // only the first time that a refkey comes
	err   send.Error
}

// codesOnRequest are the vendor's codes that a number can ask for (spec 6.2).
func codesOnRequest() []int {
	return []int{
		2000, 3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009, 3010, 3011, 3012, 3013, 3014,
		5001, 5002, 5003, 5004, 5005, 9000,
	}
}

// specialPrefix begins all numbers that decide what happens.
const specialPrefix = "0100000"

// trickOf reads the trick out of a recipient's number, nil if it has none.
func trickOf(to string) *trick {
	digits, ok := strings.CutPrefix(to, specialPrefix)
	if !ok || len(digits) != 4 {
		return nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil
	}
	switch {
	case slices.Contains(codesOnRequest(), n):
		return &trick{fault: Code(n), err: verdictOnCode(n)}
	case slices.Contains([]int{301, 302, 303, 305, 307, 308}, n):
		return &trick{fault: Redirect(n), err: send.Error{Reason: send.BadResponse, Status: n}}
	case n >= 400 && n <= 599:
		return &trick{fault: HTML(n), err: verdictOnStatus(n)}
	}
	return lossOf(n)
}

// lossOf is trickOf for what happens to connections.
func lossOf(n int) *trick {
	lost := send.Error{Reason: send.ConnectionLost, Err: errors.New("connection lost")}
	bad := send.Error{Reason: send.BadResponse, Status: http.StatusOK}
	timeout := send.Error{Reason: send.Timeout, Err: os.ErrDeadlineExceeded}
	switch n {
	case 6001:
		return &trick{fault: Drop().AfterAccepting(), err: lost}
	case 6002:
		return &trick{fault: Reset().AfterAccepting(), err: lost}
	case 6003:
		return &trick{fault: Stall().AfterAccepting(), err: timeout}
	case 6004:
		return &trick{fault: Drop(), err: lost}
	case 6005:
		return &trick{fault: Reset(), err: lost}
	case 6006:
		return &trick{fault: Stall(), err: timeout}
	case 6007:
		return &trick{fault: CutBody(), err: bad}
	case 6008:
		bad.Code = codeSuccess
		return &trick{fault: OtherRefKey(), err: bad}
	case 6009:
		return &trick{fault: Code(3008), once: true}
	case 6010:
		return &trick{fault: Code(5002), once: true}
	case 6011:
		return &trick{fault: Revoke(), once: true}
	case 6012:
		return &trick{fault: Delay(time.Second)}
	}
	return nil
}

// verdictOnCode is what a client makes of a code on a send.
func verdictOnCode(code int) send.Error {
	e := send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: send.Code(code), Status: statusOf(code)}
	switch code {
	case 5002:
		e.Outcome, e.Reason, e.RetryAfter = send.NotSent, send.RateLimited, 50*time.Millisecond
	case 3008, 5004:
		e.Outcome, e.Reason = send.NotSent, send.Busy
	case 3011, 5003, 5005, 9000:
		e.Outcome, e.Reason = send.Unknown, send.VendorFault
	}
	return e
}

// verdictOnStatus is what a client makes of an HTTP status without a code.
func verdictOnStatus(status int) send.Error {
	switch {
	case status == http.StatusTooManyRequests:
		return send.Error{Outcome: send.NotSent, Reason: send.RateLimited, Status: status}
	case status >= 500:
		return send.Error{Reason: send.VendorFault, Status: status}
	}
	return send.Error{Reason: send.BadResponse, Status: status}
}

// numberFault returns the fault that the recipient's number asks for. A
// request that would be refused anyway is left to the usual answer.
func (s *Server) numberFault(x *exchange) *Fault {
	if !bytes.Contains(x.body, []byte(specialPrefix)) {
		return nil
	}
	members, err := object(x.body)
	if err != nil {
		return nil
	}
	to, _ := text(members, "to")
	t := trickOf(to)
	if t == nil {
		return nil
	}
	value, _ := x.bearer()
	if !s.tokens.good(value) {
		return nil
	}
	o, refused := s.readOrder(x.body)
	if refused != nil || t.once && !s.first.mark(o.refKey) {
		return nil
	}
	return &t.fault
}

// firsts tells the first time from the others.
type firsts struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (f *firsts) mark(key string) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	first = !f.seen[key]
	f.seen[key] = true
	return first
}
