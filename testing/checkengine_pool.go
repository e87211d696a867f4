package bizppuriotest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// reused: a hundred requests, one connection.
func (c *engineCheck) reused() {
	n := 0
	for range 3 { // net/http gives a connection up when its goroutines are not run in time
		w := c.wire(nil)
		e := c.engine(engine.Config{})
		for range 100 {
			if !c.wantOK("one of a hundred requests", c.do(e, c.post(w, "reuse"))) {
				return
			}
		}
		if n, _ = w.conns(); n == 1 {
			return
		}
	}
	c.broke("a hundred requests, one after the other, used %d connections, want 1", n)
}

// maxConns: never more connections than MaxConns, and never fewer to be had,
// also after calls were cancelled at every stage.
func (c *engineCheck) maxConns() {
	const limit, callers = 3, 9
	w := c.wire(nil)
	e := c.engine(engine.Config{MaxConns: limit, AcquireTimeout: 500 * time.Millisecond})
	c.crowd(e, w, limit, callers)
	if n, _ := w.conns(); n > limit {
		c.broke("%d connections were opened with MaxConns %d", n, limit)
	}

	calls := make([]<-chan engineResult, 8*limit)
	for i := range calls {
		ctx, cancel := context.WithTimeout(c.ctx, time.Duration(i)*time.Millisecond)
		defer cancel()
		calls[i] = c.begin(e, c.post(w, "hold").WithContext(ctx))
	}
	for _, ch := range calls {
		c.wait(ch)
	}
	c.crowd(e, w, limit, callers)
}

// crowd lets more callers come than there are connections. The first hold
// theirs until the others have been refused.
func (c *engineCheck) crowd(e engine.Engine, w *wire, limit, callers int) {
	ended := make(chan engineResult, callers)
	ours := map[string]bool{} // cancelled ones may arrive late
	reqs := make([]*http.Request, callers)
	for i := range reqs {
		reqs[i] = c.post(w, "hold")
		ours[reqs[i].URL.Path] = true
	}
	for _, req := range reqs {
		ch := c.begin(e, req)
		c.calls.Go(func() { ended <- <-ch })
	}
	arrived, refused := 0, 0
	var last engineResult
	timer := time.NewTimer(c.limit())
	defer timer.Stop()
	for arrived+refused < callers {
		select {
		case path := <-w.arrived:
			if ours[path] {
				arrived++
			}
		case last = <-ended:
			refused++
			c.wantNotSent("a caller for whom no connection is free", last)
			c.wantNoContextError("a caller for whom no connection is free", last)
		case <-timer.C:
			c.stop("callers for whom no connection is free neither arrive nor fail")
		case <-c.ctx.Done():
			c.stop("not finished")
		}
	}
	switch {
	case arrived > limit:
		c.broke("%d requests are on the wire at once with MaxConns %d", arrived, limit)
	case arrived < limit:
		c.broke("%d requests are on the wire at once with MaxConns %d: places are lost", arrived, limit)
	}
	if !c.within(func() bool { _, open := w.conns(); return open <= limit }) {
		c.broke("connections stay open beyond MaxConns")
	}
	w.letGo()
	for range arrived {
		c.wantOK("a caller with a connection", receive(c, ended, "a call does not return"))
	}
}

// manyHosts: MaxConns is for all hosts together, and idle connections to one
// host make room for another.
func (c *engineCheck) manyHosts() {
	wires := []*wire{c.wire(nil), c.wire(nil), c.wire(nil)}
	e := c.engine(engine.Config{MaxConns: 2})
	for i := range 9 {
		c.wantOK("one of requests to several hosts", c.do(e, c.post(wires[i%3], "turn")))
	}
	open := func() (n int) {
		for _, w := range wires {
			_, o := w.conns()
			n += o
		}
		return n
	}
	if !c.within(func() bool { return open() <= 2 }) {
		c.broke("%d connections to several hosts are open with MaxConns 2", open())
	}
}

// acquireTimeout: a clock of its own for the wait for a connection, in which
// the dial does not count.
func (c *engineCheck) acquireTimeout() {
	const short = 50 * time.Millisecond
	slow := c.wireWith(c.serverTLS(), func(*wireConn) bool { c.pause(4 * short); return true }, nil)
	e := c.engine(engine.Config{MaxConns: 1, AcquireTimeout: short})
	c.wantOK("a request whose handshake takes longer than AcquireTimeout", c.do(e, c.post(slow, "first")))
	first := c.begin(e, c.post(slow, "hold"))
	receive(c, slow.arrived, "a request does not arrive")
	r := c.do(e, c.post(slow, "late"))
	c.wantNotSent("a call past AcquireTimeout", r)
	c.wantNoContextError("a call past AcquireTimeout", r)
	slow.letGo()
	c.wantOK("a request that was held", c.wait(first))
	c.wantOK("a request after one past AcquireTimeout", c.do(e, c.post(slow, "next")))

	w := c.wire(nil)
	cause := errors.New("the cause")
	e = c.engine(engine.Config{MaxConns: 1})
	first = c.begin(e, c.post(w, "hold"))
	receive(c, w.arrived, "a request does not arrive")
	ctx, cancel := context.WithCancelCause(c.ctx)
	left := c.begin(e, c.post(w, "left").WithContext(ctx))
	waits := c.begin(e, c.post(w, "waits"))
	c.pause(short) // so that they wait, most likely
	cancel(cause)
	r = c.wait(left)
	c.wantNotSent("a call that is cancelled while it waits for a connection", r)
	c.wantErrors("a call that is cancelled while it waits for a connection", r, []error{context.Canceled, cause})
	w.letGo()
	c.wantOK("a request that was held", c.wait(first))
	c.wantOK("a call that waited for a connection", c.wait(waits))
}

