package bizppurio_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestHostile: whatever comes back instead of an answer, the call ends within
// AttemptTimeout as Unknown, has sent once, and took little memory (cases 24
// and 53).
func TestHostile(t *testing.T) { //nolint:paralleltest // measures memory
	flood := func(first, unit string, pause time.Duration) http.HandlerFunc {
		return say(t, first, func(c net.Conn) {
			block := []byte(unit)
			if pause == 0 {
				block = bytes.Repeat(block, 1+64<<10/len(block))
			}
			tick := time.NewTicker(max(pause, time.Nanosecond))
			defer tick.Stop()
			for {
				if _, err := c.Write(block); err != nil {
					return
				}
				if pause > 0 {
					<-tick.C
				}
			}
		})
	}
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	rows := []struct {
		name   string
		fault  bizppuriotest.Fault
		answer http.HandlerFunc // in place of fault
		reason send.Reason
		status int
	}{
		{"endless body", bizppuriotest.Endless(), nil, send.BadResponse, 200},
		{"endless chunks", bizppuriotest.Fault{}, flood(ok+"Transfer-Encoding: chunked\r\n\r\n", "100\r\n"+strings.Repeat(" ", 256)+"\r\n", 0), send.BadResponse, 200},
		{"endless chunk extension", bizppuriotest.Fault{}, flood(ok+"Transfer-Encoding: chunked\r\n\r\n1;", "aaaaaaaa", 0), send.BadResponse, 200},
		{"huge announced", bizppuriotest.Fault{}, flood(ok+"Content-Length: 9223372036854775807\r\n\r\n", " ", 0), send.BadResponse, 200},
		{"gzip bomb", bizppuriotest.GzipBomb(), nil, send.BadResponse, 200},
		{"200,000 informational answers", bizppuriotest.Informational(), nil, send.BadResponse, 0},
		{"informational answers without end", bizppuriotest.Fault{}, flood("", "HTTP/1.1 100 Continue\r\n\r\n", 0), send.BadResponse, 0},
		{"garbage", bizppuriotest.Garbage(), nil, send.BadResponse, 0},
		{"garbage when accepted", bizppuriotest.Garbage().AfterAccepting(), nil, send.BadResponse, 0},
		{"status line without end", bizppuriotest.Fault{}, flood("HTTP/1.1 200 ", "aaaaaaaa", 0), send.BadResponse, 0},
		{"header flood", bizppuriotest.HeaderFlood(), nil, send.BadResponse, 0},
		{"header without end", bizppuriotest.Fault{}, flood(ok+"X-A: ", "aaaaaaaa", 0), send.BadResponse, 0},
		{"trailer flood", bizppuriotest.Fault{}, flood(ok+"Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: aaaaaaaa\r\n", 0), send.BadResponse, 200},
		{"two lengths", bizppuriotest.Fault{}, say(t, ok+"Content-Length: 13\r\nContent-Length: 14\r\n\r\n"+`{"code":1000}`, func(net.Conn) {}), send.BadResponse, 0},
		{"another protocol", bizppuriotest.Fault{}, say(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", drain), send.BadResponse, 101},
		{"dripping header", bizppuriotest.Fault{}, flood(ok+"X-A: ", "a", 10*time.Millisecond), send.Timeout, 0},
		{"dripping body", bizppuriotest.Fault{}, flood(ok+"\r\n"+`{"code":1000,"a":"`, "a", 10*time.Millisecond), send.Timeout, 200},
		{"dripping informational answers", bizppuriotest.Fault{}, flood("", "HTTP/1.1 102 Processing\r\n\r\n", 10*time.Millisecond), send.Timeout, 0},
		{"dripping answer", bizppuriotest.Drip(50 * time.Millisecond), nil, send.Timeout, 0},
		{"half a body, then FIN", bizppuriotest.CutClose(), nil, send.BadResponse, 200},
	}
	for _, row := range rows { //nolint:paralleltest // measures memory
		t.Run(row.name, func(t *testing.T) {
			s := bizppuriotest.NewServer(t)
			if row.answer != nil {
				s.Respond(bizppuriotest.PathMessage, row.answer)
			} else {
				s.Misbehave(row.fault.Always())
			}
			timeout := 30 * time.Second
			if row.reason == send.Timeout {
				timeout = 1500 * time.Millisecond
			}
			c := newClient(t, s, func(cfg *bizppurio.Config) {
				cfg.Tokens, cfg.AttemptTimeout = tokenOf(t, s), timeout
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begun := time.Now()
			r, err := c.Send(t.Context(), sms("hostile"))
			took := time.Since(begun)
			runtime.ReadMemStats(&after)
			e := wantError(t, row.name, err, send.Unknown, row.reason)
			if e.Status != row.status {
				t.Errorf("status = %d (%v), want %d", e.Status, err, row.status)
			}
			if r.Attempts != 1 || s.Requests(bizppuriotest.PathMessage) != 1 {
				t.Errorf("attempts = %d, requests = %d, want 1 and 1", r.Attempts, s.Requests(bizppuriotest.PathMessage))
			}
			if took > timeout+5*time.Second {
				t.Errorf("Send took %v, want about %v at most", took, timeout)
			}
			// The server's own share included.
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
				t.Errorf("the call allocated %d KiB, want at most 16 MiB", grown>>10)
			}
			wantNoContextError(t, err)
			wantNoCanary(t, err, "aaaa", "X-A", "what is this")
		})
	}
}

// TestHostile_poll: a poll asks for gzip, and the bound holds after inflation.
func TestHostile_poll(t *testing.T) { //nolint:paralleltest // measures memory
	s := bizppuriotest.NewServer(t)
	s.Misbehave(bizppuriotest.GzipBomb().On(bizppuriotest.PathPoll).Always())
	c := newClient(t, s)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.Poll(t.Context())
	runtime.ReadMemStats(&after)
	wantError(t, "gzip bomb", err, send.Unknown, send.BadResponse)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 192<<20 { // the limit of 16 MiB, in a buffer that doubles
		t.Errorf("the poll allocated %d MiB, want less than the bomb's 256", grown>>20)
	}
}

// TestAnswer_limit is case 53: an answer of exactly the limit is read, one
// byte more is not; for polling after inflation.
func TestAnswer_limit(t *testing.T) {
	t.Parallel()
	padded := func(n int) []byte {
		if n < 0 {
			return append([]byte(`{"code":1000}`), bytes.Repeat([]byte(" "), -n-13)...)
		}
		const head, tail = `{"code":1000,"report":[],"x":"`, `"}`
		return []byte(head + strings.Repeat("a", n-len(head)-len(tail)) + tail)
	}
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	for _, row := range []struct {
		path string
		n    int // bytes; negative: most of them white space behind the object
		zip  bool
		want send.Outcome
	}{
		{bizppuriotest.PathMessage, 1 << 20, false, send.Accepted},
		{bizppuriotest.PathMessage, 1<<20 + 1, false, send.Unknown},
		{bizppuriotest.PathMessage, -1 << 20, false, send.Accepted},
		{bizppuriotest.PathMessage, -(1<<20 + 1), false, send.Unknown},
		{bizppuriotest.PathPoll, 16 << 20, true, send.Accepted},
		{bizppuriotest.PathPoll, 16<<20 + 1, true, send.Unknown},
	} {
		a := bizppuriotest.Answer{Body: padded(row.n), Header: http.Header{"Content-Type": {"application/json"}}}
		if row.zip {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(a.Body)
			_ = w.Close()
			a.Body = b.Bytes()
			a.Header.Set("Content-Encoding", "gzip")
		}
		s.Misbehave(bizppuriotest.Reply(a).On(row.path))
		var err error
		if row.path == bizppuriotest.PathPoll {
			_, err = c.Poll(t.Context())
		} else {
			_, err = c.Send(t.Context(), sms(""))
		}
		reason := send.BadResponse
		if got := send.OutcomeOf(err); got != row.want {
			t.Errorf("%s, %d bytes: outcome = %v (%v), want %v", row.path, row.n, got, err, row.want)
		} else if err != nil {
			wantError(t, row.path, err, row.want, reason)
		}
	}
}

// TestDesynchronised: on a connection that is one answer behind, the message
// that meets the answer of another is Unknown, and the connection carries no
// further one.
func TestDesynchronised(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Pool.MaxConns = 1 })
	if _, err := c.Send(t.Context(), sms("before")); err != nil {
		t.Fatalf("Send = %v, want nil", err)
	}
	s.Misbehave(bizppuriotest.AnswerTwice())
	if _, err := c.Send(t.Context(), sms("first")); err != nil {
		t.Fatalf("Send = %v, want nil", err)
	}
	conns := s.Conns()
	_, err := c.Send(t.Context(), sms("second"))
	wantError(t, "the answer of the first", err, send.Unknown, send.BadResponse)
	for i := range 5 {
		if _, err := c.Send(t.Context(), sms(fmt.Sprintf("later-%d", i))); err != nil {
			t.Errorf("Send %d after it = %v, want nil", i, err)
		}
	}
	if got := s.Conns(); got != conns+1 {
		t.Errorf("connections = %d, want %d: one in place of the bad one", got, conns+1)
	}
	for _, key := range []string{"before", "first", "second", "later-0"} {
		if a, n := s.Accepted(key), s.Seen(key); a != 1 || n != 1 {
			t.Errorf("%s: accepted %d, seen %d, want 1 and 1", key, a, n)
		}
	}
}

// TestDesynchronised_many: many messages on connections that slip again and
// again: what is called accepted was, and nothing is told of another.
func TestDesynchronised_many(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.Pool.MaxConns, cfg.Pool.AcquireTimeout = 4, time.Minute
	})
	const n = 400
	var wg sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[send.Outcome]int{}
	for worker := range 8 {
		wg.Go(func() {
			for i := worker; i < n; i += 8 {
				if i%20 == 0 {
					s.Misbehave(bizppuriotest.AnswerTwice())
				}
				key := fmt.Sprintf("m-%d", i)
				r, err := c.Send(t.Context(), sms(key))
				mu.Lock()
				outcomes[send.OutcomeOf(err)]++
				mu.Unlock()
				switch {
				case err != nil:
					wantErrorf(t, key, err, send.Unknown, send.BadResponse)
				case r.MessageKey == "":
					t.Errorf("%s: no MessageKey", key)
				}
			}
		})
	}
	wg.Wait()
	for i := range n {
		if key := fmt.Sprintf("m-%d", i); s.Accepted(key) != 1 || s.Seen(key) != 1 {
			t.Errorf("%s: accepted %d, seen %d, want 1 and 1", key, s.Accepted(key), s.Seen(key))
		}
	}
	// A message that got the connection between the answer and the verdict on
	// it meets a wrong answer, too.
	if outcomes[send.Accepted]+outcomes[send.Unknown] != n || outcomes[send.Unknown] == 0 || outcomes[send.Unknown] > 2*n/20 {
		t.Errorf("outcomes = %v, want about one Unknown for each of the %d slips", outcomes, n/20)
	}
}

