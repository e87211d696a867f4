package live_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report/live"
)

// TestMany_stalled measures what readers that have stopped reading cost the
// others. One in a hundred of them stalls, in every other pair of rounds:
//
//	go test -run='^TestMany_stalled$' -v -live.readers=10000 -live.rounds=200 ./report/live
func TestMany_stalled(t *testing.T) { //nolint:paralleltest // it measures time
	if testing.Short() {
		t.Skip("measures; not in short runs")
	}
	few := max(*manyReaders/100, 1)
	openFiles(t, *manyReaders+2*few+100)
	const perBlock = 2
	blocks := max(*manyRounds/perBlock, 2)
	hub := live.NewHub(live.Config{Replay: 1 << 20, WriteTimeout: time.Hour}) // none is dropped before its pair ends
	defer func() { _ = hub.Close() }()
	srv := httptest.NewUnstartedServer(hub)
	srv.Config.ConnState = narrowServer
	srv.Start()
	defer srv.Close()
	publish := func(data []byte) { hub.Publish("many", "", data) }

	// What stalls asks for these first, and never takes them in.
	before := hub.Publish("many", "", nil)
	for range 16 {
		publish(bytes.Repeat([]byte("x"), 64<<10))
	}
	c := gather(t, srv.Listener.Addr())
	c.round(t, publish)
	goroutines := runtime.NumGoroutine()
	writing := func(n int) func() bool { return func() bool { return runtime.NumGoroutine() == goroutines+n } }
	eventually(t, "all is quiet", func() bool {
		now := runtime.NumGoroutine()
		quiet := now == goroutines
		goroutines = now
		return quiet
	})
	var late [2][3][]float64 // without and with, by what crowd.round returns
	for block := range 2 * blocks {
		with := (block + 1) / 2 % 2 // 0 1 1 0 0 1 1 0: a drift falls on both alike
		var stalled []net.Conn
		for range with * few {
			stalled = append(stalled, stall(t, srv.Listener.Addr(), before))
		}
		eventually(t, "the stalled ones stall", writing(len(stalled)))
		for range perBlock {
			for i, d := range c.round(t, publish) {
				late[with][i] = append(late[with][i], d.Seconds()*1000)
			}
		}
		eventually(t, "they still do", writing(len(stalled)))
		for _, conn := range stalled {
			_ = conn.Close()
		}
		eventually(t, "the stalled ones are gone", writing(0))
	}
	c.disperse(t)
	for i, what := range []string{"median", "p95", "last"} {
		without, with := median(late[0][i]), median(late[1][i])
		t.Logf("%s: %.1f ms without, %.1f ms with %d stalled readers, ratio %.3f (%d rounds each)",
			what, without, with, few, with/without, blocks*perBlock)
	}
}

// stall joins after the event of that id and reads nothing but the header.
func stall(t *testing.T, addr net.Addr, id string) net.Conn {
	t.Helper()
	conn, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4096)
		_ = tcp.SetLinger(0)
	}
	if _, err := fmt.Fprintf(conn, "GET /?topic=many HTTP/1.1\r\nHost: x\r\nLast-Event-ID: %s\r\n\r\n", id); err != nil {
		t.Fatal(err)
	}
	return conn
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
