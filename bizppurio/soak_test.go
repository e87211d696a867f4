package bizppurio_test

import (
	"context"
	"flag"
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

var (
	soakSends = flag.Int("soak.sends", 3000, "messages of TestSoak; 100000 is the long form")
	soakSeed  = flag.Uint64("soak.seed", 0, "seed of TestSoak; 0 means a new one")
)

// TestSoak sends through a server that misbehaves in every way it knows, with
// callers that cancel, and checks each verdict against the server's books
// (cases 1, 4, 8 and 45).
//
//	go test ./bizppurio -run TestSoak -v -soak.sends 100000 -soak.seed 7
func TestSoak(t *testing.T) { //nolint:paralleltest // counts goroutines
	before := goleak.IgnoreCurrent()
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	s, err := bizppuriotest.Start()
	if err != nil {
		t.Fatal(err)
	}
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: s.URL(),
		AttemptTimeout: time.Second,
		Pool:           engine.Config{TLS: s.TLSConfig(), MaxConns: 32, IdleTimeout: time.Second},
		Retry:          engine.Retry{MinWait: time.Millisecond, MaxWait: 60 * time.Millisecond},
		Breaker:        engine.Breaker{Failures: math.MaxUint32},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	result, err := bizppuriotest.Soak{Sends: *soakSends, Parallel: 64, Seed: seed}.Run(ctx, s, c)
	t.Logf("seed %d: %v", seed, result)
	if err != nil {
		t.Error(err)
	}
	if result.Sends != *soakSends || result.Faults < *soakSends/10 || result.Accepted < *soakSends/3 || result.Unknown == 0 || result.NotSent == 0 {
		t.Errorf("the run was not what it should be: %v", result)
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server's Close() = %v", err)
	}
	goleak.VerifyNone(t, before)
}
