package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// vendor is a server in a process of its own.
type vendor struct {
	hello
	roots   *x509.CertPool
	cmd     *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

// start starts this program once more, as a server.
func start(ctx context.Context, role string) (*vendor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self) //nolint:gosec // this program itself
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	cmd.Stderr = os.Stderr
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	v := &vendor{cmd: cmd, ask: ask, answers: json.NewDecoder(out), roots: x509.NewCertPool()}
	if err := v.answers.Decode(&v.hello); err != nil {
		return nil, fmt.Errorf("the second process: %w", errors.Join(err, v.close()))
	}
	if !v.roots.AppendCertsFromPEM(v.Cert) {
		return nil, errors.Join(errors.New("the second process has no certificate"), v.close())
	}
	return v, nil
}

// during starts a vendor, does something with it, asks for what it counted,
// and ends it.
func during(ctx context.Context, role string, do func(*vendor) error) (t tally, err error) {
	v, err := start(ctx, role)
	if err != nil {
		return t, err
	}
	if err = do(v); err == nil {
		t, err = v.count()
	}
	return t, errors.Join(err, v.close())
}

func (v *vendor) tls() *tls.Config {
	return &tls.Config{RootCAs: v.roots, MinVersion: tls.VersionTLS12}
}

func (v *vendor) count() (t tally, err error) {
	if _, err = io.WriteString(v.ask, "count\n"); err == nil {
		err = v.answers.Decode(&t)
	}
	return t, err
}

// close ends the second process and waits for it.
func (v *vendor) close() error {
	_ = v.ask.Close()
	return v.cmd.Wait()
}

// check fails unless each of n messages was accepted once.
func (t tally) check(n int) error {
	if t.Accepted != n || t.Duplicates > 0 || t.Violations > 0 {
		return fmt.Errorf("%d messages accepted, %d of them twice, and %d violations: want %d, 0 and 0",
			t.Accepted, t.Duplicates, t.Violations, n)
	}
	return nil
}
