package engine_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// Cases 43, 44: many requests, one connection.
func TestPooled_oneConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	for i := range 1050 {
		mustExchange(t, e, post(t, s.url+"/"+strconv.Itoa(i)))
	}
	if n := s.connections(); n != 1 {
		t.Errorf("connections = %d, want 1", n)
	}
	want := engine.Stats{Opened: 1, Open: 1, Idle: 1, Reused: 1049}
	if got := e.Stats(); got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
}

func TestPooled_answer(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{})
	req := post(t, s.url+"/a")
	resp, err := e.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if string(body) != "ok" || err != nil {
		t.Errorf("ReadAll(Body) = %q, %v, want ok, nil", body, err)
	}
	if resp.Request != req {
		t.Errorf("Request = %p, want the caller's %p", resp.Request, req)
	}
	if resp.TLS == nil || resp.TLS.NegotiatedProtocol != "http/1.1" {
		t.Errorf("TLS = %+v, want a connection with http/1.1", resp.TLS)
	}
	for range 2 {
		if err := resp.Body.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
}

// Cases 78, 80: a redirect is an answer like any other.
func TestPooled_followsNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), func(p *peer) {
				for {
					if _, err := p.next(); err != nil {
						return
					}
					p.say("HTTP/1.1 " + strconv.Itoa(status) + " Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
				}
			})
			e := newEngine(t, engine.Config{})
			got, err := exchange(e, post(t, s.url+"/a"))
			if got != status || err != nil {
				t.Errorf("exchange = %d, %v, want %d, nil", got, err, status)
			}
			if s.times("a") != 1 || s.times("b") != 0 {
				t.Errorf("requests = %d and %d, want 1 and 0", s.times("a"), s.times("b"))
			}
		})
	}
}

// Case 45 in part: more callers than slots; and the acquire timeout is ours.
func TestPooled_acquireTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, serverTLS(), func(p *peer) {
		for {
			if _, err := p.next(); err != nil {
				return
			}
			<-release
			p.ok()
		}
	})
	e := newEngine(t, engine.Config{MaxConns: 10, AcquireTimeout: 100 * time.Millisecond})
	errs := make(chan error, 30)
	for i := range 30 {
		go func() {
			_, err := exchange(e, post(t, s.url+"/c"+strconv.Itoa(i)))
			errs <- err
		}()
	}
	for range 20 {
		err := <-errs
		wantError(t, err, engine.Acquire, true)
		if !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Err = %v, want os.ErrDeadlineExceeded and no context error", err)
		}
	}
	close(release)
	for range 10 {
		if err := <-errs; err != nil {
			t.Errorf("a caller with a slot failed: %v", err)
		}
	}
	if st := e.Stats(); st.Waited != 20 || st.Waiting != 0 || st.Opened > 10 {
		t.Errorf("Stats() = %+v, want 20 waited, none waiting, at most 10 opened", st)
	}
}

// hold occupies the only slot of e until the returned function is called.
func hold(t *testing.T, e *engine.Pooled, url string) (free func()) {
	t.Helper()
	resp, err := e.RoundTrip(post(t, url))
	if err != nil {
		t.Fatal(err)
	}
	return func() { resp.Body.Close() }
}

