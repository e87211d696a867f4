package bizppuriotest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// CutBody accepts the message and closes the connection in the middle of the
// answer's body, whose length the header told.
func CutBody() Fault {
	return cut(func(r *reply, half []byte) []byte { return append(r.raw(len(r.body)), half...) })
}

// CutChunk is [CutBody] with a chunked body: the last chunk is missing.
func CutChunk() Fault {
	return cut(func(r *reply, half []byte) []byte {
		r.set("Transfer-Encoding", "chunked")
		return fmt.Appendf(r.raw(-1), "%x\r\n%s\r\n", len(half), half)
	})
}

// CutClose is [CutBody] with a body that ends where the connection ends: no
// client can see from the framing that half of it is missing.
func CutClose() Fault {
	return cut(func(r *reply, half []byte) []byte {
		r.set("Connection", "close")
		return append(r.raw(-1), half...)
	})
}

func cut(frame func(r *reply, half []byte) []byte) Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		r := *x.answer()
		r.header = r.header.Clone()
		x.writeRaw(frame(&r, r.body[:len(r.body)/2]))
	}}
}

// HTML answers with a page of HTML, as gateways do.
func HTML(status int) Fault {
	return Reply(Answer{
		Status: status,
		Header: http.Header{"Content-Type": {"text/html"}},
		Body: fmt.Appendf(nil, "<html><head><title>%d %s</title></head><body><h1>%[2]s</h1></body></html>",
			status, http.StatusText(status)),
	})
}

// Empty answers with a status and nothing else.
func Empty(status int) Fault { return Reply(Answer{Status: status}) }

// Code answers with a code of the vendor's, such as 3008 or 9000, at the HTTP
// status that goes with it (spec 6.1). 5002 has RateLimit headers that ask
// for 50 ms.
func Code(code int) Fault {
	return Fault{late: func(x *exchange) {
		members, _ := object(x.body) // an unreadable body has no refkey
		refKey, _ := text(members, "refkey")
		r := refusal(code, refKey)
		if code == 5002 {
			r.set("RateLimit-Limit", "1000")
			r.set("RateLimit-Remaining", "0")
			r.set("RateLimit-Reset", "0.050")
		}
		x.send(r)
	}}
}

// Revoke makes the token of the request invalid and answers with 3002.
func Revoke() Fault {
	f := Code(3002)
	answer := f.late
	f.late = func(x *exchange) {
		if value, ok := x.bearer(); ok {
			x.s.tokens.revoke(value)
		}
		answer(x)
	}
	return f
}

// Redirect answers with a 3xx status and a Location on this server. Going
// there is a violation.
func Redirect(status int) Fault {
	return Fault{late: func(x *exchange) {
		x.reply(Answer{Status: status, Header: http.Header{"Location": {x.s.base + redirected}}})
	}}
}

// StringCode accepts the message and answers with the code as a string,
// which some of the vendor's examples do (spec 8, A1).
func StringCode() Fault {
	return rewrite(func(m map[string]any) { m["code"] = strconv.Itoa(codeSuccess) })
}

// ObjectCode accepts the message and answers with an object where the code
// should be.
func ObjectCode() Fault {
	return rewrite(func(m map[string]any) { m["code"] = map[string]any{"value": codeSuccess} })
}

// NumberKey accepts the message and answers with a number for its messagekey.
func NumberKey() Fault {
	return rewrite(func(m map[string]any) { m["messagekey"] = int64(260429185700123) })
}

// OtherRefKey accepts the message and answers with the refkey of another.
func OtherRefKey() Fault {
	return rewrite(func(m map[string]any) { m["refkey"] = "of-another-message" })
}

// rewrite accepts the message and changes the answer, unless it was refused.
func rewrite(change func(map[string]any)) Fault {
	return Fault{accepts: true, late: func(x *exchange) {
		r := *x.answer()
		var members map[string]any
		if r.status == http.StatusOK && json.Unmarshal(r.body, &members) == nil {
			change(members)
			if b, err := json.Marshal(members); err == nil {
				r.body = b
			}
		}
		x.send(&r)
	}}
}

// Garbage answers with bytes that are not HTTP.
func Garbage() Fault {
	return Fault{late: func(x *exchange) { x.writeRaw([]byte("\x16\x03\x01 what is this\r\n\r\n")) }}
}

// Endless answers with code 1000 in a body that never ends.
func Endless() Fault {
	return Fault{late: func(x *exchange) {
		header := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + `{"code":1000,"description":"`
		x.flood([]byte(header), bytes.Repeat([]byte("a"), 64<<10), -1)
	}}
}

// HeaderFlood answers with a header that never ends.
func HeaderFlood() Fault {
	return Fault{late: func(x *exchange) {
		x.flood([]byte("HTTP/1.1 200 OK\r\n"), bytes.Repeat([]byte("X-Flood: "+string(bytes.Repeat([]byte("a"), 1000))+"\r\n"), 64), -1)
	}}
}

// Informational sends 200,000 answers "103 Early Hints" before it closes the
// connection.
func Informational() Fault {
	return Fault{late: func(x *exchange) {
		x.flood(nil, bytes.Repeat([]byte("HTTP/1.1 103 Early Hints\r\n\r\n"), 2000), 100)
	}}
}

// GzipBomb answers with 256 MiB of white space in a quarter of a megabyte of
// gzip, whether or not the client asked for it.
func GzipBomb() Fault {
	return Fault{late: func(x *exchange) {
		const header = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
		member := zip(bytes.Repeat([]byte(" "), 1<<20)) // members may follow one another
		x.flood([]byte(header), member, 256)
	}}
}

// flood writes first, then block again and again, as often as times says or until the
// client leaves or the server closes.
func (x *exchange) flood(first, block []byte, times int) {
	c := x.hijack()
	defer func() { _ = c.Close() }()
	if _, err := c.Write(first); err != nil {
		return
	}
	for ; times != 0; times-- {
		if _, err := c.Write(block); err != nil {
			return
		}
	}
}

// writeRaw writes b in place of an answer and closes the connection.
func (x *exchange) writeRaw(b []byte) {
	c := x.hijack()
	_, _ = c.Write(b)
	_ = c.Close()
}

// reply sends a.
func (x *exchange) reply(a Answer) {
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	announced, _ := strconv.Atoi(a.Header.Get("Content-Length")) // 0 is not larger than the body
	if !a.Cut && announced <= len(a.Body) {
		h := x.w.Header()
		for name, values := range a.Header {
			h[http.CanonicalHeaderKey(name)] = values
		}
		if _, ok := h["Content-Type"]; !ok {
			h["Content-Type"] = nil // else net/http guesses one
		}
		x.w.WriteHeader(a.Status)
		_, _ = x.w.Write(a.Body)
		return
	}
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", a.Status, http.StatusText(a.Status))
	var header bytes.Buffer
	_ = a.Header.Write(&header)
	b = append(b, header.Bytes()...)
	if a.Cut && announced == 0 {
		if a.Header.Get("Transfer-Encoding") == "" {
			b = append(b, "Transfer-Encoding: chunked\r\n"...)
		}
		b = fmt.Appendf(b, "\r\n%x\r\n%s\r\n", len(a.Body), a.Body)
	} else {
		b = append(append(b, "\r\n"...), a.Body...)
	}
	x.writeRaw(b)
}

// zip compresses b.
func zip(b []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(b)
	_ = w.Close()
	return buf.Bytes()
}
