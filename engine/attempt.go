package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"
)

// attempt is one request on its way, and the context under which net/http
// carries it. It counts the bytes that were offered to connections on its
// behalf, which is the proof behind [Error.Unsent]: every byte of a request
// passes [conn.Write], and what is counted there before the write is taken
// back only if the write reports that nothing of it went out.
type attempt struct {
	context.Context // the caller's
	pool            *Pooled
	caller          *httptrace.ClientTrace // the caller's hooks; may be nil
	trace           httptrace.ClientTrace  // ours, which call the caller's
	traced          context.Context        // holds trace
	moves           int                    // attempts before this one that failed unsent

	// Guarded by pool.mu.
	phase    Phase
	wrote    bool  // net/http has handed over the whole request
	conn     *conn // the last connection it was given
	turn     *turn // its dial waits for room
	spent    *conn // the connection that was offered its first byte
	offered  int
	heard    bool // bytes of an answer came
	broke    bool // a read or write failed
	sealed   bool // no byte may be offered any more
	finished bool
}

// attemptKey finds the attempt in the context of its dial.
type attemptKey struct{}

func newAttempt(p *Pooled, req *http.Request) *attempt {
	a := &attempt{Context: req.Context(), pool: p, phase: Acquire}
	a.caller = httptrace.ContextClientTrace(a.Context) //nolint:contextcheck // it is the request's
	if c := a.caller; c != nil {
		a.trace.GetConn = c.GetConn
		a.trace.PutIdleConn = c.PutIdleConn
		a.trace.GotFirstResponseByte = c.GotFirstResponseByte
		a.trace.Got100Continue = c.Got100Continue
		a.trace.WroteHeaderField = c.WroteHeaderField
		a.trace.WroteHeaders = c.WroteHeaders
		a.trace.Wait100Continue = c.Wait100Continue
		// The hooks of the dial are called in dialHooks.
	}
	a.trace.GotConn = a.gotConn
	a.trace.WroteRequest = a.wroteRequest
	// On a context of its own, because WithClientTrace would join the hooks
	// with the caller's by reflection, on every request.
	a.traced = httptrace.WithClientTrace(context.Background(), &a.trace)
	return a
}

// Value shows net/http our hooks instead of the caller's.
func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	if v := a.traced.Value(key); v != nil {
		return v
	}
	return a.Context.Value(key)
}

func (a *attempt) gotConn(info httptrace.GotConnInfo) {
	if c, ok := info.Conn.(*conn); ok {
		a.pool.mu.Lock()
		c.attachLocked(a, info.Reused)
		a.conn, a.phase = c, Write
		a.pool.dropTurnLocked(a)
		victim := a.pool.victimLocked()
		a.pool.mu.Unlock()
		victim.shut()
	}
	if a.caller != nil && a.caller.GotConn != nil {
		a.caller.GotConn(info)
	}
}

func (a *attempt) wroteRequest(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		a.pool.mu.Lock()
		a.wrote, a.phase = true, Wait
		a.pool.mu.Unlock()
	}
	if a.caller != nil && a.caller.WroteRequest != nil {
		a.caller.WroteRequest(info)
	}
}

// dialling notes how far the dial for this attempt is, unless the attempt has
// got another connection meanwhile.
func (a *attempt) dialling(ph Phase) {
	a.pool.mu.Lock()
	if a.conn == nil {
		a.phase = ph
	}
	a.pool.mu.Unlock()
}

// placedLocked reports whether a dial on behalf of the attempt, which may be
// nil, is no longer needed: it has a connection, or is over.
func (a *attempt) placedLocked() bool {
	return a != nil && (a.conn != nil || a.sealed)
}

// reached says how far the attempt got.
func (a *attempt) reached() Phase {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	return a.phase
}

// offerLocked counts n bytes that c is about to write.
func (a *attempt) offerLocked(c *conn, n int) error {
	switch {
	case a.sealed:
		return errSealed
	case a.spent != nil && a.spent != c:
		return errSpent // net/http replays GET, and POST with Idempotency-Key
	}
	a.spent = c
	a.offered += n
	return nil
}

// wroteLocked corrects the count after a write of n bytes, of which done went
// out.
func (a *attempt) wroteLocked(n, done int, err error) {
	if done == 0 && err != nil {
		a.offered -= n
		if a.offered == 0 {
			a.spent = nil
		}
	}
	if err == nil && a.wrote {
		a.phase = Wait
	}
	// A connection that net/http has closed did not break: it may have closed it
	// because of the answer.
	a.broke = a.broke || err != nil && !errors.Is(err, net.ErrClosed)
}

// misheard reports whether what ended the attempt was the answer itself: it
// came, and no end of the connection cut it off.
func (a *attempt) misheard() bool {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	return a.heard && !a.broke
}

// sealing says when an attempt is sealed.
type sealing bool

const (
	always     sealing = false
	onlyUnsent sealing = true
)

// seal ends the attempt, so that no byte of it is offered from now on, and
// reports whether none was. With onlyUnsent it ends only such an attempt.
func (a *attempt) seal(s sealing) (unsent bool) {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	unsent = a.offered == 0
	if unsent || s == always {
		a.sealed = true
	}
	if unsent && a.conn != nil && a.conn.user == a {
		a.conn.retired = true // it may hold an answer to nothing
	}
	return unsent
}

// again returns an attempt for the same request, where this one failed unsent
// on a connection from the pool that had just ended, and nil otherwise. Most
// of the time net/http moves such a request by itself, but not when it saw
// the peer's FIN before it wrote.
func (a *attempt) again(req *http.Request) (*attempt, *http.Request) {
	a.pool.mu.Lock()
	dead := a.offered == 0 && a.conn != nil && a.conn.reused
	a.pool.mu.Unlock()
	if !dead || a.Err() != nil || a.moves == a.pool.cfg.MaxConns {
		return nil, nil
	}
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, nil
		}
		body, err := req.GetBody()
		if err != nil {
			return nil, nil
		}
		moved := *req
		moved.Body = body
		req = &moved
	}
	next := newAttempt(a.pool, req)
	next.moves = a.moves + 1
	return next, req
}

// finish gives back connection and slot, once.
func (a *attempt) finish() {
	p := a.pool
	p.mu.Lock()
	if a.finished {
		p.mu.Unlock()
		return
	}
	a.finished, a.sealed = true, true
	p.dropTurnLocked(a)
	if a.conn != nil {
		a.conn.detachLocked(a, time.Now())
	}
	victim := p.victimLocked()
	p.mu.Unlock()
	victim.shut()
	<-p.slots
	if p.life.Err() != nil {
		p.transport.CloseIdleConnections()
	}
}
