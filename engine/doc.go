// Package engine carries HTTP requests and tells, when one fails, whether it
// is proven that nothing of it was sent.
//
// A message to a customer cannot be taken back, so a request that fails may be
// tried again only where that is proven. The engines of this package prove it
// by counting: each byte of a request is counted above TLS before it is
// offered to a connection, and the count is final when RoundTrip returns an
// error. No guess from error texts, no hook of a trace.
//
//	RoundTrip ─ slot ─ connection ─ TLS ──────── write ─── wait ─── read ─ slot free
//	           acquire  resolve, dial  tls     │ write     wait     read
//	                                           │
//	           the request did not leave:      │ a byte was offered:
//	           Unsent, may be tried again      │ unknown, must not be
//
// [New] makes the default engine, a [Pooled] on net/http: HTTP/1.1, at most
// MaxConns connections, kept for later requests and refused to them before
// the first byte once they are stale. [Wrap] makes an engine of any
// http.RoundTripper.
//
//	e := engine.New(engine.Config{MaxConns: 8})
//	defer e.Close()
//	resp, err := e.RoundTrip(req)
//	var failed *engine.Error
//	if errors.As(err, &failed) && failed.Unsent {
//		// Nothing left this process.
//	}
//
// An [Engine] puts at most one request on the wire for each call. It does not
// retry, follow redirects or authenticate; it moves a request to another
// connection only while nothing of it was written. Engines are safe for
// concurrent use.
package engine
