package bizppuriotest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-bizppurio/sdk/engine"
)

// oneRequest: whatever the server does with a request, and whether the
// connection is fresh or one of several idle ones, it sees the request once.
func (c *engineCheck) oneRequest() {
	type row struct {
		what     string
		then     wireHandler
		answered int // status that the call returns; 0: an error
	}
	say := func(s string) wireHandler {
		return func(wc *wireConn, _ *wireRequest) bool { wc.say(s); return false }
	}
	refusal := func(status string) wireHandler {
		return say("HTTP/1.1 " + status + "\r\nRetry-After: 0\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
	}
	rows := []row{
		{"a request that the server reads before it closes", func(*wireConn, *wireRequest) bool { return false }, 0},
		{"a request that the server reads before it closes without close_notify", func(wc *wireConn, _ *wireRequest) bool { wc.bareFIN(); return false }, 0},
		{"a request that the server reads before it resets", func(wc *wireConn, _ *wireRequest) bool { wc.reset(); return false }, 0},
		{"a request with half a header as its answer", say("HTTP/1.1 200 OK\r\nContent-Le"), 0},
		{"a request with garbage as its answer", say("garbage\r\n\r\n"), 0},
		{"a request with only 100 Continue as its answer", say("HTTP/1.1 100 Continue\r\n\r\n"), 0},
		{"a request answered with 408", refusal("408 Request Timeout"), 408},
		{"a request answered with 429", refusal("429 Too Many Requests"), 429},
		{"a request answered with 500", refusal("500 Internal Server Error"), 500},
		{"a request answered with 503", refusal("503 Service Unavailable"), 503},
	}
	changes := []struct {
		what   string
		change func(*http.Request)
	}{
		{"POST", func(*http.Request) {}},
		{"POST with Idempotency-Key", func(r *http.Request) { r.Header.Set("Idempotency-Key", "x") }},
		{"GET", func(r *http.Request) {
			r.Method, r.Body, r.GetBody, r.ContentLength = http.MethodGet, nil, nil, 0
		}},
		{"PUT", func(r *http.Request) { r.Method = http.MethodPut }},
	}
	for i, row := range rows {
		for _, idle := range []int{0, 3} {
			for j, ch := range changes {
				if j > 0 && i > 2 {
					continue // other methods only where the connection breaks
				}
				w := c.wire(map[string]wireHandler{"victim": row.then})
				e := c.engine(engine.Config{MaxConns: 4})
				c.fill(e, w, idle)
				req := c.post(w, "victim")
				ch.change(req)
				r := c.do(e, req)
				what := ch.what + ": " + row.what
				switch {
				case w.times(req.URL.Path) > 1:
					c.broke("%s is sent again", what)
				case row.answered == 0:
					c.wantMaybeSent(what, r)
				case r.err != nil || r.status != row.answered:
					c.broke("%s: status %d, error %w, want status %d", what, r.status, errors.Join(r.err), row.answered)
				}
				c.closeEngine(e)
			}
		}
	}
}

// obeysNoAnswer: a status is an answer and no order.
func (c *engineCheck) obeysNoAnswer() {
	w := c.wire(map[string]wireHandler{"status": func(wc *wireConn, req *wireRequest) bool {
		return wc.say("HTTP/1.1 " + req.Header.Get("X-Want") + " Whatever\r\nLocation: /other\r\nRefresh: 0; url=/other\r\n" +
			"WWW-Authenticate: Basic realm=\"x\"\r\nProxy-Authenticate: Basic realm=\"x\"\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 2\r\n\r\nno")
	}})
	e := c.engine(engine.Config{MaxConns: 1})
	for _, status := range []int{200, 300, 301, 302, 303, 307, 308, 401, 407, 421, 425, 429, 503} {
		req := c.post(w, "status")
		req.Header.Set("X-Want", strconv.Itoa(status))
		r := c.do(e, req)
		switch got, _ := w.got(req.URL.Path); {
		case r.err != nil:
			c.broke("status %d: %w", status, r.err)
		case r.status != status || string(r.text) != "no":
			c.broke("status %d: the answer was replaced", status)
		case got == nil:
			c.broke("status %d: the request did not arrive", status)
		case got.Header.Get("Cookie") != "":
			c.broke("a cookie is sent that an answer has set")
		case got.Header.Get("Authorization") != "" || got.Header.Get("Proxy-Authorization") != "":
			c.broke("an authentication is sent that the request lacks")
		}
	}
	if w.times("/other") > 0 {
		c.broke("a redirect is followed")
	}

	req := c.post(w, "userinfo")
	req.URL.User = url.UserPassword("user", "password")
	c.do(e, req)
	if got, _ := w.got(req.URL.Path); got != nil && got.Header.Get("Authorization") != "" {
		c.broke("an authentication is sent that the request's header lacks")
	}
}

// added are the headers that HTTP itself asks for, and a name of the client.
func added(name string) bool {
	switch name {
	case "Content-Length", "Connection", "User-Agent":
		return true
	default:
		return false
	}
}

// requestUnchanged: request line, header and body arrive as they were given,
// and the request itself is left alone.
func (c *engineCheck) requestUnchanged() {
	w := c.wire(nil)
	e := c.engine(engine.Config{MaxConns: 1})
	binary := "a\r\n\r\nPOST / HTTP/1.1\r\n\x00\xff" + strings.Repeat("x", 5000)
	large := strings.Repeat("0123456789abcdef", 1<<16)
	unknown := func(r *http.Request, s string) {
		r.Body, r.GetBody, r.ContentLength = io.NopCloser(strings.NewReader(s)), nil, -1
	}
	known := func(r *http.Request, s string) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(s)), int64(len(s))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	}
	for _, row := range []struct {
		what   string
		change func(*http.Request)
		body   string
	}{
		{"a small body", func(r *http.Request) { known(r, "small") }, "small"},
		{"a body that looks like HTTP", func(r *http.Request) { known(r, binary) }, binary},
		{"a body of 1 MiB", func(r *http.Request) { known(r, large) }, large},
		{"a body of unknown length", func(r *http.Request) { unknown(r, binary) }, binary},
		{"a large body of unknown length", func(r *http.Request) { unknown(r, large) }, large},
		{"http.NoBody", func(r *http.Request) { r.Body, r.GetBody, r.ContentLength = http.NoBody, nil, 0 }, ""},
		{"GET", func(r *http.Request) {
			r.Method, r.Body, r.GetBody, r.ContentLength = http.MethodGet, nil, nil, 0
		}, ""},
		{"a header with several values", func(r *http.Request) {
			known(r, "x")
			r.Header["X-Many"] = []string{"b", "a", "b"}
			r.Header.Set("X-Empty", "")
			r.Header.Set("Authorization", "Bearer token")
			r.Header.Set("User-Agent", "as given")
			r.Header.Set("Accept", "application/json; charset=utf-8")
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("Cookie", "c=d")
		}, "x"},
		{"an address with escapes", func(r *http.Request) {
			known(r, "x")
			r.URL.RawQuery = "b=%20+&a=%EA%B0%80&b=2"
			r.URL.Path += "/a b/c/d"
			r.URL.RawPath = strings.TrimSuffix(r.URL.Path, "/a b/c/d") + "/a%20b/c%2Fd"
			r.URL.Fragment = "fragment"
		}, "x"},
		{"a Host of its own", func(r *http.Request) { known(r, "x"); r.Host = "vendor.test" }, "x"},
	} {
		req := c.post(w, "unchanged")
		row.change(req)
		before := req.Clone(c.ctx)
		if !c.wantOKPath(row.what, c.do(e, req), req) {
			continue
		}
		got, _ := w.got(req.URL.Path)
		if got == nil {
			c.broke("%s: the request did not arrive", row.what)
			continue
		}
		c.compare(row.what, before, got, row.body)
		if !reflect.DeepEqual(before.Header, req.Header) || before.Method != req.Method || !reflect.DeepEqual(before.URL, req.URL) || before.Host != req.Host {
			c.broke("%s: the request was modified", row.what)
		}
	}
}

