package fasthttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/go-bizppurio/sdk/engine"
)

const (
	// maxInformation is how many informational answers (1xx) may come before
	// the answer.
	maxInformation = 32

	// beginning is how every answer begins.
	beginning = "HTTP/1."

	// keepMargin is how long before the limit that a server announced its
	// connection counts as stale: a round trip, a late timer, and the seconds
	// in which it is announced.
	keepMargin = 500 * time.Millisecond
)

// answer reads the header of the answer.
func (a *attempt) answer() (*http.Response, error) {
	c := a.conn
	if _, err := c.r.Peek(1); err != nil {
		return nil, err
	}
	if a.trace != nil && a.trace.GotFirstResponseByte != nil {
		a.trace.GotFirstResponseByte()
	}
	if err := c.begins(); err != nil {
		return nil, err
	}
	for range maxInformation {
		if err := c.readHeader(); err != nil {
			return nil, err
		}
		if status := c.header.StatusCode(); status >= 200 || status == http.StatusSwitchingProtocols {
			return a.deliver(), nil
		}
	}
	return nil, malformed(errInformation)
}

// begins checks the first bytes of the answer. The parser would wait for the
// end of a line, which other protocols may not have.
func (c *conn) begins() error {
	for n := range len(beginning) {
		b, err := c.r.Peek(n + 1)
		switch {
		case err == io.EOF: // TLS and sockets give it bare
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case b[n] != beginning[n]:
			return engine.ErrMalformed
		}
	}
	return nil
}

// readHeader reads one header, an informational one or that of the answer.
func (c *conn) readHeader() error {
	err := c.header.Read(c.r)
	switch {
	case err == nil && c.header.StatusCode() >= 100 && bytes.HasPrefix(c.header.Protocol(), []byte(beginning)):
		return nil
	case c.broken == io.EOF: //nolint:errorlint // TLS and sockets give it bare
		return io.ErrUnexpectedEOF
	case c.broken != nil:
		return c.broken
	}
	if _, ok := errors.AsType[*fasthttp.ErrSmallBuffer](err); ok {
		return malformed(errHeaderSize)
	}
	return engine.ErrMalformed // the parser's error quotes the answer
}

// deliver makes the answer of its header.
func (a *attempt) deliver() *http.Response {
	c := a.conn
	h := &c.header
	status := h.StatusCode()
	resp := &http.Response{
		Status:        statusLine(status, h.StatusMessage()),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        headerOf(h),
		ContentLength: int64(h.ContentLength()),
		Close:         h.ConnectionClose(),
		Request:       a.req,
		TLS:           c.state,
	}
	if !h.IsHTTP11() {
		resp.Proto, resp.ProtoMinor = "HTTP/1.0", 0
	}
	if d, ok := keepAlive(resp.Header["Keep-Alive"]); ok {
		c.keep = min(c.keep, max(d-keepMargin, 0))
	}
	b := &body{attempt: a, conn: c, reusable: !resp.Close && !a.req.Close && !hasClose(a.req.Header["Connection"])}
	resp.Body = b
	switch {
	case status == http.StatusSwitchingProtocols:
		// No context bounds what follows, and nobody asked for it.
		resp.ContentLength = 0
		b.reusable = false
		b.end()
	case method(a.req) == http.MethodHead, status == http.StatusNoContent, status == http.StatusNotModified:
		resp.ContentLength = max(resp.ContentLength, 0)
		b.end()
	case resp.ContentLength == 0:
		b.end()
	case resp.ContentLength > 0:
		b.left = resp.ContentLength
	case resp.ContentLength == -1:
		resp.TransferEncoding = []string{"chunked"}
		b.chunks = newChunks(c.r)
	default: // to the end of the connection
		resp.ContentLength = -1
		b.left = -1
		b.reusable = false
	}
	return resp
}

func statusLine(status int, message []byte) string {
	if status == http.StatusOK && string(message) == "OK" {
		return "200 OK"
	}
	return strconv.Itoa(status) + " " + string(message)
}

// headerOf copies a header.
func headerOf(h *fasthttp.ResponseHeader) http.Header {
	header := make(http.Header, 8)
	values := make([]string, 0, 8) // one array for all of them
	for k, v := range h.All() {
		name := nameOf(k)
		if name == "Transfer-Encoding" {
			continue // net/http leaves it out too
		}
		if old, ok := header[name]; ok {
			header[name] = append(old, string(v))
			continue
		}
		values = append(values, string(v))
		header[name] = values[len(values)-1 : len(values) : len(values)]
	}
	return header
}

// nameOf spares the usual names an allocation.
func nameOf(k []byte) string {
	switch string(k) {
	case "Connection":
		return "Connection"
	case "Content-Length":
		return "Content-Length"
	case "Content-Type":
		return "Content-Type"
	case "Date":
		return "Date"
	case "Server":
		return "Server"
	case "Keep-Alive":
		return "Keep-Alive"
	case "Ratelimit-Limit":
		return "Ratelimit-Limit"
	case "Ratelimit-Remaining":
		return "Ratelimit-Remaining"
	case "Ratelimit-Reset":
		return "Ratelimit-Reset"
	default:
		return string(k)
	}
}

// hasClose reports whether Connection lines ask for the end of a connection.
func hasClose(lines []string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), "close") {
				return true
			}
		}
	}
	return false
}

// keepAlive reads the timeout of Keep-Alive lines, as in "timeout=5, max=100".
func keepAlive(lines []string) (time.Duration, bool) {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(part, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
				continue
			}
			s, err := strconv.ParseUint(strings.Trim(value, " \t\""), 10, 32)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				continue
			}
			return time.Duration(min(s, 1<<31)) * time.Second, true // bounded in this line
		}
	}
	return 0, false
}
