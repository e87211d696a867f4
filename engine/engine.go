package engine

import (
	"io"
	"net/http"
)

// Engine carries requests over the network: one call of RoundTrip puts at
// most one request on the wire. An Engine follows no redirect, adds no
// authentication and never repeats a request on its own.
//
// A call that fails before any byte of the request was offered to a
// connection says so with an error that has the method NotSent() bool and
// answers true, as [*Error] does; what counts as saying so, [NotSent] tells.
// Every other error is taken to mean that the request may have been sent. An
// answer that is read although no byte of the request was offered belongs to
// nobody: the engine drops it and fails unsent. An answer that is no HTTP is an
// error in which errors.Is finds [ErrMalformed]; without that it counts as a
// connection that was lost.
//
// An engine with a method Stats() [Stats] has a pool. It calls GetConn of the
// request's [net/http/httptrace.ClientTrace] each time when it begins to wait for a
// connection, and GotConn when it has one: until then Close and the ad window
// may cancel the request.
//
// The body of an answer may have a method Discard(), by which the reader says
// that the connection shall carry no further request: the answer was another
// request's, and so would be all later ones.
//
// An Engine is safe for concurrent use. Close lets go of idle connections;
// who made the Engine closes it.
type Engine interface {
	http.RoundTripper
	io.Closer
}
