package bizppurio_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
	"github.com/go-bizppurio/sdk/token"
)

// TestMain puts a name server of our own below all tests: names that contain
// "silent" get no answer, and all others do not exist. It is also where the
// second process of a [faraway] begins.
func TestMain(m *testing.M) {
	if latency := os.Getenv(farawayEnv); latency != "" {
		if err := serveFaraway(latency); err != nil {
			panic(err)
		}
		return
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: nameServer}
	m.Run()
}

func nameServer(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe() // no net.PacketConn, so DNS over TCP is spoken
	go func() {
		defer server.Close()
		var size [2]byte
		if _, err := io.ReadFull(server, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(server, query); err != nil || len(query) < 4 {
			return
		}
		if strings.Contains(string(query), "silent") {
			_, _ = io.Copy(io.Discard, server)
			return
		}
		query[2], query[3] = 0x81, 0x83 // an answer: no such name
		_, _ = server.Write(append(size[:], query...))
	}()
	return client, nil
}

// front is a TCP server that stands before the vendor, or in its place, and
// does what the simulated vendor cannot do. It ends with the test.
type front struct {
	addr string

	ln   net.Listener
	done chan struct{}
	wg   sync.WaitGroup
	once sync.Once

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func newFront(tb testing.TB, serve func(f *front, c *net.TCPConn)) *front {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	f := &front{addr: ln.Addr().String(), ln: ln, done: make(chan struct{}), conns: map[net.Conn]bool{}}
	f.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			f.keep(c)
			f.wg.Go(func() {
				defer c.Close()
				serve(f, c.(*net.TCPConn))
			})
		}
	})
	tb.Cleanup(f.close)
	return f
}

// keep closes c with f.
func (f *front) keep(c net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns[c] = true
}

func (f *front) close() {
	f.once.Do(func() {
		close(f.done)
		f.ln.Close()
		f.mu.Lock()
		for c := range f.conns {
			c.Close()
		}
		f.mu.Unlock()
		f.wg.Wait()
	})
}

// reset ends c with a TCP reset.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// drain reads until the peer leaves.
func drain(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// hangAfterByte reads one byte, says so, and never answers.
func hangAfterByte(reached func()) func(*front, *net.TCPConn) {
	return func(_ *front, c *net.TCPConn) {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			reached()
			drain(c)
		}
	}
}

// proxyThat reads one CONNECT, says so, answers and then does what then does.
func proxyThat(reached func(), answer string, then func(*net.TCPConn)) func(*front, *net.TCPConn) {
	return func(_ *front, c *net.TCPConn) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil || req.Method != http.MethodConnect {
			return
		}
		reached()
		_, _ = io.WriteString(c, answer)
		then(c)
	}
}

// relay forwards to addr, but of what the client says only the first bytes;
// then it reads no more of it and does what then does.
func relay(addr string, most int64, then func(*front, *net.TCPConn)) func(*front, *net.TCPConn) {
	return func(f *front, c *net.TCPConn) {
		_ = c.SetReadBuffer(4 << 10)
		up, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		f.keep(up)
		defer up.Close()
		f.wg.Go(func() { _, _ = io.Copy(c, up) })
		if _, err := io.CopyN(up, c, most); err == nil {
			then(f, c)
		}
	}
}

// untilClosed keeps a connection open without reading from it.
func untilClosed(f *front, _ *net.TCPConn) { <-f.done }

// say answers a request to the byte, and then does what then does with the
// connection.
func say(tb testing.TB, answer string, then func(net.Conn)) http.HandlerFunc {
	tb.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			tb.Errorf("Hijack() = %v", err)
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, answer)
		then(c)
	}
}

// given is a Store that has a living token, so that a client's first request
// is its message.
type given struct{ tok token.Token }

func (g given) Load(context.Context, string) (token.Token, error) { return g.tok, nil }
func (g given) Save(context.Context, string, token.Token) error   { return nil }

func tokenOf(tb testing.TB, s *bizppuriotest.Server) given {
	tb.Helper()
	return given{token.Token{Value: strings.TrimPrefix(bearer(tb, s), "Bearer "), Expires: time.Now().Add(time.Hour)}}
}

// eventually waits for a state that needs nothing more of the test.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(time.Minute)
	defer end.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-end.C:
			tb.Fatalf("%s: not within a minute", what)
		}
	}
}
