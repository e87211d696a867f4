package fasthttp_test

import (
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
)

// lives collects what a watch is told.
type lives struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *lives) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *lives) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// A watch hears of each connection once, when it ends; of two with the same
// key the first alone, and the other when it has made room.
func TestEngine_watch(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	var first, second, other lives
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	stop, ok := e.Watch("key", first.add)
	if !ok {
		t.Fatal("Watch = false, want true")
	}
	if _, ok := e.Watch("key", second.add); ok {
		t.Error("a second Watch with the key = true, want false")
	}
	if _, ok := e.Watch("other", other.add); !ok {
		t.Error("Watch with another key = false, want true")
	}
	begun := time.Now()
	mustExchange(t, e, post(t, s.url))
	mustExchange(t, e, post(t, s.url))
	if n := first.count(); n != 0 {
		t.Errorf("%d connections have ended, want none", n)
	}
	e.Age(time.Hour)
	mustExchange(t, e, post(t, s.url)) // on another one
	eventually(t, "the connection ends", func() bool { return first.count() == 1 && other.count() == 1 })
	if got, most := first.all[0], time.Since(begun); got <= 0 || got > most {
		t.Errorf("it was open for %v, want at most %v", got, most)
	}
	stop()
	if _, ok := e.Watch("key", second.add); !ok {
		t.Fatal("Watch after the first has stopped = false, want true")
	}
	stop() // is not the second's
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the next connection ends", func() bool { return second.count() == 1 && other.count() == 2 })
	if n := first.count(); n != 1 {
		t.Errorf("the watch that was stopped heard of %d, want 1", n)
	}
}

// A connection that never came about does not end.
func TestEngine_watchFailedDial(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	var all lives
	e := fasthttp.New(engine.Config{})
	defer func() { _ = e.Close() }()
	e.Watch("key", all.add)
	if resp, err := e.RoundTrip(post(t, s.url)); err == nil {
		resp.Body.Close()
		t.Error("RoundTrip = nil, want an unknown authority")
	}
	if n := all.count(); n != 0 {
		t.Errorf("%d connections have ended, want none", n)
	}
}
