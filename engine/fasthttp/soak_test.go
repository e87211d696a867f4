package fasthttp_test

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

var (
	soakSends = flag.Int("soak.sends", 1000, "messages of TestSoak; 100000 is the long form")
	soakSeed  = flag.Uint64("soak.seed", 0, "seed of TestSoak; 0 means a new one")
)

// TestSoak is the client's soak on this engine: a server that misbehaves in
// every way it knows, callers that cancel, and each verdict held against the
// server's books.
func TestSoak(t *testing.T) { //nolint:paralleltest // long, and hard on the machine
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	s := bizppuriotest.NewServer(t)
	e := fasthttp.New(engine.Config{TLS: s.TLSConfig(), MaxConns: 32, IdleTimeout: time.Second})
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), Engine: e,
		AttemptTimeout: time.Second,
		Retry:          engine.Retry{MinWait: time.Millisecond, MaxWait: 60 * time.Millisecond},
		Breaker:        engine.Breaker{Failures: math.MaxUint32},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := bizppuriotest.Soak{Sends: *soakSends, Parallel: 64, Seed: seed}.Run(t.Context(), s, c)
	t.Logf("seed %d: %v", seed, result)
	if err != nil {
		t.Error(err)
	}
	if result.Sends != *soakSends || result.Faults < *soakSends/10 || result.Accepted < *soakSends/3 {
		t.Errorf("the run was not what it should be: %v", result)
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("the engine's Close() = %v", err)
	}
}
