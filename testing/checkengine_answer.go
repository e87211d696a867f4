package bizppuriotest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// saying is a handler that says s and keeps the connection.
func saying(s string) wireHandler {
	return func(wc *wireConn, _ *wireRequest) bool { return wc.say(s) }
}

// sayingLast is a handler that says s and closes.
func sayingLast(s string) wireHandler {
	return func(wc *wireConn, _ *wireRequest) bool { wc.say(s); return false }
}

// answerUnchanged: status, header and body arrive as they were sent.
func (c *engineCheck) answerUnchanged() {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := io.WriteString(z, strings.Repeat("compressed ", 100))
	if err = errors.Join(err, z.Close()); err != nil {
		c.stop("gzip: %w", err)
	}
	large := strings.Repeat("0123456789", 60_000)
	rows := map[string]struct {
		say    wireHandler
		status int
		body   string
	}{
		"an answer with a length":        {saying("HTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\nContent-Length: 3\r\n\r\nyes"), 200, "yes"},
		"an answer in chunks":            {saying("HTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nye\r\n1;x=y\r\ns\r\n0\r\nX-Trailer: t\r\n\r\n"), 200, "yes"},
		"an answer that ends by closing": {sayingLast("HTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\n\r\nyes"), 200, "yes"},
		"an answer of HTTP/1.0":          {sayingLast("HTTP/1.0 200 OK\r\nX-Many: b\r\nX-Many: a\r\n\r\nyes"), 200, "yes"},
		"a large answer":                 {saying("HTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\nContent-Length: 600000\r\n\r\n" + large), 200, large},
		"an answer without body":         {saying("HTTP/1.1 204 No Content\r\nX-Many: b\r\nX-Many: a\r\n\r\n"), 204, ""},
		"an empty answer":                {saying("HTTP/1.1 502 Bad Gateway\r\nX-Many: b\r\nX-Many: a\r\nContent-Length: 0\r\n\r\n"), 502, ""},
		"an unknown status":              {saying("HTTP/1.1 599 \r\nX-Many: b\r\nX-Many: a\r\nContent-Length: 1\r\n\r\nx"), 599, "x"},
		"an answer after 100 and 103":    {saying("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\nContent-Length: 3\r\n\r\nyes"), 200, "yes"},
		"an answer that is compressed": {saying("HTTP/1.1 200 OK\r\nX-Many: b\r\nX-Many: a\r\nContent-Encoding: gzip\r\nContent-Length: " +
			strconv.Itoa(zipped.Len()) + "\r\n\r\n" + zipped.String()), 200, zipped.String()},
	}
	for what, row := range rows {
		w := c.wire(map[string]wireHandler{"answer": row.say})
		e := c.engine(engine.Config{MaxConns: 1})
		for range 2 { // also on a connection that was used
			req := c.post(w, "answer")
			req.Header.Set("Accept-Encoding", "gzip")
			r := c.do(e, req)
			switch {
			case r.err != nil:
				c.broke("%s: %w", what, r.err)
			case r.status != row.status:
				c.broke("%s: status %d, want %d", what, r.status, row.status)
			case string(r.text) != row.body:
				c.broke("%s: the body changed", what)
			case !reflect.DeepEqual(r.header.Values("X-Many"), []string{"b", "a"}):
				c.broke("%s: the header changed", what)
			}
		}
		c.closeEngine(e)
	}
}

