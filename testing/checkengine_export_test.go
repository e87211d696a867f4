package bizppuriotest

import (
	"context"
	"slices"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// CheckEngineRules is CheckEngine with some of the rules, or all if none is
// named, and a patience of its own.
func CheckEngineRules(ctx context.Context, newEngine func(engine.Config) engine.Engine, patience time.Duration, names ...string) error {
	rules := engineRules()
	if len(names) > 0 {
		rules = slices.DeleteFunc(rules, func(r engineRule) bool { return !slices.Contains(names, r.name) })
	}
	return checkRules(ctx, newEngine, rules, patience)
}

// EngineRules lists the names of the rules.
func EngineRules() []string {
	rules := engineRules()
	names := make([]string, len(rules))
	for i, rule := range rules {
		names[i] = rule.name
	}
	return names
}
