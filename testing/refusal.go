package bizppuriotest

import (
	"encoding/json"
	"net/http"

	"github.com/go-bizppurio/sdk/send"
)

// codeSuccess is the vendor's code for "accepted" (spec 6.2).
const codeSuccess = 1000

// statusOf returns the HTTP status that goes with a code (spec 6.1).
func statusOf(code int) int {
	switch code {
	case codeSuccess:
		return http.StatusOK
	case 5001:
		return http.StatusNotFound
	case 5002:
		return http.StatusTooManyRequests
	case 5003:
		return http.StatusBadGateway
	case 5004:
		return http.StatusServiceUnavailable
	case 5005:
		return http.StatusGatewayTimeout
	case 9000:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// refusal returns the vendor's answer with a code other than 1000. refKey is
// echoed if there is one (spec 1.3).
func refusal(code int, refKey string) *reply {
	return refusalBecause(code, refKey, send.Code(code).Text())
}

func refusalBecause(code int, refKey, description string) *reply {
	return asJSON(statusOf(code), struct {
		Code        int    `json:"code"`
		Description string `json:"description"`
		RefKey      string `json:"refkey,omitempty"`
	}{code, description, refKey})
}

func asJSON(status int, v any) *reply {
	b, err := json.Marshal(v)
	if err != nil {
		return &reply{status: http.StatusInternalServerError}
	}
	return &reply{status: status, body: b}
}
