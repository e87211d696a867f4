package send

import "github.com/go-bizppurio/sdk/internal/codes"

// Code is a result code of the vendor's API (spec 6.2), such as 1000 for
// accepted. Codes of delivery reports are of other families: see package
// report.
type Code int

// Text returns what the code means, in English, and "" for a code that the
// table does not have. To a refusal of the account it adds the usual cause.
func (c Code) Text() string {
	text := codes.Text(codes.API, int(c))
	if cause := c.cause(); cause != "" {
		text += "; usual cause: " + cause
	}
	return text
}

// cause is what to look at first. It covers case 87: the vendor's own words
// say that something is wrong, not what.
func (c Code) cause() string {
	switch c {
	case 3000:
		return "no address of yours is registered with the vendor for the account"
	case 3001:
		return "wrong account or password"
	case 3002, 3005:
		return "the token expired, or was issued to another account or address"
	case 3003, 3010:
		return "the address that the request comes from is not registered for the account"
	case 3004, 3006:
		return "wrong account, or an account of the other host (production and staging have their own)"
	case 3007:
		return "wrong password"
	case 3008:
		return "too many connections at once, from all processes of the account together"
	case 3009:
		return "the vendor has suspended the account"
	}
	return ""
}

// account reports whether the code refuses the account, and so every message.
func (c Code) account() bool {
	switch c {
	case 3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3009, 3010, 5001:
		return true
	}
	return false
}
