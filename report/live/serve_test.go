package live_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/report/live"
)

// opaque hides everything but Flush, as careless middleware does.
type opaque struct{ w http.ResponseWriter }

func (o opaque) Header() http.Header         { return o.w.Header() }
func (o opaque) Write(b []byte) (int, error) { return o.w.Write(b) }
func (o opaque) WriteHeader(status int)      { o.w.WriteHeader(status) }

type flusher struct{ opaque }

func (o flusher) Flush() { _ = http.NewResponseController(o.w).Flush() }

// unwrapper is middleware as it should be.
type unwrapper struct{ opaque }

func (o unwrapper) Unwrap() http.ResponseWriter { return o.w }

// kind is a way in which a reader can be connected.
type kind struct {
	name       string
	tls, http2 bool
	wrap       func(http.ResponseWriter) http.ResponseWriter
}

func kinds() []kind {
	return []kind{
		{name: "http1"},
		{name: "tls", tls: true},
		{name: "http2", tls: true, http2: true},
		{name: "unwrap", wrap: func(w http.ResponseWriter) http.ResponseWriter { return unwrapper{opaque{w}} }},
		{name: "flush only", wrap: func(w http.ResponseWriter) http.ResponseWriter { return flusher{opaque{w}} }},
	}
}

// everyKind runs a test once for each kind of connection, on real sockets. The
// hub is mounted below a path, and closed after the test.
func everyKind(t *testing.T, c live.Config, f func(t *testing.T, hub *live.Hub, client *http.Client, url string)) {
	t.Helper()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			hub := live.NewHub(c)
			client, url := serve(t, hub, k)
			f(t, hub, client, url)
		})
	}
}

func serve(t *testing.T, hub *live.Hub, k kind) (client *http.Client, url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/app/events", func(w http.ResponseWriter, r *http.Request) {
		if k.wrap != nil {
			w = k.wrap(w)
		}
		hub.ServeHTTP(w, r)
	})
	srv := httptest.NewUnstartedServer(mux)
	srv.EnableHTTP2 = k.http2
	srv.Config.ConnState = narrowServer
	if k.tls {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(func() {
		_ = hub.Close()
		srv.Close()
	})
	return srv.Client(), srv.URL + "/app/events?topic="
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		a, other := open(t, client, url+"a", ""), open(t, client, url+"b", "")
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
		} {
			if got := a.resp.Header.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
		if _, err := http.ParseTime(a.resp.Header.Get("Date")); err != nil {
			t.Errorf("Date: %v, want a time", err)
		}
		first := hub.Publish("a", "delivered", []byte("1"))
		if m := a.want(t, "delivered", "1"); m.ID != first {
			t.Errorf("id = %q, want %q", m.ID, first)
		}
		hub.Publish("a", "", []byte("2\n3"))
		a.want(t, "", "2\n3")
		hub.Publish("b", "", []byte("only this"))
		other.want(t, "", "only this")

		late := open(t, client, url+"a", first)
		late.want(t, "", "2\n3")
		hub.Publish("a", "", []byte("4"))
		late.want(t, "", "4")

		lost := open(t, client, url+"a", "x-1")
		lost.want(t, "gap", "reload")
		hub.Publish("a", "", []byte("5"))
		lost.want(t, "", "5")

		// A client that leaves is found, at the latest by writing to it.
		for _, s := range []*source{a, other, late, lost} {
			s.close()
		}
		eventually(t, "all readers gone", func() bool {
			hub.Publish("a", "", []byte("anybody there?"))
			hub.Publish("b", "", []byte("anybody there?"))
			return hub.Readers() == 0
		})
	})
}

// The heartbeat finds clients that are gone without any event.
func TestServeHTTP_HeartbeatFindsTheDead(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{Heartbeat: 50 * time.Millisecond}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		s := open(t, client, url+"a", "")
		if line, err := s.line(); err != nil || line != ":" {
			t.Errorf("line() = %q, %v, want a comment", line, err)
		}
		s.close()
		eventually(t, "reader gone", func() bool { return hub.Readers() == 0 })
	})
}

