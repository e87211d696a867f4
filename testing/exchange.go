package bizppuriotest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The paths of the endpoints (spec 1.1). The seventh, the push of reports, is
// the application's own URL: see [WithWebhook].
const (
	PathToken   = "/v1/token"
	PathMessage = "/v3/message"
	PathFile    = "/v2/file"
	PathReport  = "/v2/report"
	PathPoll    = "/v1/result/request"
	PathConfirm = "/v1/result/confirm"
)

// redirected is where Redirect points to. No client may go there.
const redirected = "/redirected"

// maxBody is the largest request that is read.
const maxBody = 4 << 20

// reply is an answer that is not yet sent.
type reply struct {
	status int
	header http.Header // beyond Content-Type and Content-Length
	body   []byte
}

// exchange is one request and its answer.
type exchange struct {
	s    *Server
	c    *conn
	w    http.ResponseWriter
	r    *http.Request
	path string // without the prefix
	body []byte
	made *reply // by answer
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.busy.Done()
	c, _ := r.Context().Value(connKey{}).(*conn)
	x := &exchange{s: s, c: c, w: w, r: r}
	var below bool
	if x.path, below = strings.CutPrefix(r.URL.Path, s.opt.prefix); !below {
		x.path = ""
	}
	var err error
	if x.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		panic(http.ErrAbortHandler) // a request that broke off is no request
	}
	x.inspect()
	if r.ProtoMajor != 1 {
		panic(http.ErrAbortHandler)
	}
	if !s.simulate(s.opt.service, r.Context().Done()) {
		panic(http.ErrAbortHandler)
	}
	fault := c.takeFault()
	if fault == nil && x.path == PathMessage {
		fault = s.numberFault(x)
	}
	if fault != nil {
		fault.run(x)
		return
	}
	if h := s.responder(x.path); h != nil {
		r.Body = io.NopCloser(bytes.NewReader(x.body))
		h.ServeHTTP(w, r)
		return
	}
	x.send(x.answer())
}

// answer does what the vendor does with the request, once.
func (x *exchange) answer() *reply {
	if x.made == nil {
		x.made = x.decide()
		x.s.decorate(x.made)
	}
	return x.made
}

func (x *exchange) decide() *reply {
	if !x.s.limit.take() {
		return refusal(5002, "")
	}
	if x.r.Method != http.MethodPost {
		return refusal(5001, "")
	}
	switch x.path {
	case PathToken:
		return x.s.token(x)
	case PathMessage:
		return x.authorised(x.s.message)
	case PathFile:
		return x.authorised(x.s.file)
	case PathReport:
		return x.authorised(x.s.resend)
	case PathPoll:
		return x.authorised(x.s.poll)
	case PathConfirm:
		return x.authorised(x.s.confirm)
	}
	return refusal(5001, "")
}

// decorate adds the headers that stand on every answer.
func (s *Server) decorate(r *reply) {
	for name, value := range s.limit.headers() {
		r.set(name, value)
	}
	if s.opt.keepAlive > 0 {
		r.set("Keep-Alive", "timeout="+strconv.Itoa(int(s.opt.keepAlive.Seconds())))
	}
}

// send sends r, or, on a connection that is one answer behind, the answer of
// the request before.
func (x *exchange) send(r *reply) {
	x.c.mu.Lock()
	if x.c.stale != nil {
		r, x.c.stale = x.c.stale, r
	}
	x.c.mu.Unlock()
	h := x.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	maps.Copy(h, r.header)
	h.Set("Content-Length", strconv.Itoa(len(r.body)))
	x.w.WriteHeader(r.status)
	_, _ = x.w.Write(r.body)
}

// hijack takes the connection away from net/http.
func (x *exchange) hijack() *conn {
	if nc, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
		_ = nc.SetDeadline(time.Time{})
	}
	return x.c
}

// raw writes r as text with the given Content-Length, or with none if it is
// negative.
func (r *reply) raw(length int) []byte {
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", r.status, http.StatusText(r.status))
	h := r.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json; charset=utf-8")
	}
	if length >= 0 {
		h.Set("Content-Length", strconv.Itoa(length))
	}
	var buf bytes.Buffer
	_ = h.Write(&buf)
	return append(append(b, buf.Bytes()...), "\r\n"...)
}

func (r *reply) set(name, value string) {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(name, value)
}

// inspect notes what no client of this vendor may do.
func (x *exchange) inspect() {
	rules := []struct {
		broken bool
		rule   string
	}{
		{has(x.r.Header, "Idempotency-Key", "X-Idempotency-Key"), "an Idempotency-Key header: net/http would repeat the POST"},
		{has(x.r.Header, "Traceparent", "Tracestate", "Baggage"), "a trace header sent to the vendor"},
		{x.path == redirected, "a redirect was followed"},
		{x.r.ProtoMajor != 1, "a protocol other than HTTP/1.1"},
		{x.r.URL.RawQuery != "", "a query in the URL"},
		{len(x.body) > 0 && !x.rightType(), "a body of another content type than " + x.wantType()},
	}
	for _, r := range rules {
		if r.broken {
			x.s.ledger.violation(r.rule)
		}
	}
}

func has(h http.Header, names ...string) bool {
	for _, name := range names {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return false
}

func (x *exchange) wantType() string {
	if x.path == PathFile {
		return "multipart/form-data"
	}
	return "application/json; charset=utf-8"
}

func (x *exchange) rightType() bool {
	got, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil {
		return false
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return strings.HasPrefix(x.wantType(), got)
}
