// Package token keeps one access token (접근 토큰) for any number of senders.
//
// A [Cache] stands in front of a function that fetches a token:
//
//	c := token.NewCache(fetch, token.Options{})
//	defer c.Close()
//
//	t, err := c.Token(ctx)
//
// What happens to a call of [Cache.Token]:
//
//	token alive ───────────────▶ handed out; no lock, no allocation
//	   │ last tenth of its life:  the same, and one refresh in the background
//	   ▼ none, expired, invalidated
//	refused in the last 5 s ───▶ the same refusal, from memory
//	   ▼
//	join the fetch under way, or begin it ── Store ── fetch ──▶ every waiter
//
// A fetch belongs to nobody: it keeps the values of the context that began it,
// so that traces show its parent, but not its deadline or cancellation. It has
// a time limit of its own, and each waiter leaves on its own context.
//
// Only refusals and [ErrUnusable] are remembered. Those who wait when a fetch
// fails share its error; the next call begins a new fetch, so that an outage is
// over for us when it is over for the server. To spare a server that is down,
// put a circuit breaker into the fetch function.
//
// Two Caches with one [Store] that miss at the same moment both fetch: the
// Store has no lock. Whoever misses later takes the token that was saved.
//
// A token is not handed out past its Expires. Reading the clock costs more than
// the rest of a hit, so the clock is read only in the last part of a token's
// life (at least its last minute), or always if the token lives less than ten
// minutes. Before that a timer stands in for it, which compares with the wall
// clock once a minute. The one exception follows from that: when a machine's
// sleep or a jump of its clock outlasts the token, the token may be handed out
// for up to a minute more; the server refuses it, and [Cache.Invalidate] helps.
package token
