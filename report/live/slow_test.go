package live_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report/live"
)

// buffer is what the kernel keeps for a connection of these tests, on each
// side, so that a reader that stops reading is felt soon.
const buffer = 64 << 10

// narrowServer is a hook for the server's side.
func narrowServer(c net.Conn, state http.ConnState) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if tcp, ok := c.(*net.TCPConn); ok && state == http.StateNew {
		_ = tcp.SetWriteBuffer(buffer)
		_ = tcp.SetReadBuffer(buffer)
	}
}

// narrow is a client of the same kind with small buffers.
func narrow(t *testing.T, client *http.Client) *http.Client {
	t.Helper()
	base, ok := client.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("Transport is %T, want *http.Transport", client.Transport)
	}
	tr := base.Clone()
	tr.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: buffer}
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(buffer)
		}
		return c, err
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// 5 of 200 readers never read, and events are large: the others get everything
// at once, and the five are dropped.
func TestStalledReaders(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a WriteTimeout of ten seconds")
	}
	big := bytes.Repeat([]byte("x"), 200_000)
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			all, stalled, events := 200, 5, 10
			if k.name != "http1" {
				all = 30 // most of the time is the client's
			}
			hub := live.NewHub(live.Config{WriteTimeout: 10 * time.Second})
			client, url := serve(t, hub, k)
			var dead, healthy []*source
			for range stalled {
				dead = append(dead, open(t, narrow(t, client), url+"a", ""))
			}
			for range all - stalled {
				healthy = append(healthy, open(t, client, url+"a", ""))
			}
			var slowest time.Duration
			for i := range events {
				data := append(fmt.Append(nil, i, " "), big...)
				begin := time.Now()
				hub.Publish("a", "", data)
				if d := time.Since(begin); d > time.Second {
					t.Errorf("Publish() took %v, want that it waits for nobody", d)
				}
				var wg sync.WaitGroup
				for _, s := range healthy {
					wg.Go(func() {
						if m, err := s.next(); err != nil || !strings.HasPrefix(m.Data, fmt.Sprint(i, " ")) || len(m.Data) != len(data) {
							t.Errorf("event %d: next() = %.10q, %v", i, m.Data, err)
						}
					})
				}
				wg.Wait()
				if t.Failed() {
					t.FailNow()
				}
				slowest = max(slowest, time.Since(begin))
			}
			begin := time.Now()
			if k.name == "flush only" { // nothing can end a write there but the client
				for _, s := range dead {
					s.close()
				}
			}
			eventually(t, "the stalled readers are dropped", func() bool { return hub.Readers() <= len(healthy) })
			if n := hub.Readers(); n != len(healthy) {
				t.Errorf("Readers() = %d, want the %d healthy ones", n, len(healthy))
			}
			t.Logf("slowest event for the healthy: %v; stalled ones dropped %v after the last event", slowest, time.Since(begin))
			hub.Publish("a", "", []byte("and on"))
			for _, s := range healthy {
				s.want(t, "", "and on")
			}
		})
	}
}

// A reader that pauses until its socket is full, and then reads on, misses
// nothing: large events, and bursts of small ones.
func TestPausedReader(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{WriteTimeout: patience}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		for name, tt := range map[string]struct{ events, size int }{
			"large": {35, 200_000},
			"small": {12_000, 300},
		} {
			s := open(t, narrow(t, client), url+name, "")
			pad := strings.Repeat("x", tt.size)
			for i := range tt.events {
				hub.Publish(name, "", []byte(fmt.Sprint(i, " ", pad)))
			}
			for i := range tt.events {
				s.want(t, "", fmt.Sprint(i, " ", pad))
			}
			hub.Publish(name, "", []byte("at rest again"))
			s.want(t, "", "at rest again")
		}
	})
}

// Full queue: the reader is dropped, though WriteTimeout is far away, and
// comes back to a gap or to what it missed.
func TestQueue_Socket(t *testing.T) {
	t.Parallel()
	hub := live.NewHub(live.Config{WriteTimeout: time.Hour, Replay: 1000})
	client, url := serve(t, hub, kind{})
	healthy, stalled := open(t, client, url+"a", ""), open(t, narrow(t, client), url+"a", "")
	first := hub.Publish("a", "", []byte("first"))
	healthy.want(t, "", "first")
	stalled.want(t, "", "first")
	big := strings.Repeat("x", 200_000)
	events := 0
	for ; hub.Readers() == 2 && events < 500; events++ {
		hub.Publish("a", "", []byte(big))
		healthy.want(t, "", big)
	}
	if n := hub.Readers(); n != 1 {
		t.Fatalf("Readers() = %d after %d events, want 1", n, events)
	}
	got := len(stalled.all())
	again := open(t, client, url+"a", stalled.lastID)
	for range events - got {
		again.want(t, "", big)
	}
	t.Logf("dropped after %d events, %d of them had arrived; came back after %s", events, got, first)
	hub.Publish("a", "", []byte("and on"))
	again.want(t, "", "and on")
	healthy.want(t, "", "and on")
}
