//go:build unix

package engine_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// startBenchServer returns the address of a new server and its certificate.
func startBenchServer(b *testing.B) (url string, roots *x509.CertPool) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "ENGINE_BENCH_SERVER=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	r := bufio.NewReader(out)
	addr, err := r.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	var cert strings.Builder
	for !strings.Contains(cert.String(), "END CERTIFICATE") {
		line, err := r.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		cert.WriteString(line)
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(cert.String()))
	return "https://" + strings.TrimSpace(addr) + "/v3/message", roots
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRoundTrip compares the engine with a bare http.Client on the same
// server: client-ns/op is CPU of this process alone.
func BenchmarkRoundTrip(b *testing.B) {
	url, roots := startBenchServer(b)
	payload := bytes.Repeat([]byte("x"), 600)
	pooled := engine.New(engine.Config{MaxConns: 64, AcquireTimeout: time.Minute, TLS: &tls.Config{RootCAs: roots}})
	defer func() { _ = pooled.Close() }()
	bare := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true,
		MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64,
	}
	defer bare.CloseIdleConnections()
	client := &http.Client{Transport: bare}
	send := func(do func(*http.Request) (*http.Response, error)) error {
		req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(payload))
		if err != nil {
			return err
		}
		resp, err := do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return err
	}
	for _, row := range []struct {
		name string
		do   func(*http.Request) (*http.Response, error)
	}{{"Client", client.Do}, {"Pooled", pooled.RoundTrip}} {
		b.Run("sequential/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if err := send(row.do); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "client-ns/op")
		})
		b.Run("parallel/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(32)
			before := cpuTime(b)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := send(row.do); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "client-ns/op")
		})
	}
}
