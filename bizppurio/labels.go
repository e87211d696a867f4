package bizppurio

import (
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/go-bizppurio/sdk/send"
)

// What an answer or a message says of itself may be anything, a phone number
// too. Labels are what telemetry shows of it.

// errorType is the reason. A call that a panic of the engine or the end of
// its goroutine cut short has none, and was interrupted.
func errorType(v verdict) string {
	if v.reason == "" {
		return string(send.Interrupted)
	}
	return string(v.reason)
}

// channelLabel keeps the channel in a closed set: Raw may name any.
func channelLabel(channel string) string {
	switch channel {
	case "sms", "lms", "mms", "at", "ai", "rcs", "ntalk",
		"ft", "fi", "fw", "fl", "fc", "fm", "fp", "fa",
		"ut", "ui", "uw", "ul", "uc", "um", "up", "ua":
		return channel
	}
	return "other"
}

// codeLabel is the vendor's code, 0 if there is none of the four digits that
// its codes have (spec 6.2).
func codeLabel(v verdict) int {
	if v.code < 1000 || v.code > 9999 {
		return 0
	}
	return int(v.code)
}

// keyLabel is the vendor's key of an accepted message, "" if what it sent does
// not look like one (spec 3.4).
func (c *call) keyLabel() string {
	key := c.verdict.answer.MessageKey
	if c.op != opSend || c.verdict.outcome != send.Accepted || len(key) > 64 {
		return ""
	}
	letters := 0
	for _, r := range []byte(key) {
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			letters++
		case '0' <= r && r <= '9' || strings.IndexByte("#_-", r) >= 0:
		default:
			return ""
		}
	}
	if letters == 0 {
		return ""
	}
	return key
}

// hostAttributes name the vendor's host.
func hostAttributes(base *url.URL) []attribute.KeyValue {
	port, err := strconv.Atoi(base.Port())
	switch {
	case err == nil:
	case base.Scheme == "http":
		port = 80
	default:
		port = 443
	}
	return []attribute.KeyValue{attribute.String("server.address", base.Hostname()), attribute.Int("server.port", port)}
}