func TestServeHTTP_Refuses(t *testing.T) {
	t.Parallel()
	errSecret := errors.New("010-1234-5678 is not yours")
	everyKind(t, live.Config{}, func(t *testing.T, _ *live.Hub, client *http.Client, url string) {
		choosy := live.NewHub(live.Config{Topic: func(r *http.Request) (string, error) {
			if r.Header.Get("Cookie") == "" {
				return "a", errSecret
			}
			return "", nil
		}})
		defer func() { _ = choosy.Close() }()
		closed := live.NewHub(live.Config{})
		_ = closed.Close()
		for _, tt := range []struct {
			name, method, url, cookie string
			hub                       *live.Hub
			want                      int
		}{
			{name: "no topic", method: http.MethodGet, url: url, want: 400},
			{name: "long topic", method: http.MethodGet, url: url + strings.Repeat("x", 1025), want: 400},
			{name: "post", method: http.MethodPost, url: url + "a", want: 405},
			{name: "head", method: http.MethodHead, url: url + "a", want: 405},
			{name: "put", method: http.MethodPut, url: url + "a", want: 405},
			{name: "not allowed", method: http.MethodGet, hub: choosy, want: 403},
			{name: "allowed nothing", method: http.MethodGet, hub: choosy, cookie: "c=1", want: 400},
			{name: "closed", method: http.MethodGet, hub: closed, want: 503},
		} {
			if tt.hub != nil {
				continue // below, without a socket
			}
			req, err := http.NewRequestWithContext(t.Context(), tt.method, tt.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("%s: status %d, want %d", tt.name, resp.StatusCode, tt.want)
			}
			if allow := resp.Header.Get("Allow"); tt.want == 405 && allow != "GET" {
				t.Errorf("%s: Allow = %q, want GET", tt.name, allow)
			}
		}
		for _, tt := range []struct {
			name, cookie string
			hub          *live.Hub
			want         int
		}{
			{"not allowed", "", choosy, 403},
			{"allowed nothing", "c=1", choosy, 400},
			{"closed", "", closed, 503},
		} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?topic=a", nil)
			if tt.cookie != "" {
				r.Header.Set("Cookie", tt.cookie)
			}
			tt.hub.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("%s: status %d, want %d", tt.name, w.Code, tt.want)
			}
			if strings.Contains(w.Body.String(), "010") || strings.Contains(w.Header().Get("Content-Type"), "event") {
				t.Errorf("%s: got %q as %q, want a plain status", tt.name, w.Body, w.Header().Get("Content-Type"))
			}
		}
	})
}

// Without a flush nothing would arrive before the end: better to say so.
func TestServeHTTP_NoFlush(t *testing.T) {
	t.Parallel()
	hub := live.NewHub(live.Config{})
	client, url := serve(t, hub, kind{wrap: func(w http.ResponseWriter) http.ResponseWriter { return opaque{w} }})
	if _, err := dial(t.Context(), client, url+"a", ""); err == nil || err.Error() != "500 Internal Server Error" {
		t.Errorf("GET = %v, want 500", err)
	}
	if n := hub.Readers(); n != 0 {
		t.Errorf("Readers() = %d, want 0", n)
	}
}

// A Hijack that fails is no Hijack: so behaves middleware on HTTP/2.
func TestServeHTTP_HijackFails(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		ctx, cancel := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		done := make(chan struct{})
		go func() {
			defer close(done)
			hub.ServeHTTP(hijackable{ResponseWriter: w}, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?topic=a", nil))
		}()
		advance(time.Second)
		hub.Publish("a", "", []byte("1"))
		advance(time.Second)
		cancel()
		<-done
		if got := newParser(w.Body).all(); len(got) != 1 || w.Code != http.StatusOK {
			t.Errorf("got %d and %v, want 200 and an event", w.Code, got)
		}
	})
}

func TestHead(t *testing.T) {
	t.Parallel()
	got := live.Head(http.Header{
		"Access-Control-Allow-Origin": {"https://example.com"},
		"Set-Cookie":                  {"a=1", "b=2"},
		"Content-Encoding":            {"gzip"},
		"Content-Length":              {"7"},
		"Transfer-Encoding":           {"chunked"},
		"Connection":                  {"keep-alive"},
		"X-Forged":                    {"a\r\nX-Evil: b"},
		"Date":                        {"Thu, 01 Jan 1970 00:00:00 GMT"},
	})
	want := "HTTP/1.1 200 OK\r\n" +
		"Access-Control-Allow-Origin: https://example.com\r\n" +
		"Connection: close\r\n" +
		"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
		"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n" +
		"X-Forged: a  X-Evil: b\r\n\r\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Head() (-want +got):\n%s", diff)
	}
}

