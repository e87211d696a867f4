package fasthttp_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const answerBody = `{"code":1000,"description":"success","refkey":"r","messagekey":"m"}`

// benchServer answers until its standard input ends. It is a process of its
// own, so that the client's CPU can be told apart.
func benchServer() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	cert, _ := identity()
	_, _ = fmt.Fprintf(os.Stdout, "%s\n%s\n", ln.Addr(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}))
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answerBody)
	})}
	go func() { _ = srv.Serve(tls.NewListener(ln, serverTLS())) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startBenchServer returns the address of a new server and its certificate.
func startBenchServer(b *testing.B) (addr string, roots *x509.CertPool) {
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
	addr, err = r.ReadString('\n')
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
	return strings.TrimSpace(addr), roots
}
