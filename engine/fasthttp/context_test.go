package fasthttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// lateContext is past its deadline before it says so, as contexts are for a
// moment: a socket may notice the deadline first.
type lateContext struct {
	context.Context
	done chan struct{}
}

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

func (c lateContext) Done() <-chan struct{} { return c.done }

func (c lateContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A deadline of the caller is blamed on the caller, however early the dial
// notices it; and a limit of ours never is.
func TestEngine_whoseDeadline(t *testing.T) {
	t.Parallel()
	timeout := func(context.Context, string, string) (net.Conn, error) { return nil, os.ErrDeadlineExceeded }
	late := lateContext{t.Context(), make(chan struct{})}
	theirs := newEngine(t, engine.Config{})
	theirs.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
		defer time.AfterFunc(10*time.Millisecond, func() { close(late.done) })
		return timeout(ctx, network, addr)
	})
	ours := newEngine(t, engine.Config{DialTimeout: time.Millisecond})
	ours.SetDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for _, row := range []struct {
		name   string
		ctx    context.Context
		e      http.RoundTripper
		theirs bool
	}{{"theirs", late, theirs, true}, {"ours", t.Context(), ours, false}} {
		_, err := exchange(row.e, post(t, "https://127.0.0.1:1/").WithContext(row.ctx))
		var got *engine.Error
		if !errors.As(err, &got) || !got.Unsent || got.Phase != engine.Dial {
			t.Errorf("%s: exchange = %v, want an unsent *engine.Error of the phase dial", row.name, err)
		}
		if errors.Is(err, context.DeadlineExceeded) != row.theirs || errors.Is(err, os.ErrDeadlineExceeded) == row.theirs {
			t.Errorf("%s: exchange = %v, want the context's error %t", row.name, got.Err, row.theirs)
		}
	}
}

// writes counts what is written to a socket.
type writes struct {
	net.Conn
	n *atomic.Int64
}

func (w writes) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.n.Add(int64(n))
	return n, err
}

// When the context has ended nothing more is written, not even TLS's farewell:
// a server that does not read would make the call wait for it.
func TestEngine_noFarewell(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := serve(t, serverTLS(), func(p *peer) {
		if _, err := p.next(); err == nil {
			close(arrived)
			_, _ = io.Copy(io.Discard, p)
		}
	})
	e := newEngine(t, engine.Config{})
	var written atomic.Int64
	e.SetDial(func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		return writes{c, &written}, err
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wrote := make(chan struct{}) // the server may be told before the writer
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(wrote) }})
	before := make(chan int64, 1)
	go func() {
		<-arrived
		<-wrote
		before <- written.Load()
		cancel()
	}()
	_, err := exchange(e, post(t, s.url+"/a").WithContext(ctx))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("exchange = %v, want the context's error", err)
	}
	if n := written.Load() - <-before; n != 0 {
		t.Errorf("%d bytes were written after the end of the context, want 0", n)
	}
	eventually(t, "the connection is closed", func() bool { _, open := s.conns(); return open == 0 })
}