// wantOKPath is wantOK for a request whose path was changed.
func (c *engineCheck) wantOKPath(what string, r engineResult, req *http.Request) bool {
	r.path = req.URL.Path
	return c.wantOK(what, r)
}

func (c *engineCheck) compare(what string, want *http.Request, got *wireRequest, body string) {
	host := want.Host
	if host == "" {
		host = want.URL.Host
	}
	switch {
	case got.Method != want.Method:
		c.broke("%s: the method changed", what)
	case got.RequestURI != want.URL.RequestURI():
		c.broke("%s: the address changed", what)
	case got.Host != host:
		c.broke("%s: the Host changed", what)
	case got.ProtoMajor != 1 || got.ProtoMinor != 1:
		c.broke("%s: the protocol is %s, want HTTP/1.1", what, got.Proto)
	case !bytes.Equal(got.body, []byte(body)):
		c.broke("%s: the body changed", what)
	}
	for name, values := range want.Header {
		if !reflect.DeepEqual(got.Header[name], values) {
			c.broke("%s: the header %s changed", what, name)
		}
	}
	for name := range got.Header {
		if _, given := want.Header[name]; !given && !added(name) {
			c.broke("%s: the header %s was added", what, name)
		}
	}
}

// bodyClosed: the body of a request is closed, whatever becomes of it. The
// check of all calls is in checkResults.
func (c *engineCheck) bodyClosed() {
	w := c.wire(map[string]wireHandler{"close": func(*wireConn, *wireRequest) bool { return false }})
	e := c.engine(engine.Config{MaxConns: 1})
	tracked := func(kind, base string) *http.Request {
		req := c.request(c.ctx, base, kind)
		req.Body = &trackedBody{Reader: strings.NewReader(`{"refkey":"1"}`)}
		req.ContentLength = 14
		return req
	}
	c.wantOK("a request", c.do(e, tracked("ok", w.url())))
	c.do(e, tracked("close", w.url()))
	c.do(e, tracked("refused", "https://"+refusedAddr(c)))
	req := tracked("ended", w.url())
	c.do(e, req.WithContext(endedContext(c.ctx, nil)))
	c.do(e, tracked("scheme", "ftp://127.0.0.1"))
	c.closeEngine(e)
	c.do(e, tracked("closed", w.url()))
}

