package fasthttp

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

const (
	// writeBuffer is how much of a request is written at once. Header and
	// body of an ordinary message fit, and leave in one TLS record.
	writeBuffer = 16 << 10

	// keptBuffer is the largest buffer that is kept for the next request.
	keptBuffer = 64 << 10
)

// scratch is what a request needs for a while.
type scratch struct {
	header fasthttp.RequestHeader
	b      []byte
}

// message is what the first line of a request says, and the length of its
// body: -1 if unknown.
type message struct {
	target target
	host   string
	uri    string
	length int64
}

// message checks a request before anything is done for it.
func (a *attempt) message() (m message, err error) {
	req := a.req
	if m.target, err = targetOf(req.URL); err != nil {
		return m, err
	}
	m.host, m.uri = req.Host, req.URL.RequestURI()
	if m.host == "" {
		m.host = req.URL.Host
	}
	if len(req.Trailer) > 0 {
		return m, errTrailer
	}
	if !isToken(method(req)) || !isVisible(m.uri) || !isVisible(m.host) {
		return m, errBadRequest
	}
	for name, values := range req.Header {
		if !isToken(name) {
			return m, errBadRequest
		}
		for _, v := range values {
			if !isValue(v) {
				return m, errBadRequest
			}
		}
	}
	switch {
	case req.Body == nil || req.Body == http.NoBody:
	case req.ContentLength > 0:
		m.length = req.ContentLength
	default:
		m.length = -1
	}
	return m, nil
}

func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// begin puts the header into the buffer, and behind it the body if that fits.
// It returns how much of the body is left to be written, -1 if unknown.
func (s *scratch) begin(req *http.Request, m message) (rest int64, err error) {
	h := &s.header
	h.Reset()
	h.DisableNormalizing()
	h.DisableSpecialHeader()
	h.SetMethod(method(req))
	h.SetRequestURI(m.uri)
	h.Add("Host", m.host)
	for name, values := range req.Header {
		if ours(name) || strings.EqualFold(name, "User-Agent") && len(values) > 0 && values[0] == "" {
			continue // an empty User-Agent means none, as with net/http
		}
		for _, v := range values {
			h.Add(name, v)
		}
	}
	if req.Close && req.Header.Get("Connection") == "" {
		h.Add("Connection", "close")
	}
	switch {
	case m.length < 0:
		h.Add("Transfer-Encoding", "chunked")
	case m.length > 0 || method(req) == http.MethodPost || method(req) == http.MethodPut || method(req) == http.MethodPatch:
		h.Add("Content-Length", strconv.FormatInt(m.length, 10))
	}
	if cap(s.b) > keptBuffer {
		s.b = nil
	}
	s.b = h.AppendBytes(s.b[:0])
	if m.length <= 0 || int64(len(s.b))+m.length > writeBuffer {
		return m.length, nil
	}
	n := len(s.b)
	s.b = slices.Grow(s.b, int(m.length))[:n+int(m.length)]
	if _, err := io.ReadFull(req.Body, s.b[n:]); err != nil {
		return 0, bodyError(err)
	}
	return 0, atEnd(req.Body)
}

// ours reports whether a header says what the request says in other fields.
func ours(name string) bool {
	switch len(name) {
	case len("Host"):
		return strings.EqualFold(name, "Host")
	case len("Trailer"):
		return strings.EqualFold(name, "Trailer")
	case len("Content-Length"):
		return strings.EqualFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return strings.EqualFold(name, "Transfer-Encoding")
	default:
		return false
	}
}

// writeRest writes what begin has left of the body.
func (a *attempt) writeRest(rest int64) error {
	if rest == 0 {
		return nil
	}
	a.scratch.b = slices.Grow(a.scratch.b[:0], writeBuffer)
	if rest < 0 {
		return a.writeChunks()
	}
	for rest > 0 {
		b := a.scratch.b[:min(rest, writeBuffer)]
		n, err := a.req.Body.Read(b)
		rest -= int64(n)
		if werr := a.writeSome(b[:n]); werr != nil {
			return werr
		}
		if err != nil && rest > 0 {
			return bodyError(err)
		}
	}
	return atEnd(a.req.Body)
}

func (a *attempt) writeSome(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return a.write(b)
}

// writeChunks writes a body of unknown length.
func (a *attempt) writeChunks() error {
	const head, tail = 6, 2 // 4 hexadecimal digits, twice CR LF
	for {
		b := a.scratch.b[:writeBuffer]
		n, err := a.req.Body.Read(b[head : writeBuffer-tail])
		if n > 0 {
			copy(b, fmt.Appendf(b[:0:0], "%04x\r\n", n))
			copy(b[head+n:], "\r\n")
			if werr := a.write(b[:head+n+tail]); werr != nil {
				return werr
			}
		}
		switch {
		case err == io.EOF: // io.Reader gives it bare
			return a.write([]byte("0\r\n\r\n"))
		case err != nil:
			return bodyError(err)
		}
	}
}

// bodyError is the error of a body that failed or was too short.
func bodyError(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // io.Reader gives them bare
		return errLength
	}
	return err
}

// atEnd checks that a body has no more than its length.
func atEnd(body io.Reader) error {
	var b [1]byte
	n, err := io.ReadFull(body, b[:])
	switch {
	case n > 0:
		return errLength
	case err == io.EOF: // io.Reader gives it bare
		return nil
	default:
		return err
	}
}

// isToken reports whether s may be a method or the name of a header.
func isToken(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// isVisible reports whether s may stand in the first line or be a host.
func isVisible(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return s != ""
}

// isValue reports whether s may be the value of a header.
func isValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
