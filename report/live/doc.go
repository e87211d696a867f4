// Package live brings events to browsers as server-sent events: "message 7f3a
// is delivered" on the page of the one who sent it, for ten thousand pages at
// once.
//
//	hub := live.NewHub(live.Config{Topic: func(r *http.Request) (string, error) {
//		return campaignOf(r) // the application's session decides
//	}})
//	defer hub.Close()
//	mux.Handle("GET /events", hub)
//	…
//	hub.Publish("campaign-12", "delivered", []byte(`{"id":"7f3a"}`))
//
// and on the page:
//
//	const source = new EventSource("/events")
//	source.onopen = loadState
//	source.addEventListener("delivered", e => show(JSON.parse(e.data)))
//	source.addEventListener("gap", () => location.reload())
//	source.onerror = () => { // a status such as 503 ends an EventSource for good
//		if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000)
//	}
//
// # What arrives
//
// A reader gets the events of its topic in order, each once. When its
// connection breaks, EventSource comes back by itself with the id of the last
// event it saw, and gets what it missed. An id that the topic does not know any
// more, because the ring of [Config].Replay events has moved on, the topic was
// forgotten, or the hub was started anew, is answered with an event named "gap",
// and the live events follow: load the state again. An id is the hub's boot,
// which is random, and a number that rises within the topic; take it as it is.
//
// A reader that cannot keep up never delays another, nor Publish. It is dropped
// when one write takes longer than [Config].WriteTimeout, or when more than
// 8 MiB of its topic wait for it, beyond the next event and what it asked to get
// again; then it comes back like anybody else. Events are never left out in
// silence: who has seen one gets the rest or a gap, and who has seen none opens
// anew, which is when a page loads its state.
//
// # How
//
//	Publish ── encode once ──► topic: link → event → link → event → (tail)
//	                             ring ┘         └ reader        └ reader
//	shard 1 … n: one goroutine for each processor, a share of the readers each
//	   writes what a socket takes without waiting
//	   └ socket full, or TLS: a goroutine until the reader has caught up
//
// On HTTP/1.1 the hub takes the connection over (hijacks it). A reader at rest is
// then about 1 KB and no goroutine. The price: that a client is gone the hub
// learns only by writing, at the next heartbeat or the one after it, or, if it
// vanished without a word, when TCP gives up; requests look short to
// middleware; and [http.Server.Shutdown] does not know these connections (see
// [Hub.Close]). Connections that cannot be hijacked, HTTP/2 above all, keep
// their handler and its memory, and follow the same rules. On HTTP/1.1 a browser
// opens at most six connections to a host: serve HTTP/2 to pages that people
// open in many tabs.
//
// [http.Server.WriteTimeout] does not end a reader where the ResponseWriter lets
// the hub set its own deadlines. Middleware that wraps the ResponseWriter should
// have the method Unwrap that [http.ResponseController] looks for: without it
// and without Flush the answer is 500, and without deadlines only the server's
// own can end a stalled reader.
//
// # Personal data
//
// Delivery reports hold phone numbers, names and texts. Choose what goes to a
// browser, do not forward a report: an id of the page's own or the RefKey, the
// status, the time. Events also stay in the hub's memory for [Config].Keep.
//
// A topic is a capability. With a nil [Config].Topic everybody who can name a
// topic reads it, so it has to be unguessable, as a RefKey is, and it is part of
// a URL, which proxies write to their logs. Where that is not enough, let
// Config.Topic ask the session.
package live
