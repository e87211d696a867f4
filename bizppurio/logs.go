package bizppurio

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/go-bizppurio/sdk/send"
)

// newLog returns the logger of a Client, silent for a nil one.
func newLog(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(guard{l.Handler()})
}

// guard lets no panic of an application's handler out: the outcome of a send
// is worth more than a line about it.
type guard struct{ handler slog.Handler }

func (g guard) Enabled(ctx context.Context, level slog.Level) (on bool) {
	defer func() { _ = recover() }()
	return g.handler.Enabled(ctx, level)
}

func (g guard) Handle(ctx context.Context, r slog.Record) error {
	defer func() { _ = recover() }()
	return g.handler.Handle(ctx, r)
}

func (g guard) WithAttrs(attrs []slog.Attr) slog.Handler { return guard{g.handler.WithAttrs(attrs)} }
func (g guard) WithGroup(name string) slog.Handler       { return guard{g.handler.WithGroup(name)} }

// log writes the line of a finished send.
func (c *call) log(took time.Duration) {
	if c.op != opSend || !c.client.log.Enabled(c.Context, slog.LevelDebug) {
		return
	}
	v := c.verdict
	c.client.log.LogAttrs(c.Context, slog.LevelDebug, "bizppurio: send",
		slog.String("channel", c.span.channel), slog.String("outcome", v.outcome.String()),
		slog.String("reason", string(v.reason)), slog.Int("code", codeLabel(v)), slog.Int("attempt", c.attempts),
		slog.Duration("duration", took), slog.String("messagekey", c.keyLabel()))
}

// logHold warns when the vendor's rate limit has begun to hold calls.
func (c *call) logHold() {
	if c.held == 0 {
		return
	}
	c.client.log.LogAttrs(c.Context, slog.LevelWarn, "bizppurio: the vendor's rate limit holds calls", slog.Duration("hold", c.held))
	c.held = 0
}

// logChange tells of a change of a circuit breaker. That an open one lets
// probes through, and opens again after them, is no news.
func (b *breaker) logChange(ctx context.Context, from, to gobreaker.State) {
	level := slog.LevelInfo
	if from == gobreaker.StateClosed || to == gobreaker.StateClosed {
		level = slog.LevelWarn
	}
	b.log.LogAttrs(ctx, level, "bizppurio: circuit breaker changed",
		slog.String("which", b.which), slog.String("from", from.String()), slog.String("state", to.String()))
}

// logTokens warns when tokens can no longer be had, and when they can again.
// A fetch that Close ended says nothing.
func (c *Client) logTokens(ctx context.Context, v verdict, usable bool) {
	switch {
	case usable:
		if c.tokenless.Swap(false) {
			c.log.LogAttrs(ctx, slog.LevelWarn, "bizppurio: token trouble is over")
		}
	case c.closing.Err() == nil && !c.tokenless.Swap(true):
		c.log.LogAttrs(ctx, slog.LevelWarn, "bizppurio: token trouble begins", slog.String("outcome", v.outcome.String()),
			slog.String("reason", string(v.reason)), slog.Int("code", codeLabel(v)), slog.Int("status", v.status))
	}
}

// logReports warns when polls, or confirmations, begin to fail, and when they
// work again; told is which of the two was the last. What ends ConsumeReports
// is its result and no trouble.
func (c *Client) logReports(ctx context.Context, which string, told *bool, err error) {
	e, failed := errors.AsType[*send.Error](err)
	switch {
	case !failed:
		if *told {
			*told = false
			c.log.LogAttrs(ctx, slog.LevelWarn, "bizppurio: report trouble is over", slog.String("which", which))
		}
	case *told, ctx.Err() != nil, e.Reason == send.Closed, send.AccountRefused(err):
	default:
		*told = true
		c.log.LogAttrs(ctx, slog.LevelWarn, "bizppurio: report trouble begins", slog.String("which", which),
			slog.String("outcome", e.Outcome.String()), slog.String("reason", string(e.Reason)),
			slog.Int("code", codeLabel(verdict{code: e.Code})), slog.Int("status", e.Status))
	}
}