// The hub takes only bare sockets into its own hands; this one counts.
func TestServeHTTP_UnixSocket(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "unix", t.TempDir()+"/s")
	if err != nil {
		t.Skipf("no unix sockets: %v", err)
	}
	hub := live.NewHub(live.Config{})
	srv := &http.Server{Handler: hub, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", ln.Addr().String())
	}}
	t.Cleanup(tr.CloseIdleConnections)
	s := open(t, &http.Client{Transport: tr}, "http://unix/?topic=a", "")
	hub.Publish("a", "", []byte("1"))
	s.want(t, "", "1")
	_ = hub.Close()
	_ = srv.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve() = %v, want %v", err, http.ErrServerClosed)
	}
}

// A client that talks on is neither listened to nor remembered; HTTP/1.0 is
// served as well.
func TestServeHTTP_TalkingClient(t *testing.T) {
	t.Parallel()
	hub := live.NewHub(live.Config{Heartbeat: 20 * time.Millisecond})
	_, url := serve(t, hub, kind{})
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(url[:strings.Index(url, "/app")], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(buffer)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	request := "GET /app/events?topic=a HTTP/1.0\r\n\r\n"
	if _, err := io.WriteString(conn, request+request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	p := newParser(resp.Body)
	talk := make(chan error, 1)
	go func() {
		_, err := conn.Write(bytes.Repeat([]byte("x"), 1<<20)) // more than the kernel keeps
		talk <- err
	}()
	if err := <-talk; err != nil {
		t.Errorf("Write() = %v, want that the hub drops what it reads", err)
	}
	hub.Publish("a", "", []byte("1"))
	if m, err := p.next(); err != nil || m.Data != "1" {
		t.Errorf("next() = %v, %v, want 1", m, err)
	}
}

// Shutdown with the hub registered ends all readers, hijacked or not.
func TestShutdown(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			hub := live.NewHub(live.Config{})
			srv := httptest.NewUnstartedServer(hub)
			srv.EnableHTTP2 = k.http2
			srv.Config.RegisterOnShutdown(func() { _ = hub.Close() })
			if k.tls {
				srv.StartTLS()
			} else {
				srv.Start()
			}
			defer srv.Close()
			s := open(t, srv.Client(), srv.URL+"/?topic=a", "")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := srv.Config.Shutdown(ctx); err != nil {
				t.Errorf("Shutdown() = %v, want nil", err)
			}
			if got := s.all(); len(got) != 0 {
				t.Errorf("all() = %v, want the end", got)
			}
			_ = hub.Close()
		})
	}
}

func TestClose_ManyReaders(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		var sources []*source
		n := 200
		if strings.HasSuffix(t.Name(), "/tls") {
			n = 20 // handshakes are what takes the time
		}
		for i := range n {
			sources = append(sources, open(t, client, fmt.Sprint(url, i%7), ""))
		}
		closed := make(chan error, 4)
		for range cap(closed) {
			go func() { closed <- hub.Close() }()
		}
		for range cap(closed) {
			if err := <-closed; err != nil {
				t.Errorf("Close() = %v, want nil", err)
			}
			if n := hub.Readers(); n != 0 && !strings.HasSuffix(t.Name(), "flush_only") {
				t.Errorf("Readers() = %d after Close, want 0", n)
			}
		}
		eventually(t, "all readers gone", func() bool { return hub.Readers() == 0 })
		for _, s := range sources {
			if _, err := s.next(); !errors.Is(err, io.EOF) {
				t.Errorf("next() = %v after Close, want io.EOF: a good end", err)
			}
		}
		if _, err := dial(t.Context(), client, url+"a", ""); err == nil || err.Error() != "503 Service Unavailable" {
			t.Errorf("GET after Close = %v, want 503", err)
		}
	})
}