// cutBody: what ends too early is an error of the body, or of the call.
func (c *engineCheck) cutBody() {
	for what, say := range map[string]wireHandler{
		"a body cut below its length": sayingLast("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
		"a body cut by a reset": func(wc *wireConn, _ *wireRequest) bool {
			wc.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			wc.reset()
			return false
		},
		"a chunk that is cut":       sayingLast("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf"),
		"a last chunk that is cut":  sayingLast("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
		"a chunk that is malformed": sayingLast("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhalf\r\n"),
	} {
		w := c.wire(map[string]wireHandler{"cut": say})
		e := c.engine(engine.Config{MaxConns: 2})
		r := c.do(e, c.post(w, "cut"))
		c.wantMaybeSent(what, r)
		c.wantNoContextError(what, r)
		c.wantOK("the request after "+what, c.do(e, c.post(w, "next")))
		c.closeEngine(e)
	}
}

// malformedAnswer: an answer that is no HTTP is told from one that the end of
// its connection cut off.
func (c *engineCheck) malformedAnswer() {
	try := func(what string, say wireHandler, want bool) {
		w := c.wire(map[string]wireHandler{"bad": say})
		e := c.engine(engine.Config{MaxConns: 2})
		c.wantMalformed(what, c.do(e, c.post(w, "bad")), want)
		c.wantOK("the request after "+what, c.do(e, c.post(w, "next")))
		c.closeEngine(e)
	}
	for what, say := range map[string]string{
		"an answer that is garbage":                  "garbage\r\n\r\n",
		"an answer of TLS":                           "\x16\x03\x01 no HTTP\r\n\r\n",
		"an answer with a bad status":                "HTTP/1.1 OK 200\r\n\r\n",
		"an answer with a header line without colon": "HTTP/1.1 200 OK\r\ngarbage\r\n\r\n",
		"an answer with two lengths":                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
	} {
		try(what, saying(say), true)
		try(what+" and closes", sayingLast(say), true)
	}
	// No line ends here, so that an engine may wait for more.
	try("an answer of HTTP/2", sayingLast("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), true)
	r, _ := c.flooded("HTTP/1.1 200 OK\r\nX-First: ", "xxxxxxxxxxxxxxxx", time.Minute)
	c.wantMalformed("a header without end", r, true)

	for what, say := range map[string]string{
		"no answer":                        "",
		"an answer cut in the version":     "HTTP/1",
		"an answer cut in the status":      "HTTP/1.1 20",
		"an answer cut in a header's name": "HTTP/1.1 200 OK\r\nX-Fi",
		"an answer cut between headers":    "HTTP/1.1 200 OK\r\nX-First: x\r\n",
	} {
		try(what, sayingLast(say), false)
		try(what+" by a reset", func(wc *wireConn, _ *wireRequest) bool {
			wc.say(say)
			wc.reset()
			return false
		}, false)
	}
}

// slowBody: a body comes byte by byte, also when the header came long before,
// and the connection is of use afterwards; a body that is not read harms
// nobody.
func (c *engineCheck) slowBody() {
	goOn := make(chan struct{})
	w := c.wire(map[string]wireHandler{
		"slow": func(wc *wireConn, _ *wireRequest) bool {
			wc.say("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nha")
			select {
			case <-goOn:
			case <-wc.gone:
			}
			for _, b := range []string{"l", "f", "ha", "lf"} {
				wc.say(b)
			}
			return true
		},
		"unread": saying("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("unread", 50_000)),
	})
	e := c.engine(engine.Config{MaxConns: 1})
	// An engine may return with the header or, having stored it, with the
	// whole body: the server goes on in either case.
	returned := make(chan *http.Response, 1)
	req := c.post(w, "slow")
	c.calls.Go(func() {
		resp, err := e.RoundTrip(req) //nolint:bodyclose // by who receives it
		if err != nil {
			c.broke("a slow body: %w", err)
		}
		returned <- resp
	})
	timer := time.AfterFunc(200*time.Millisecond, sync.OnceFunc(func() { close(goOn) }))
	defer timer.Stop()
	resp := receive(c, returned, "a slow body: the call does not return")
	if resp != nil {
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || string(got) != "halfhalf" {
			c.broke("a slow body is not read to its end: error %w", errors.Join(err))
		}
	}

	for range 3 {
		resp := c.open(e, c.post(w, "unread"))
		if resp == nil {
			return
		}
		_, err := io.ReadFull(resp.Body, make([]byte, 10))
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			c.broke("a body that is read in part: %w", err)
		}
		c.wantOK("the request after a body that was not read to its end", c.do(e, c.post(w, "next")))
	}
}

// open makes a call and leaves the body to the caller; nil if it failed.
func (c *engineCheck) open(e engine.Engine, req *http.Request) *http.Response {
	returned := make(chan *http.Response, 1)
	c.calls.Go(func() {
		resp, err := e.RoundTrip(req) //nolint:bodyclose // by who receives it
		if err != nil {
			c.broke("a call whose body is read later: %w", err)
			resp = nil
		}
		returned <- resp
	})
	return receive(c, returned, "a call whose body is read later does not return")
}

// notMixedUp: each call gets its own answer. The comparison is in call.
func (c *engineCheck) notMixedUp() {
	w := c.wire(map[string]wireHandler{"echo": func(wc *wireConn, req *wireRequest) bool {
		body := strings.Repeat(string(req.body), 1+len(req.URL.Path)%7*40)
		return wc.say("HTTP/1.1 200 OK\r\n" + forHeader + ": " + req.URL.Path + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	}})
	e := c.engine(engine.Config{MaxConns: 4})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10 {
				req := c.post(w, "echo")
				n := strings.Split(req.URL.Path, "/")[2]
				r := c.do(e, req)
				unit := `{"refkey":"` + n + `"}`
				if r.err != nil {
					c.broke("one of 16 callers: %w", r.err)
				} else if want := strings.Repeat(unit, 1+len(req.URL.Path)%7*40); string(r.text) != want {
					c.broke("one of 16 callers got the body of another")
				}
			}
		})
	}
	wg.Wait()
}

// enough is more than an engine may store of one answer, 32 MiB.
const enough = 32 << 20

// flooded makes a call that is answered by first and then by the unit without
// end. The call's context ends some time after the flood has begun, and when
// the server has said enough. flooded returns how the call ended and how much
// the server could say.
func (c *engineCheck) flooded(first, unit string, lasts time.Duration) (r engineResult, taken int) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	said := make(chan int, 1)
	w := c.wire(map[string]wireHandler{"flood": func(wc *wireConn, _ *wireRequest) bool {
		defer time.AfterFunc(lasts, cancel).Stop()
		block := strings.Repeat(unit, 1+(32<<10)/len(unit))
		n := 0
		for ok := wc.say(first); ok && n < enough; n += len(block) {
			ok = wc.say(block)
		}
		said <- n
		if n >= enough {
			cancel()
		}
		return wc.hang()
	}})
	r = c.do(c.engine(engine.Config{MaxConns: 1}), c.post(w, "flood").WithContext(ctx))
	return r, receive(c, said, "the connection of an endless answer is not closed")
}

// endlessHeader: a header that does not end is an error before it fills the
// memory.
func (c *engineCheck) endlessHeader() {
	for what, unit := range map[string]string{
		"an endless header line":   "xxxxxxxxxxxxxxxx",
		"endless header lines":     "X-Line: value\r\n",
		"endless folded lines":     "X-Line: value\r\n more\r\n",
		"an endless run of spaces": "                ",
	} {
		r, taken := c.flooded("HTTP/1.1 200 OK\r\nX-First: ", unit, time.Minute)
		if taken >= enough {
			c.broke("%s: more than %d MiB of it are read", what, enough>>20)
			continue
		}
		c.wantMaybeSent(what, r)
		c.wantNoContextError(what, r)
	}
}

// endlessInformation: a server that only ever informs does not hold a call
// longer than its context.
func (c *engineCheck) endlessInformation() {
	const what = "a request answered by 103 without end"
	unit := "HTTP/1.1 103 Early Hints\r\nLink: </" + strings.Repeat("x", 200) + ">\r\n\r\n"
	r, _ := c.flooded("", unit, 300*time.Millisecond)
	c.wantMaybeSent(what, r)
}

// endlessBody: what is not read is not stored.
func (c *engineCheck) endlessBody() {
	for what, form := range map[string][2]string{
		"an endless body":             {"HTTP/1.1 200 OK\r\n\r\n", "endless body "},
		"an endless body in chunks":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "400\r\n" + strings.Repeat("endless!", 128) + "\r\n"},
		"a body that is one long one": {"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", "endless body "},
	} {
		_, taken := c.flooded(form[0], form[1], time.Minute) // reads 1 MiB; an engine that stores less says so
		if taken >= enough {
			c.broke("%s: more than %d MiB of it are read", what, enough>>20)
		}
	}
}
