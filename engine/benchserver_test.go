package engine_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

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
		_, _ = io.WriteString(w, `{"code":1000,"description":"success","refkey":"r","messagekey":"m"}`)
	})}
	go func() { _ = srv.Serve(tls.NewListener(ln, serverTLS())) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