// wantErrorf is wantError for goroutines of a test.
func wantErrorf(tb testing.TB, what string, err error, outcome send.Outcome, reason send.Reason) {
	tb.Helper()
	if send.OutcomeOf(err) != outcome || !errors.Is(err, reason) {
		tb.Errorf("%s: %v, want %v %q", what, err, outcome, reason)
	}
}

// TestDesynchronised_refusals: an answer that belongs to another message says
// nothing, whatever it says: no token is renewed, nothing is sent again.
func TestDesynchronised_refusals(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		status int
		code   int
	}{{200, 1000}, {429, 5002}, {503, 5004}, {400, 3008}, {401, 3002}, {401, 3005}, {400, 2000}, {400, 3014}, {500, 9000}, {401, 3007}} {
		t.Run(strconv.Itoa(answer.code), func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			s.Misbehave(bizppuriotest.Reply(bizppuriotest.Answer{
				Status: answer.status, Header: http.Header{"Content-Type": {"application/json"}},
				Body: fmt.Appendf(nil, `{"code":%d,"refkey":"of-another"}`, answer.code),
			}).Always())
			c := newClient(t, s)
			r, err := c.Send(t.Context(), sms("mine"))
			wantError(t, "another's answer", err, send.Unknown, send.BadResponse)
			if send.AccountRefused(err) {
				t.Error("AccountRefused = true for another's answer")
			}
			if r.Attempts != 1 || s.Requests(bizppuriotest.PathMessage) != 1 || s.Requests(bizppuriotest.PathToken) != 1 {
				t.Errorf("attempts = %d, requests = %d, token calls = %d, want 1 of each",
					r.Attempts, s.Requests(bizppuriotest.PathMessage), s.Requests(bizppuriotest.PathToken))
			}
		})
	}
}