// brokenBody: a body that fails, or has another length than it says, does not
// become a request.
func (c *engineCheck) brokenBody() {
	bodies := map[string]func(*http.Request){
		"a body that fails": func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("half"), failingReader{errors.New("the body failed")}))
			r.ContentLength = 100
		},
		"a body of unknown length that fails": func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("half"), failingReader{errors.New("the body failed")}))
			r.ContentLength = -1
		},
		"a body that is shorter than it says": func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("short"))
			r.ContentLength = 100
		},
	}
	for what, lie := range lies() {
		bodies["a body that fails with "+what] = func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(zeros{}, 1<<20), failingReader{lie}))
			r.ContentLength = 1<<20 + 100
		}
	}
	for what, change := range bodies {
		w := c.wire(nil)
		e := c.engine(engine.Config{MaxConns: 1})
		c.wantOK("a request", c.do(e, c.post(w, "first")))
		req := c.post(w, "victim")
		req.GetBody = nil
		change(req)
		r := c.do(e, req)
		if r.err == nil {
			c.broke("%s: status %d, want an error", what, r.status)
		}
		c.wantNoContextError(what, r)
		if w.times(req.URL.Path) > 0 {
			c.broke("%s arrives as if it were whole", what)
		}
		c.wantOK("the next request after "+what, c.do(e, c.post(w, "next")))
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }
