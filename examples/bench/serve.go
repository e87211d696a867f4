package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// roleEnv makes this program the second process, and names what it serves.
const roleEnv = "BIZPPURIO_BENCH_SERVES"

const (
	minimal = "minimal" // answers at once and counts nothing
	near    = "near"    // the simulated vendor
	far     = "far"     // the same at a round trip of 10 ms, with 18 ms to serve a request
)

// hello is the first line of the second process.
type hello struct {
	URL, Account, Password string
	Cert                   []byte
}

// tally is its answer to each line that it reads.
type tally struct{ Accepted, Duplicates, Violations, Conns int }

// serve is the second process. It ends with its standard input.
func serve(role string) error {
	h, count, end, err := open(role)
	if err != nil {
		return err
	}
	defer end()
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(h); err != nil { //nolint:gosec // the password of a simulation
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := out.Encode(count()); err != nil {
			return err
		}
	}
	return nil
}

func open(role string) (h hello, count func() tally, end func(), err error) {
	var rtt, service time.Duration
	switch role {
	case minimal:
		s := httptest.NewTLSServer(http.HandlerFunc(answer))
		cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		return hello{s.URL, "account", "password", cert}, func() tally { return tally{} }, s.Close, nil
	case near:
	case far:
		rtt, service = 10*time.Millisecond, 18*time.Millisecond
	default:
		return h, nil, nil, fmt.Errorf("%s=%q: no such role", roleEnv, role)
	}
	s, err := bizppuriotest.Start(bizppuriotest.WithLatency(rtt, service))
	if err != nil {
		return h, nil, nil, err
	}
	count = func() tally {
		return tally{s.TotalAccepted(), len(s.Duplicates()), len(s.Violations()), s.Conns()}
	}
	return hello{s.URL(), s.Account(), s.Password(), s.CertPEM()}, count, func() { _ = s.Close() }, nil
}

// answer takes every message and gives everybody a token.
func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == bizppuriotest.PathToken {
		until := time.Now().Add(24 * time.Hour).In(time.FixedZone("KST", 9*60*60)).Format("20060102150405")
		_, _ = io.WriteString(w, `{"accesstoken":"`+minimal+`","type":"Bearer","expired":"`+until+`"}`)
		return
	}
	_, rest, _ := bytes.Cut(body, []byte(`"refkey":"`))
	key, _, _ := bytes.Cut(rest, []byte(`"`))
	_, _ = io.WriteString(w, `{"code":1000,"description":"success","refkey":"`+string(key)+`","messagekey":"260429185700123#at027420abcdefgh"}`)
}
