package report

// MaxInFlight is the limit of requests that are being handled.
const MaxInFlight = maxInFlight
