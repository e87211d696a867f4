package bizppuriotest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
)

// wire is a small server of [CheckEngine], on a loopback address. It reads
// requests and does with each what on says for the first element of its path,
// or answers it.
type wire struct {
	ln     net.Listener
	tls    *tls.Config            // nil: plain TCP
	greet  func(*wireConn) bool   // before TLS; false ends the connection
	on     map[string]wireHandler // by kind; see kindOf
	closed chan struct{}          // closed by close
	busy   sync.WaitGroup
	once   sync.Once

	mu       sync.Mutex
	accepted int
	open     map[*wireConn]struct{}
	whole    map[string]int          // requests read to their end, by path
	heard    bytes.Buffer            // what was read above TLS, at most maxHeard
	requests map[string]*wireRequest // the latest, by path
	arrived  chan string             // gets the path of each request in hold
	release  chan struct{}           // closed: hold answers
	from     map[string]int          // number of the connection that brought a request
}

// maxHeard bounds what a wire remembers.
const maxHeard = 4 << 20

// wireHandler deals with a request that was read to its end. It returns false
// when the connection ends.
type wireHandler func(*wireConn, *wireRequest) bool

// wireRequest is a request as it arrived.
type wireRequest struct {
	*http.Request
	body []byte
}

// wireConn is the server's end of a connection.
type wireConn struct {
	net.Conn // above TLS
	raw      net.Conn
	w        *wire
	r        *bufio.Reader
	n        int           // which one of the server, from 1
	gone     chan struct{} // closed when the peer has closed its end

	mu   sync.Mutex
	deaf bool // reads requests and answers none
}

func newWire(cfg *tls.Config) (*wire, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // no name to look up, nothing to wait for
	if err != nil {
		return nil, err
	}
	return &wire{
		ln: ln, tls: cfg, on: map[string]wireHandler{}, closed: make(chan struct{}),
		open: map[*wireConn]struct{}{}, whole: map[string]int{}, requests: map[string]*wireRequest{}, from: map[string]int{},
		arrived: make(chan string, 1<<10), release: make(chan struct{}),
	}, nil
}

// start begins to serve. Its goroutines carry none of the labels of the
// caller's.
func (w *wire) start() { w.busy.Go(w.accept) }

func (w *wire) accept() {
	pprof.SetGoroutineLabels(context.Background())
	for {
		raw, err := w.ln.Accept()
		if err != nil {
			return
		}
		c := &wireConn{Conn: raw, raw: raw, w: w, gone: make(chan struct{})}
		w.mu.Lock()
		w.accepted++
		c.n = w.accepted
		w.open[c] = struct{}{}
		w.mu.Unlock()
		w.busy.Go(c.serve)
	}
}

// close ends the server and all connections.
func (w *wire) close() {
	w.once.Do(func() {
		close(w.closed)
		_ = w.ln.Close()
		w.mu.Lock()
		for c := range w.open {
			_ = c.raw.Close()
		}
		w.mu.Unlock()
	})
	w.busy.Wait()
}

func (w *wire) url() string { return "https://" + w.ln.Addr().String() }

// conns returns how many connections were accepted and how many are open.
func (w *wire) conns() (accepted, open int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.accepted, len(w.open)
}

// times returns how often a request with that path was read to its end.
func (w *wire) times(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.whole[path]
}

// saw reports whether the path was among the bytes that were read.
func (w *wire) saw(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Contains(w.heard.Bytes(), []byte(path))
}

// got returns the request with that path, or nil, and the number of the
// connection that brought it.
func (w *wire) got(path string) (*wireRequest, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[path], w.from[path]
}

// each calls f with every open connection.
func (w *wire) each(f func(*wireConn)) {
	w.mu.Lock()
	all := make([]*wireConn, 0, len(w.open))
	for c := range w.open {
		all = append(all, c)
	}
	w.mu.Unlock()
	for _, c := range all {
		f(c)
	}
}

