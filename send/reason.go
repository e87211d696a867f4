//nolint:errname,gosec // reasons read as what they are: send.RateLimited; none is a credential
package send

// Reason says why a message was not accepted, from a closed set: the
// constants of this package. It is an error, so that
// errors.Is(err, send.RateLimited) finds it in an [*Error].
type Reason string

// Reasons with outcome Rejected.
const (
	Invalid Reason = "invalid" // refused by our own validation, before anything left
	Refused Reason = "refused" // refused by Bizppurio; Error.Code says why
)

// Reasons with outcome NotSent.
const (
	Closed           Reason = "closed"            // the client is closed
	Canceled         Reason = "canceled"          // the caller's context ended before a byte left
	OutsideWindow    Reason = "outside_window"    // an advertisement outside the ad window
	RateLimited      Reason = "rate_limited"      // by the vendor (5002 or HTTP 429), or the client's own limit lets nothing go in the time given
	CircuitOpen      Reason = "circuit_open"      // the circuit breaker is open
	PoolTimeout      Reason = "pool_timeout"      // no connection became free in time
	Unreachable      Reason = "unreachable"       // DNS, TCP, TLS or proxy failed, or a connection died unused
	TokenUnavailable Reason = "token_unavailable" // no access token could be had
	Busy             Reason = "busy"              // the vendor has too many connections (3008, 5004)
)

// Reasons with outcome Unknown.
const (
	Timeout        Reason = "timeout"         // our own clock, once a byte may have left
	ConnectionLost Reason = "connection_lost" // the connection broke, once a byte may have left
	BadResponse    Reason = "bad_response"    // an answer that cannot be read or believed
	VendorFault    Reason = "vendor_fault"    // an error inside the vendor (3011, 5003, 5005, 9000, HTTP 5xx)
	Interrupted    Reason = "interrupted"     // the caller's context ended, once a byte may have left
)

// Error returns the name, such as "bizppurio: rate_limited".
func (r Reason) Error() string { return "bizppurio: " + string(r) }