func TestPooled_waitEnds(t *testing.T) {
	t.Parallel()
	cause := errors.New("a cause of the caller")
	for _, row := range []struct {
		name string
		end  func(e *engine.Pooled, cancel context.CancelCauseFunc, free func())
		want []error // nil: the request succeeds
	}{
		{"freed", func(_ *engine.Pooled, _ context.CancelCauseFunc, free func()) { free() }, nil},
		{"closed", func(e *engine.Pooled, _ context.CancelCauseFunc, _ func()) { _ = e.Close() }, []error{engine.ErrClosed}},
		{"canceled", func(_ *engine.Pooled, c context.CancelCauseFunc, _ func()) { c(nil) }, []error{context.Canceled}},
		{"cause", func(_ *engine.Pooled, c context.CancelCauseFunc, _ func()) { c(cause) }, []error{context.Canceled, cause}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, serverTLS(), answerAll)
			e := newEngine(t, engine.Config{MaxConns: 1, AcquireTimeout: patience})
			free := hold(t, e, s.url+"/first")
			defer free()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			done := make(chan error, 1)
			go func() {
				_, err := exchange(e, post(t, s.url+"/second").WithContext(ctx)) //nolint:contextcheck // WithContext gives it
				done <- err
			}()
			eventually(t, "a request waits", func() bool { return e.Stats().Waiting == 1 })
			row.end(e, cancel, free)
			err := <-done
			if row.want == nil {
				if err != nil {
					t.Errorf("RoundTrip = %v, want nil", err)
				}
				return
			}
			wantError(t, err, engine.Acquire, true)
			for _, want := range row.want {
				if !errors.Is(err, want) {
					t.Errorf("RoundTrip = %v, want %v in it", err, want)
				}
			}
			if s.saw("second") {
				t.Error("the server saw a request that is said to be unsent")
			}
		})
	}
}

// Case 21: what is over already is not begun, and its body is closed.
func TestPooled_refusedAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	closed := engine.New(engine.Config{})
	for range 2 {
		if err := closed.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
	for _, row := range []struct {
		name string
		e    *engine.Pooled
		ctx  context.Context
		want error
	}{
		{"context", newEngine(t, engine.Config{}), ended, context.Canceled},
		{"closed", closed, t.Context(), engine.ErrClosed},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			body := &closing{Reader: strings.NewReader("x")}
			req := post(t, s.url+"/never").WithContext(row.ctx)
			req.Body = body
			_, err := exchange(row.e, req)
			wantError(t, err, engine.Acquire, true)
			if !errors.Is(err, row.want) {
				t.Errorf("RoundTrip = %v, want %v", err, row.want)
			}
			if !body.closed {
				t.Error("the request's body was not closed")
			}
		})
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

func TestPooled_badRequests(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Config{MaxConns: 1})
	_, err := exchange(e, nil)
	wantError(t, err, engine.Acquire, true)
	for _, row := range []struct {
		name  string
		spoil func(*http.Request)
	}{
		{"no URL", func(r *http.Request) { r.URL = nil }},
		{"no host", func(r *http.Request) { r.URL.Host = "" }},
		{"scheme", func(r *http.Request) { r.URL.Scheme = "ftp" }},
		{"header", func(r *http.Request) { r.Header.Set("X-Secret", "canary\r\n") }},
		{"no header", func(r *http.Request) { r.Header = nil }},
		{"method", func(r *http.Request) { r.Method = "PO ST" }},
	} {
		req := post(t, "https://127.0.0.1:1/")
		row.spoil(req)
		_, err := exchange(e, req)
		wantError(t, err, engine.Acquire, true)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("%s: %v: the request before kept the only slot", row.name, err)
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: Error() = %q, which quotes the request", row.name, err)
		}
	}
}

// Case 48: requests end by themselves after Close, and nothing is left.
func TestPooled_closeWhileRunning(t *testing.T) {
	t.Parallel()
	read, release := make(chan struct{}), make(chan struct{})
	s := serve(t, serverTLS(), func(p *peer) {
		if _, err := p.next(); err != nil {
			return
		}
		close(read)
		<-release
		p.ok()
		p.hang()
	})
	e := newEngine(t, engine.Config{IdleTimeout: time.Hour})
	done := make(chan error, 1)
	go func() {
		_, err := exchange(e, post(t, s.url+"/a"))
		done <- err
	}()
	<-read
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the running request failed: %v", err)
	}
	eventually(t, "the last connection goes", func() bool { return e.Stats().Open == 0 })
	_, err := exchange(e, post(t, s.url+"/b"))
	if wantError(t, err, engine.Acquire, true); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("RoundTrip = %v, want ErrClosed", err)
	}
}

