package bizppuriotest_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func pooled(cfg engine.Config) engine.Engine { return engine.New(cfg) }

// Case 79: the default engine keeps the contract.
func TestCheckEngine_Pooled(t *testing.T) {
	t.Parallel()
	if err := bizppuriotest.CheckEngine(t.Context(), pooled); err != nil {
		t.Errorf("CheckEngine(engine.New) = %v, want nil", err)
	}
}

func TestCheckEngine_Refuses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		name string
		ctx  context.Context
		make func(engine.Config) engine.Engine
		want string
	}{
		{"no function", t.Context(), nil, "newEngine is nil"},
		{"no engine", t.Context(), func(engine.Config) engine.Engine { return nil }, "newEngine returned nil"},
		{"an ended context", ctx, pooled, "not finished: context canceled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := bizppuriotest.CheckEngine(row.ctx, row.make)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("CheckEngine = %v, want %q in it", err, row.want)
			}
		})
	}
}

// A plain http.Transport breaks most of the contract. The whole check is run
// on it, to see that it comes to an end and says so.
func TestCheckEngine_Transport(t *testing.T) {
	t.Parallel()
	err := bizppuriotest.CheckEngineRules(t.Context(), func(cfg engine.Config) engine.Engine {
		return engine.Wrap(&http.Transport{TLSClientConfig: cfg.TLS})
	}, time.Second)
	if err == nil {
		t.Fatal("CheckEngine(http.Transport) = nil, want errors")
	}
	for _, rule := range []string{"one call, one request", "MaxConns", "AcquireTimeout", "IdleTimeout", "Close"} {
		if !strings.Contains(err.Error(), `engine rule "`+rule+`"`) {
			t.Errorf("CheckEngine(http.Transport) does not mention the rule %q:\n%v", rule, err)
		}
	}
}

// Each engine of wrongEngines breaks a rule, which says so; and no rule is
// without an engine that breaks it.
func TestCheckEngine_Catches(t *testing.T) {
	t.Parallel()
	rows := wrongEngines(t.Context())
	for _, rule := range bizppuriotest.EngineRules() {
		if !slices.ContainsFunc(rows, func(w wrongEngine) bool { return w.rule == rule }) {
			t.Errorf("no wrong engine breaks the rule %q", rule)
		}
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			patience := 20 * time.Second
			if row.hangs {
				patience = time.Second
			}
			err := bizppuriotest.CheckEngineRules(t.Context(), row.make, patience, row.rule)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("CheckEngineRules(%q) = %v, want %q in it", row.rule, err, row.want)
			}
		})
	}
}
