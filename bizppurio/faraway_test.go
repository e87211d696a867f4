package bizppurio_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// venue is a Server, here or far away.
type venue interface {
	URL() string
	TLSConfig() *tls.Config
	Account() string
	Password() string
}

const farawayEnv = "BIZPPURIO_TEST_FARAWAY"

// faraway is a Server in a process of its own, so that its garbage and its
// goroutines are not the client's.
type faraway struct {
	url, account, password string
	roots                  *x509.CertPool

	ask     io.Writer
	answers *json.Decoder
}

func (f *faraway) URL() string      { return f.url }
func (f *faraway) Account() string  { return f.account }
func (f *faraway) Password() string { return f.password }
func (f *faraway) TLSConfig() *tls.Config {
	return &tls.Config{RootCAs: f.roots, MinVersion: tls.VersionTLS12}
}

// tally is what a Server has counted.
type tally struct {
	Accepted     int
	Duplicates   []string
	MaxOpenConns int
	Violations   []string
}

// startFaraway starts a Server with latency in a second process, which ends
// with the test.
func startFaraway(tb testing.TB, rtt, service time.Duration) *faraway {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), self)
	cmd.Env = append(slices.Clone(os.Environ()), farawayEnv+"="+rtt.String()+" "+service.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	f := &faraway{ask: in, answers: json.NewDecoder(out), roots: x509.NewCertPool()}
	var hello farawayHello
	if err := f.answers.Decode(&hello); err != nil {
		tb.Fatalf("the second process: %v", err)
	}
	f.url, f.account, f.password = hello.URL, hello.Account, hello.Password
	if !f.roots.AppendCertsFromPEM(hello.Cert) {
		tb.Fatal("the second process has no certificate")
	}
	return f
}

type farawayHello struct {
	URL, Account, Password string
	Cert                   []byte
}

// count asks for what the Server has counted so far.
func (f *faraway) count(tb testing.TB) tally {
	tb.Helper()
	if _, err := io.WriteString(f.ask, "count\n"); err != nil {
		tb.Fatal(err)
	}
	var got tally
	if err := f.answers.Decode(&got); err != nil {
		tb.Fatal(err)
	}
	return got
}

// serveFaraway is the second process. It ends with its standard input.
func serveFaraway(latency string) error {
	first, second, _ := strings.Cut(latency, " ")
	rtt, err := time.ParseDuration(first)
	if err != nil {
		return err
	}
	service, err := time.ParseDuration(second)
	if err != nil {
		return err
	}
	s, err := bizppuriotest.Start(bizppuriotest.WithLatency(rtt, service))
	if err != nil {
		return err
	}
	defer s.Close()
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(farawayHello{s.URL(), s.Account(), s.Password(), s.CertPEM()}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := out.Encode(tally{s.TotalAccepted(), s.Duplicates(), s.MaxOpenConns(), s.Violations()}); err != nil {
			return err
		}
	}
	return nil
}
