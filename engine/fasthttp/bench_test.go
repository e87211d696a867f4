//go:build unix

package fasthttp_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// cpuTime is what this process has used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// hand is a client that does nothing but what must be done: bytes made
// beforehand are written to one of its connections, and the answer is read.
type hand struct {
	addr    string
	tls     *tls.Config
	request []byte
	conns   sync.Pool
}

type handConn struct {
	*tls.Conn
	r *bufio.Reader
}

func newHand(addr string, roots *x509.CertPool, payload []byte) *hand {
	return &hand{
		addr: addr, tls: &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"},
		request: []byte("POST /v3/message HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nContent-Length: " +
			strconv.Itoa(len(payload)) + "\r\n\r\n" + string(payload)),
	}
}

func (h *hand) send() error {
	c, ok := h.conns.Get().(*handConn)
	if !ok {
		t, err := tls.Dial("tcp", h.addr, h.tls)
		if err != nil {
			return err
		}
		c = &handConn{t, bufio.NewReader(t)}
	}
	if _, err := c.Write(h.request); err != nil {
		return err
	}
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
	}
	if n, err := c.r.Discard(len(answerBody)); err != nil {
		return fmt.Errorf("after %d bytes: %w", n, err)
	}
	h.conns.Put(c)
	return nil
}

// BenchmarkRoundTrip compares engines on one server: client-ns/op is CPU of
// this process alone.
func BenchmarkRoundTrip(b *testing.B) {
	addr, roots := startBenchServer(b)
	url := "https://" + addr + "/v3/message"
	payload := bytes.Repeat([]byte("x"), 600)
	cfg := engine.Config{MaxConns: 64, AcquireTimeout: time.Minute, TLS: &tls.Config{RootCAs: roots}}
	fast := newEngine(b, cfg)
	pooled := engine.New(cfg)
	defer func() { _ = pooled.Close() }()
	bare := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true,
		MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64,
	}
	defer bare.CloseIdleConnections()
	client := &http.Client{Transport: bare}
	send := func(do func(*http.Request) (*http.Response, error)) func() error {
		return func() error {
			req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(payload))
			if err != nil {
				return err
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := do(req)
			if err != nil {
				return err
			}
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if n != int64(len(answerBody)) {
				return errors.New("the answer is cut")
			}
			return err
		}
	}
	for _, row := range []struct {
		name string
		send func() error
	}{
		{"Client.Do", send(client.Do)},
		{"engine.New", send(pooled.RoundTrip)},
		{"fasthttp.New", send(fast.RoundTrip)},
		{"by hand", newHand(addr, roots, payload).send},
	} {
		b.Run("sequential/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if err := row.send(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "client-ns/op")
		})
		b.Run("parallel/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(32) // 64 callers on two processors
			before := cpuTime(b)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := row.send(); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "client-ns/op")
		})
	}
}
