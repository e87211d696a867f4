package bizppurio

import (
	"context"
	"reflect"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/go-bizppurio/sdk/engine"
)

// statser is an engine with a pool. It reports through httptrace when a
// request gets its connection.
type statser interface{ Stats() engine.Stats }

// watcher is an engine that tells how long each connection was open, to one
// of those who ask with the same key.
type watcher interface {
	Watch(key any, closed func(open time.Duration)) (stop func(), ok bool)
}

// poolMeter tells of the engine's pool. Of the Clients that share an engine
// and a MeterProvider one does: else each connection would be counted once for
// each of them. When that one is closed, another takes over with the next
// collection, and connections that end in between are not told of.
type poolMeter struct {
	engine statser
	key    any // of the watch: names the MeterProvider

	open, waiting         metric.Int64ObservableUpDownCounter
	opened, reused, stale metric.Int64ObservableCounter
	lives                 metric.Float64Histogram
	all, idle, active     metric.MeasurementOption

	mu   sync.Mutex
	over bool
	stop func() // ends the watch; nil: another Client's turn, or nothing to watch
}

// poolKey is the key of a watch. A nil provider is the global one.
type poolKey struct{ provider any }

func newPoolKey(given metric.MeterProvider) any {
	if given != nil && !reflect.ValueOf(given).Comparable() {
		return new(poolKey) // equal to no other
	}
	return poolKey{given}
}

// newPoolMeter returns nil for an engine without a pool.
func newPoolMeter(e engine.Engine, given metric.MeterProvider, t *meters) (*poolMeter, error) {
	s, ok := e.(statser)
	if !ok {
		return nil, nil //nolint:nilnil // nothing to tell of
	}
	p := &poolMeter{engine: s, key: newPoolKey(given)}
	var err error
	note := func(failed error) {
		if failed != nil {
			err = failed
		}
	}
	up := func(name, what, unit string) metric.Int64ObservableUpDownCounter {
		i, failed := t.meter.Int64ObservableUpDownCounter(name, metric.WithDescription(what), metric.WithUnit(unit))
		note(failed)
		return i
	}
	count := func(name, what, unit string) metric.Int64ObservableCounter {
		i, failed := t.meter.Int64ObservableCounter(name, metric.WithDescription(what), metric.WithUnit(unit))
		note(failed)
		return i
	}
	p.open = up("http.client.open_connections", "Connections of the pool.", "{connection}")
	p.waiting = up("bizppurio.pool.waiting", "Requests that wait for a connection.", "{request}")
	p.opened = count("bizppurio.pool.opened", "Connections established.", "{connection}")
	p.reused = count("bizppurio.pool.reused", "Requests on a connection that was open before.", "{request}")
	p.stale = count("bizppurio.pool.stale", "Connections refused because they were idle for too long.", "{connection}")
	lives, failed := t.meter.Float64Histogram("http.client.connection.duration", metric.WithUnit("s"),
		metric.WithDescription("How long connections were open, when they have ended."),
		metric.WithExplicitBucketBoundaries(.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300))
	note(failed)
	p.lives = lives
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(append(more, t.host...)...))
	}
	p.all = with()
	p.idle, p.active = with(attribute.String("http.connection.state", "idle")), with(attribute.String("http.connection.state", "active"))
	return p, err
}

// instruments lists what observe tells of.
func (p *poolMeter) instruments() []metric.Observable {
	if p == nil {
		return nil
	}
	return []metric.Observable{p.open, p.waiting, p.opened, p.reused, p.stale}
}

// observe tells of the pool, if it is this Client's turn.
func (p *poolMeter) observe(o metric.Observer) {
	if p == nil || !p.mine() {
		return
	}
	s := p.engine.Stats()
	o.ObserveInt64(p.open, int64(s.Idle), p.idle)
	o.ObserveInt64(p.open, int64(s.InUse), p.active)
	o.ObserveInt64(p.waiting, int64(s.Waiting), p.all)
	o.ObserveInt64(p.opened, int64(s.Opened), p.all) //nolint:gosec // counts stay far below
	o.ObserveInt64(p.reused, int64(s.Reused), p.all) //nolint:gosec // counts stay far below
	o.ObserveInt64(p.stale, int64(s.Stale), p.all)   //nolint:gosec // counts stay far below
}

// mine takes the turn if nobody has it, and reports whether this Client has.
// An engine that cannot be watched is told of by every Client.
func (p *poolMeter) mine() bool {
	w, ok := p.engine.(watcher)
	if !ok {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil && !p.over {
		if stop, ok := w.Watch(p.key, p.ended); ok {
			p.stop = stop
		}
	}
	return p.stop != nil
}

// ended records the life of a connection.
func (p *poolMeter) ended(open time.Duration) {
	if ctx := context.Background(); p.lives.Enabled(ctx) {
		p.lives.Record(ctx, open.Seconds(), p.all)
	}
}

// close passes the turn on.
func (p *poolMeter) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}