// idleTimeout: a connection that was idle longer than IdleTimeout carries
// nothing, since the server may have closed it just now.
func (c *engineCheck) idleTimeout() {
	const limit = 100 * time.Millisecond
	w := c.wire(nil)
	e := c.engine(engine.Config{MaxConns: 2, IdleTimeout: limit})
	used := map[int]bool{}
	for range 3 {
		r := c.do(e, c.post(w, "idle"))
		c.wantOK("a request after a pause", r)
		_, n := w.got(r.path)
		if used[n] {
			c.broke("a connection was used again after IdleTimeout")
		}
		used[n] = true
		c.pause(3 * limit)
	}
	if !c.within(func() bool { _, open := w.conns(); return open == 0 }) {
		c.broke("idle connections stay open after IdleTimeout")
	}
}

// othersUnharmed: one call fails; connections that have nothing to do with it
// stay.
func (c *engineCheck) othersUnharmed() {
	w := c.wire(map[string]wireHandler{"close": func(*wireConn, *wireRequest) bool { return false }})
	e := c.engine(engine.Config{MaxConns: 5})
	c.fill(e, w, 4)
	c.do(e, c.request(c.ctx, "https://"+refusedAddr(c), "refused"))
	c.do(e, c.post(w, "ended").WithContext(endedContext(c.ctx, nil)))
	c.do(e, c.post(w, "close"))
	ctx, cancel := context.WithCancel(c.ctx)
	ch := c.begin(e, c.post(w, "hold").WithContext(ctx))
	receive(c, w.arrived, "a request does not arrive")
	cancel()
	c.wait(ch)
	for range 10 {
		c.wantOK("a request after failed ones", c.do(e, c.post(w, "next")))
	}
	if n, _ := w.conns(); n != 4 {
		c.broke("after calls that failed, idle connections of others were not used again: %d connections were opened, want 4", n)
	}
}

// closes: Close refuses what comes, ends what waits, lets finish what runs.
func (c *engineCheck) closes() {
	w := c.wire(nil)
	e := c.engine(engine.Config{MaxConns: 1})
	c.wantOK("a request", c.do(e, c.post(w, "first")))
	running := c.begin(e, c.post(w, "hold"))
	receive(c, w.arrived, "a request does not arrive")
	waiting := c.begin(e, c.post(w, "waiting"))
	c.pause(50 * time.Millisecond) // so that it waits, most likely
	closed := make(chan error, 1)
	c.calls.Go(func() { closed <- e.Close() })
	r := c.wait(waiting)
	c.wantNotSent("a call that waits for a connection when the engine is closed", r)
	c.wantNoContextError("a call that waits for a connection when the engine is closed", r)
	w.letGo()
	c.wantOK("a request that runs when the engine is closed", c.wait(running))
	if err := receive(c, closed, "Close does not return"); err != nil {
		c.broke("Close failed: %w", err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { c.closeEngine(e) })
	}
	wg.Wait()
	c.wantNotSent("a call after Close", c.do(e, c.post(w, "late")))
	if !c.within(func() bool { _, open := w.conns(); return open == 0 }) {
		c.broke("connections are open after Close, with no request on its way")
	}
}

// labelKey labels the goroutines that an engine starts: they inherit it from
// the one that calls the engine.
const labelKey = "bizppuriotest.CheckEngine"

// nothingLeft: engines come and go, their goroutines go with them. What is
// left of the first may belong to the process, such as a cache that every
// engine shares; of the later ones nothing is.
func (c *engineCheck) nothingLeft() {
	w := c.wire(map[string]wireHandler{"close": func(*wireConn, *wireRequest) bool { return false }})
	var label string
	for i := range 3 {
		label = strconv.Itoa(i) + " " + time.Now().String()
		done := make(chan struct{})
		go func() {
			defer close(done)
			pprof.SetGoroutineLabels(pprof.WithLabels(c.ctx, pprof.Labels(labelKey, label)))
			c.life(w)
		}()
		<-done
	}
	if !c.within(func() bool { return !bytes.Contains(goroutines(), []byte(strconv.Quote(label))) }) {
		c.broke("goroutines are left after Close, with no request on its way")
	}
}

// life is the life of an engine, with all that leaves goroutines behind.
func (c *engineCheck) life(w *wire) {
	e := c.engine(engine.Config{MaxConns: 4})
	c.fill(e, w, 3)
	c.do(e, c.request(c.ctx, "https://"+refusedAddr(c), "refused"))
	c.do(e, c.post(w, "close"))
	ctx, cancel := context.WithCancel(c.ctx)
	ch := c.begin(e, c.post(w, "hold").WithContext(ctx))
	receive(c, w.arrived, "a request does not arrive")
	cancel()
	c.wait(ch)
	c.wantOK("the last request of an engine", c.do(e, c.post(w, "last")))
	c.closeEngine(e)
}

// goroutines lists all goroutines with their labels.
func goroutines() []byte {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		return nil
	}
	return b.Bytes()
}

// traced: an engine that reports through httptrace reports what happened.
func (c *engineCheck) traced() {
	w := c.wire(nil)
	e := c.engine(engine.Config{MaxConns: 1})
	for i := range 2 {
		var mu sync.Mutex
		var got []httptrace.GotConnInfo
		ctx := httptrace.WithClientTrace(c.ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, info)
		}})
		c.wantOK("a traced request", c.do(e, c.post(w, "traced").WithContext(ctx)))
		mu.Lock()
		if len(got) > 0 {
			switch last := got[len(got)-1]; {
			case last.Reused != (i > 0):
				c.broke("GotConn says Reused = %t of request %d on one connection", last.Reused, i+1)
			case last.Conn == nil:
				c.broke("GotConn names no connection")
			}
		}
		mu.Unlock()
	}
}
