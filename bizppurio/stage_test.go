package bizppurio_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// stage is one message before it meets a fault.
type stage struct {
	tb      testing.TB
	server  *bizppuriotest.Server
	cfg     bizppurio.Config
	pool    engine.Config
	message send.Message
	trace   httptrace.ClientTrace
	reached func() // the fault's phase has begun; may be called more than once

	engine *engine.Pooled
	before func() // just before the message is sent
	after  func() // when Send has returned
	others int    // messages of others that the server gets
}

// newStage has a token already: the message is the first on the wire.
func newStage(tb testing.TB) *stage {
	tb.Helper()
	s := bizppuriotest.NewServer(tb)
	return &stage{
		tb:     tb,
		server: s,
		cfg: bizppurio.Config{
			Account: s.Account(), Password: s.Password(), BaseURL: s.URL(), From: "0212345678", Tokens: tokenOf(tb, s),
			AttemptTimeout: time.Minute,
			Retry:          engine.Retry{Attempts: 3, MinWait: time.Millisecond, MaxWait: time.Millisecond},
		},
		pool: engine.Config{
			TLS: s.TLSConfig(), Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }, //nolint:nilnil // no proxy
			AcquireTimeout: time.Minute, DialTimeout: time.Minute,
		},
		message: sms("the-message"),
		before:  func() {}, after: func() {}, reached: func() {},
	}
}

// through makes f a proxy.
func (st *stage) through(f *front) {
	via := &url.URL{Scheme: "http", Host: f.addr}
	st.pool.Proxy = func(*http.Request) (*url.URL, error) { return via, nil }
}

// huge makes the message larger than what sockets buffer.
func (st *stage) huge() {
	content, err := huge()
	if err != nil {
		st.tb.Fatal(err)
	}
	st.message.Content = content
}

var huge = sync.OnceValues(func() (*send.Encoded, error) {
	return send.Encode(send.Raw{Type: "new", JSON: []byte(`{"message":"` + strings.Repeat("a", 8<<20) + `"}`)})
})

// run sends the message, lets go of everything, and checks what is left.
func (st *stage) run(ctx context.Context) (r send.Receipt, returned time.Time, err error) {
	st.tb.Helper()
	st.engine = engine.New(st.pool)
	defer st.engine.Close()
	st.cfg.Engine = st.engine
	c, err := bizppurio.New(st.cfg)
	if err != nil {
		st.tb.Fatal(err)
	}
	defer c.Close()
	st.before()
	r, err = c.Send(httptrace.WithClientTrace(ctx, &st.trace), st.message)
	returned = time.Now()
	st.after()
	if err := errors.Join(c.Close(), st.engine.Close()); err != nil {
		st.tb.Errorf("Close() = %v, want nil", err)
	}
	eventually(st.tb, "no connection is left", func() bool { return st.engine.Stats().Open == 0 && st.server.OpenConns() == 0 })
	return r, returned, err
}

// verify holds the server's books against what Send said.
func (st *stage) verify(unsent bool) {
	st.tb.Helper()
	seen, requests := st.server.Seen("the-message"), st.server.Requests(bizppuriotest.PathMessage)-st.others
	if unsent && (seen != 0 || requests != 0) {
		st.tb.Errorf("not_sent, but the server saw the message %d times in %d requests", seen, requests)
	}
	if !unsent && requests != 1 {
		st.tb.Errorf("requests = %d, want 1", requests)
	}
}

// names counts the hosts of the phase dns.
var names atomic.Int64

// phases are where a message can get stuck.
func phases() []struct {
	name   string
	phase  engine.Phase
	unsent bool
	lay    func(*stage)
} {
	answering := func(answer string) func(*stage) {
		return func(st *stage) {
			reached := st.reached
			st.server.Respond(bizppuriotest.PathMessage, say(st.tb, answer, func(c net.Conn) { reached(); drain(c) }))
		}
	}
	return []struct {
		name   string
		phase  engine.Phase
		unsent bool
		lay    func(*stage)
	}{
		{"acquire", engine.Acquire, true, layHolder},
		{"dns", engine.Resolve, true, func(st *stage) {
			reached := st.reached
			st.trace.DNSStart = func(httptrace.DNSStartInfo) { reached() }
			// A name of its own: package net lets those that ask for the same
			// one share a lookup, and what ends it.
			st.cfg.BaseURL = fmt.Sprintf("https://silent-%d.invalid", names.Add(1))
		}},
		{"dial", engine.Dial, true, func(st *stage) {
			reached := st.reached
			st.trace.ConnectStart = func(string, string) { reached() }
			st.cfg.BaseURL = "https://" + blackHole(st.tb)
		}},
		{"proxy", engine.Dial, true, func(st *stage) {
			st.through(newFront(st.tb, proxyThat(st.reached, "", func(c *net.TCPConn) { drain(c) })))
		}},
		{"tls", engine.TLS, true, func(st *stage) {
			st.cfg.BaseURL = "https://" + newFront(st.tb, hangAfterByte(st.reached)).addr
		}},
		{"tls through a proxy", engine.TLS, true, func(st *stage) {
			reached := st.reached
			st.through(newFront(st.tb, proxyThat(func() {}, "HTTP/1.1 200 OK\r\n\r\n", func(c *net.TCPConn) {
				hangAfterByte(reached)(nil, c)
			})))
		}},
		{"write", engine.Write, false, func(st *stage) {
			st.huge()
			reached := st.reached
			f := newFront(st.tb, relay(strings.TrimPrefix(st.server.URL(), "https://"), 64<<10, func(f *front, c *net.TCPConn) {
				reached()
				untilClosed(f, c)
			}))
			st.cfg.BaseURL, st.after = "https://"+f.addr, f.close
		}},
		{"wait", engine.Wait, false, func(st *stage) {
			reached := st.reached
			st.server.Respond(bizppuriotest.PathMessage, func(_ http.ResponseWriter, r *http.Request) {
				reached()
				<-r.Context().Done()
				panic(http.ErrAbortHandler) // an answer could overtake the end of the connection
			})
		}},
		{"headers", engine.Wait, false, answering("HTTP/1.1 200 OK\r\nContent-Le")},
		{"body", engine.Read, false, answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + `{"code":1000,`)},
	}
}

// layHolder lets another message occupy the only connection.
func layHolder(st *stage) {
	st.pool.MaxConns, st.others = 1, 1
	arrived, release := make(chan struct{}), make(chan struct{})
	st.server.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = w.Write([]byte(`{"code":1000}`))
	})
	done, reached := make(chan error, 1), st.reached
	var holder *bizppurio.Client
	st.before = func() {
		cfg := st.cfg
		cfg.AttemptTimeout = 0
		var err error
		if holder, err = bizppurio.New(cfg); err != nil {
			st.tb.Fatal(err)
		}
		go func() {
			_, err := holder.Send(context.Background(), sms("of-the-holder"))
			done <- err
		}()
		<-arrived
		go func() {
			for st.engine.Stats().Waiting == 0 {
				select {
				case <-release:
					return
				case <-time.After(time.Millisecond): //nolint:forbidigo // looks again
				}
			}
			reached()
		}()
	}
	st.after = func() {
		close(release)
		if err := errors.Join(<-done, holder.Close()); err != nil {
			st.tb.Errorf("the holder's send = %v, want nil", err)
		}
	}
}