// kindOf is the first element of a path.
func kindOf(path string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return kind
}

func (c *wireConn) serve() {
	defer func() {
		_ = c.Close()
		_ = c.raw.Close()
		c.w.mu.Lock()
		delete(c.w.open, c)
		c.w.mu.Unlock()
	}()
	if c.w.greet != nil && !c.w.greet(c) {
		return
	}
	if c.w.tls != nil {
		c.Conn = tls.Server(c.raw, c.w.tls)
	}
	// A reader of its own notices the end of the connection while a handler
	// is at work.
	pr, pw := io.Pipe()
	defer func() { _ = pr.Close() }()
	c.r = bufio.NewReader(pr)
	c.w.busy.Go(func() {
		_, _ = io.Copy(pw, heardReader{c})
		close(c.gone)
		_ = pw.Close()
	})
	for {
		req, err := c.next()
		if err != nil || !c.handle(req) {
			return
		}
	}
}

// heardReader notes what is read.
type heardReader struct{ c *wireConn }

func (h heardReader) Read(b []byte) (int, error) {
	n, err := h.c.Read(b)
	w := h.c.w
	w.mu.Lock()
	w.heard.Write(b[:min(n, maxHeard-w.heard.Len())])
	w.mu.Unlock()
	return n, err
}

// next reads a whole request and notes it.
func (c *wireConn) next() (*wireRequest, error) {
	req, err := http.ReadRequest(c.r)
	if err != nil {
		return nil, err
	}
	r := &wireRequest{Request: req}
	if kindOf(req.URL.Path) == "unread" {
		return r, nil // for the handler to read
	}
	if r.body, err = io.ReadAll(req.Body); err != nil {
		return nil, err
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.whole[req.URL.Path]++
	c.w.requests[req.URL.Path], c.w.from[req.URL.Path] = r, c.n
	return r, nil
}

func (c *wireConn) handle(req *wireRequest) bool {
	c.mu.Lock()
	deaf := c.deaf
	c.mu.Unlock()
	if deaf {
		return true
	}
	if h, ok := c.w.on[kindOf(req.URL.Path)]; ok {
		return h(c, req)
	}
	return c.ok(req)
}

// forHeader names the request that an answer is for.
const forHeader = "X-Answer-For"

// ok answers with the path of the request.
func (c *wireConn) ok(req *wireRequest) bool {
	body := "answer for " + req.URL.Path
	return c.say("HTTP/1.1 200 OK\r\n" + forHeader + ": " + req.URL.Path +
		"\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// say writes s as it is.
func (c *wireConn) say(s string) bool {
	_, err := io.WriteString(c.Conn, s)
	return err == nil
}

// hold answers when the wire's release is closed.
func (c *wireConn) hold(req *wireRequest) bool {
	w := c.w
	w.mu.Lock()
	release := w.release
	w.mu.Unlock()
	select {
	case w.arrived <- req.URL.Path:
	default:
	}
	select {
	case <-release:
		return c.ok(req)
	case <-c.gone:
	case <-w.closed:
	}
	return false
}

// letGo answers the requests in hold, and holds later ones again.
func (w *wire) letGo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.release)
	w.release = make(chan struct{})
}

// hang says nothing until the peer is gone.
func (c *wireConn) hang() bool {
	select {
	case <-c.gone:
	case <-c.w.closed:
	}
	return false
}

// bareFIN closes without the close_notify of TLS.
func (c *wireConn) bareFIN() { _ = c.raw.Close() }

// halfClose ends what the server says and goes on reading.
func (c *wireConn) halfClose() {
	if t, ok := c.raw.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}

// reset closes with a TCP reset.
func (c *wireConn) reset() {
	if t, ok := c.raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.raw.Close()
}

// push says something that nobody asked for, and nothing after that.
func (c *wireConn) push(s string) {
	c.mu.Lock()
	c.deaf = true
	c.mu.Unlock()
	c.say(s)
}