// A request body of any type arrives whole, also when it is slow and when it
// is larger than every buffer.
// Close ends a dial that is under way, at once: nothing was sent.
func TestPooled_closeWhileDialling(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		proxy bool
		phase engine.Phase
	}{{"tls", false, engine.TLS}, {"proxy", true, engine.Dial}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{})
			s := serve(t, nil, func(p *peer) {
				_, _ = p.r.ReadByte()
				close(reached)
				p.hang()
			})
			cfg := engine.Config{DialTimeout: time.Hour}
			if row.proxy {
				cfg.Proxy = func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: s.addr}, nil }
			}
			e := newEngine(t, cfg)
			go func() {
				<-reached
				_ = e.Close()
			}()
			_, err := exchange(e, post(t, s.url+"/a"))
			wantError(t, err, row.phase, true)
			if !errors.Is(err, engine.ErrClosed) || errors.Is(err, context.Canceled) {
				t.Errorf("RoundTrip = %v, want ErrClosed and no context error", err)
			}
			if st := e.Stats(); st.Open != 0 || st.Opened != 0 {
				t.Errorf("Stats() = %+v, want no connection", st)
			}
		})
	}
}

func TestPooled_requestBodies(t *testing.T) {
	t.Parallel()
	s := serve(t, serverTLS(), answerAll)
	e := newEngine(t, engine.Config{IdleTimeout: time.Minute})
	mustExchange(t, e, post(t, s.url+"/first"))

	pr, pw := io.Pipe()
	req := post(t, s.url+"/slow")
	req.Body, req.GetBody, req.ContentLength = pr, nil, 8
	go func() {
		_, _ = io.WriteString(pw, "half")
		e.Age(time.Hour) // a connection in mid-request is never stale
		_, _ = io.WriteString(pw, "half")
		_ = pw.Close()
	}()
	mustExchange(t, e, req)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/large", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	mustExchange(t, e, req)
	if s.times("slow") != 1 || s.times("large") != 1 {
		t.Errorf("slow arrived %d times, large %d times, want 1 and 1", s.times("slow"), s.times("large"))
	}
}

// Case 77: a replaced http.DefaultTransport changes nothing. Not parallel:
// it replaces it.
func TestPooled_defaultTransport(t *testing.T) { //nolint:paralleltest // replaces a global
	old := http.DefaultTransport                      //nolint:forbidigo // the test is about it
	http.DefaultTransport = nil                       //nolint:forbidigo // the test is about it
	t.Cleanup(func() { http.DefaultTransport = old }) //nolint:forbidigo // the test is about it
	s := serve(t, serverTLS(), answerAll)
	mustExchange(t, newEngine(t, engine.Config{}), post(t, s.url+"/a"))
}

// Case 46: a server that offers h2 sees HTTP/1.1; serverTLS offers it.
func TestPooled_plainHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, answerAll)
	asked := false
	e := newEngine(t, engine.Config{Proxy: countProxy(&asked)})
	mustExchange(t, e, post(t, "http://"+s.addr+"/a"))
	mustExchange(t, e, post(t, "http://"+s.addr+"/b"))
	if n := s.connections(); n != 1 || asked {
		t.Errorf("connections = %d, proxy asked = %t, want 1, false", n, asked)
	}
}

func countProxy(asked *bool) func(*http.Request) (*url.URL, error) {
	return func(*http.Request) (*url.URL, error) {
		*asked = true
		return nil, nil //nolint:nilnil // no proxy
	}
}

// MaxConns bounds the connections to all hosts together.
func TestPooled_manyHosts(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Config{MaxConns: 2, AcquireTimeout: patience, IdleTimeout: time.Minute})
	hosts := make([]*server, 5)
	for i := range hosts {
		hosts[i] = serve(t, serverTLS(), answerAll)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := exchange(e, post(t, hosts[i%5].url+"/"+strconv.Itoa(i))); err != nil {
				t.Errorf("exchange with host %d: %v", i%5, err)
			}
			if n := e.Stats().Open; n > 2 {
				t.Errorf("Stats().Open = %d, want at most 2", n)
			}
		})
	}
	wg.Wait()
}
