package fasthttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
)

var chaosSends = flag.Int("engine.n", 400, "requests of the chaos test")

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("ENGINE_BENCH_SERVER") != "" {
		benchServer()
		return
	}
	goleak.VerifyTestMain(m)
}

// misbehave answers like a server on a bad day.
func misbehave(p *peer) {
	const timeout = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	switch rand.IntN(20) {
	case 0:
		p.say(timeout)
		return
	case 1: // the greeting is all
		return
	}
	for {
		if _, err := p.next(); err != nil {
			return
		}
		switch rand.IntN(12) {
		case 0: // read all, FIN
			return
		case 1:
			p.reset()
			return
		case 2:
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
			return
		case 3:
			p.say("HTTP/1.1 2")
			return
		case 4: // idle close
			p.ok()
			return
		case 5:
			p.ok()
			p.reset()
			return
		case 6: // idle-408
			p.ok()
			p.say(timeout)
			return
		case 7:
			p.say("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\nok")
		default:
			p.ok()
		}
	}
}

// torn fails now and then as if the network had, before a byte or after some.
type torn struct{ net.Conn }

func (c torn) Write(b []byte) (int, error) {
	switch rand.IntN(40) {
	case 0:
		return 0, syscall.EPIPE
	case 1:
		n, _ := c.Conn.Write(b[:rand.IntN(len(b))])
		return n, syscall.EPIPE
	default:
		return c.Conn.Write(b)
	}
}

// Cases 45, 47: whatever happens, a request that is said to be unsent was not
// seen, none is seen twice, MaxConns holds, and nothing is left behind.
// Longer: go test -run chaos -engine.n 100000.
func TestEngine_chaos(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			chaos(t, version)
		})
	}
}

func chaos(t *testing.T, version uint16) {
	cfg := serverTLS()
	cfg.MinVersion, cfg.MaxVersion = version, version
	s := serve(t, cfg, misbehave)
	e := newEngine(t, engine.Config{MaxConns: 10, AcquireTimeout: patience, IdleTimeout: 50 * time.Millisecond, DialTimeout: patience})
	e.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
		if rand.IntN(10) == 0 {
			return nil, syscall.ECONNREFUSED
		}
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if rand.IntN(4) == 0 {
			return torn{c}, nil
		}
		return c, nil
	})
	n := *chaosSends
	unsent := make([]bool, n)
	var kinds [3]int // answered, unsent, unknown
	var mu sync.Mutex
	work := make(chan int)
	var wg sync.WaitGroup
	for range min(n, 200) {
		wg.Go(func() {
			for i := range work {
				err := chaosSend(t, e, s.url, i)
				kind := 0
				if got, ok := errors.AsType[*engine.Error](err); ok {
					kind = 2
					if unsent[i] = got.Unsent; got.Unsent {
						kind = 1
					}
				} else if err != nil {
					t.Errorf("RoundTrip = %T %v, want *engine.Error", err, err)
				}
				mu.Lock()
				kinds[kind]++
				mu.Unlock()
				if st := e.Stats(); st.Open > 10 || st.InUse > 10 || st.Idle < 0 {
					t.Errorf("Stats() = %+v, want at most 10 open", st)
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if st := e.Stats(); st.Open != 0 {
		t.Errorf("Stats() after Close = %+v, want none open", st)
	}
	eventually(t, "the server's connections end", func() bool { _, open := s.conns(); return open == 0 })

	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]int)
	for _, id := range regexp.MustCompile(`POST /id-\d{8}`).FindAllString(s.heard.String(), -1) {
		seen[strings.TrimPrefix(id, "POST /")]++
	}
	for i := range n {
		id := chaosID(i)
		if seen[id] > 1 {
			t.Errorf("%s was seen %d times", id, seen[id])
		}
		if unsent[i] && seen[id] > 0 {
			t.Errorf("%s is said to be unsent and was seen", id)
		}
	}
	t.Logf("%d answered, %d unsent, %d unknown; %+v", kinds[0], kinds[1], kinds[2], e.Stats())
	if kinds[0] == 0 || kinds[1] == 0 || kinds[2] == 0 {
		t.Errorf("answered, unsent, unknown = %v, want some of each", kinds)
	}
}

func chaosID(i int) string { return fmt.Sprintf("id-%08d", i) }

func chaosSend(t *testing.T, e *fasthttp.Engine, url string, i int) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	switch rand.IntN(4) {
	case 0: // cancelled somewhere on the way
		defer time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, cancel).Stop()
	case 1:
		d, stop := context.WithTimeout(ctx, time.Duration(rand.IntN(4000))*time.Microsecond)
		defer stop()
		ctx = d
	}
	body := strings.Repeat("x", []int{10, 600, 20_000}[rand.IntN(3)])
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/"+chaosID(i), strings.NewReader(body))
	if err != nil {
		return err
	}
	if rand.IntN(4) == 0 {
		req.GetBody, req.ContentLength = nil, -1
	}
	resp, err := e.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if rand.IntN(8) == 0 {
		return nil // closed early
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