// TestSilentConnection covers cases 26 and 46: a connection on which nothing
// comes any more ends with AttemptTimeout and is not used again.
func TestSilentConnection(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Pool.MaxConns, cfg.AttemptTimeout = 1, 2*time.Second })
	if _, err := c.Send(t.Context(), sms("before")); err != nil {
		t.Fatalf("Send = %v, want nil", err)
	}
	before := s.Conns()
	s.Misbehave(bizppuriotest.StallUnread())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := c.Send(ctx, sms("silent"))
	wantError(t, "silent", err, send.Unknown, send.Timeout)
	wantNoContextError(t, err)
	if _, err := c.Send(ctx, sms("after")); err != nil {
		t.Errorf("the next Send = %v, want nil", err)
	}
	if s.Seen("silent") != 1 || s.Seen("after") != 1 || s.Conns() != before+1 {
		t.Errorf("silent seen %d, after seen %d, connections %d, want 1, 1, %d", s.Seen("silent"), s.Seen("after"), s.Conns(), before+1)
	}
}

// TestDrip is case 26: a body that comes byte by byte is read to its end.
func TestDrip(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	s.Misbehave(bizppuriotest.Drip(time.Millisecond), bizppuriotest.Drip(time.Millisecond).On(bizppuriotest.PathToken))
	r, err := c.Send(t.Context(), sms("drip"))
	if err != nil || r.MessageKey == "" || s.Accepted("drip") != 1 {
		t.Errorf("Send = %+v, %v, want accepted", r, err)
	}
}
