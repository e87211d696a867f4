package live_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report/live"
)

var (
	manyReaders = flag.Int("live.readers", 500, "readers in TestMany; 10000 is what the package is made for")
	manyRounds  = flag.Int("live.rounds", 5, "events in TestMany, after one to warm up")
)

// TestMany measures how long one event takes to each of many readers in a
// second process, and what a reader at rest costs, beside a plain hub in the
// same run:
//
//	go test -run='^TestMany$' -v -live.readers=10000 ./report/live
func TestMany(t *testing.T) { //nolint:paralleltest // it measures memory and time
	if testing.Short() {
		t.Skip("measures; not in short runs")
	}
	openFiles(t, *manyReaders+100)
	var plain, ours measure
	// First, because memory that is freed is not always given back.
	t.Run("live", func(t *testing.T) { //nolint:paralleltest // see above
		hub := live.NewHub(live.Config{})
		defer func() { _ = hub.Close() }()
		ours = crowded(t, hub, func(data []byte) { hub.Publish("many", "", data) })
	})
	t.Run("plain", func(t *testing.T) { //nolint:paralleltest // see above
		hub := &plainHub{readers: make(map[chan []byte]bool)}
		plain = crowded(t, hub, func(data []byte) { hub.publish(live.Frame("", data, "x-1")) })
	})
	if t.Failed() {
		return
	}
	t.Logf("per reader at rest: plain %.1f KB and %d goroutines, live %.2f KB and %d", plain.kb, plain.goroutines, ours.kb, ours.goroutines)
	for i := range ours.rounds {
		p, o := plain.rounds[i], ours.rounds[i]
		t.Logf("round %d: median, p95, last: plain %v, live %v; ratio of last %.2f", i+1, p, o, float64(o[2])/float64(p[2]))
	}
	if ours.goroutines != 0 {
		t.Errorf("%d goroutines for each reader at rest, want none", ours.goroutines)
	}
	// With fewer readers the runtime's own memory is most of it.
	if *manyReaders >= 5000 && ours.kb > 2 {
		t.Errorf("%.2f KB for each reader at rest, want at most 2", ours.kb)
	}
}

// openFiles makes room for n open files.
func openFiles(t *testing.T, n int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur < uint64(n) {
		t.Skipf("only %d open files", limit.Cur)
	}
}

type measure struct {
	kb         float64
	goroutines int
	rounds     [][3]time.Duration
}

// crowded serves h to a crowd in a second process and measures.
func crowded(t *testing.T, h http.Handler, publish func([]byte)) measure {
	t.Helper()
	n := *manyReaders
	srv := httptest.NewServer(h)
	defer srv.Close()
	kb, goroutines := resident(t), runtime.NumGoroutine()
	c := gather(t, srv.Listener.Addr())
	// The last requests' goroutines may still be on their way out.
	settled := func() int { return (runtime.NumGoroutine() - goroutines + n/2) / n }
	if _, ours := h.(*live.Hub); ours {
		eventually(t, "no goroutine for each reader", func() bool { return settled() == 0 })
	}
	m := measure{kb: float64(resident(t)-kb) / float64(n), goroutines: settled()}
	c.round(t, publish)
	for range *manyRounds {
		m.rounds = append(m.rounds, c.round(t, publish))
	}
	c.disperse(t)
	return m
}

// resident is this process's memory in KB, without garbage.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() >> 10
}

// plainHub is what one writes first: encoded once, a handler and a channel for
// each reader, a deadline for each write.
type plainHub struct {
	mu      sync.Mutex
	readers map[chan []byte]bool
}

func (h *plainHub) publish(wire []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.readers {
		select {
		case c <- wire:
		default:
			delete(h.readers, c)
			close(c)
		}
	}
}

func (h *plainHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := make(chan []byte, 16)
	h.mu.Lock()
	h.readers[c] = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.readers, c)
	}()
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if control.Flush() != nil {
		return
	}
	for {
		select {
		case wire, ok := <-c:
			if !ok || control.SetWriteDeadline(time.Now().Add(5*time.Second)) != nil {
				return
			}
			if _, err := w.Write(wire); err != nil || control.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
