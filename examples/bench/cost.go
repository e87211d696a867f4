package main

import (
	"context"
	"runtime"
	"time"

	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/engine/fasthttp"
)

const callers = 64

// clients whose sends are compared, in the order of [comparison.samples].
const (
	plain = iota
	byDefault
	onFastHTTP
	clients
)

// sample is what a send costs this process, averaged over a block of them.
type sample struct {
	cpu    time.Duration
	allocs float64
}

// comparison holds the samples of each client, one of every block.
type comparison struct {
	samples  [clients][]sample
	measured bool // the CPU
}

// cost measures CPU and allocations of whole sends by many callers at once,
// beside bare ones. Blocks take turns, and so does the first of each turn.
func cost(ctx context.Context, s sizes) ([]row, error) {
	var c comparison
	_, err := during(ctx, minimal, func(v *vendor) error { return c.run(ctx, v, s) })
	if err != nil {
		return nil, err
	}
	rows := c.rows(byDefault, "default engine", "≤ 1.15", "")
	return append(rows, c.rows(onFastHTTP, "fasthttp engine", "≤ 0.65", "0.4–0.6, hand-written connection")...), nil
}

func (c *comparison) run(ctx context.Context, v *vendor, s sizes) error {
	pool := engine.Config{MaxConns: callers, AcquireTimeout: time.Minute}
	bodies, err := v.bodies(1)
	if err != nil {
		return err
	}
	b := newBare(v, callers)
	defer b.close()
	if err := b.login(ctx, v); err != nil {
		return err
	}
	ours, err := newClient(v, pool, nil)
	if err != nil {
		return err
	}
	defer ours.Close()
	pool.TLS = v.tls()
	e := fasthttp.New(pool)
	defer func() { _ = e.Close() }()
	fast, err := newClient(v, engine.Config{}, e)
	if err != nil {
		return err
	}
	defer fast.Close()

	call, m := context.WithoutCancel(ctx), message() // the cheapest for all of them
	sends := [clients]func(int) error{
		plain:      func(int) error { return b.send(call, bodies[0]) },
		byDefault:  func(int) error { _, err := ours.Send(call, m); return err },
		onFastHTTP: func(int) error { _, err := fast.Send(call, m); return err },
	}
	for turn := range 1 + s.blocks {
		for i := range clients {
			if err := ctx.Err(); err != nil {
				return err
			}
			which := (turn + i) % clients
			spent, err := c.block(s.block, sends[which])
			if err != nil {
				return err
			}
			if turn > 0 { // the first turn opens the connections
				c.samples[which] = append(c.samples[which], spent)
			}
		}
	}
	return nil
}

// block makes n sends and returns what one of them cost.
func (c *comparison) block(n int, send func(int) error) (spent sample, err error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun, _ := cpuTime()
	if err = parallel(callers, n/callers, send); err != nil {
		return spent, err
	}
	ended, ok := cpuTime()
	runtime.ReadMemStats(&after)
	c.measured = ok
	return sample{(ended - begun) / time.Duration(n), float64(after.Mallocs-before.Mallocs) / float64(n)}, nil
}

// rows compares a client with the bare one. The ratios are medians of those
// of neighbouring blocks.
func (c *comparison) rows(which int, engine, target, published string) []row {
	var cpu, allocs [clients][]float64
	var cpuRatios, allocRatios []float64
	for i, theirs := range c.samples[plain] {
		ours := c.samples[which][i]
		cpu[plain], cpu[which] = append(cpu[plain], float64(theirs.cpu)), append(cpu[which], float64(ours.cpu))
		allocs[plain], allocs[which] = append(allocs[plain], theirs.allocs), append(allocs[which], ours.allocs)
		cpuRatios = append(cpuRatios, over(ours.cpu, theirs.cpu))
		allocRatios = append(allocRatios, over(ours.allocs, theirs.allocs))
	}
	onCPU := row{
		what: "client CPU per send, 64 callers, " + engine, against: "bare Client.Do",
		reference: notMeasured, ours: notMeasured, target: target, published: published,
	}
	if c.measured {
		onCPU.reference, onCPU.ours, onCPU.ratio = micros(median(cpu[plain])), micros(median(cpu[which])), median(cpuRatios)
	}
	return []row{onCPU, {
		what: "allocations per send, " + engine, against: "bare Client.Do",
		reference: decimal(median(allocs[plain])), ours: decimal(median(allocs[which])), ratio: median(allocRatios),
	}}
}
