package bizppuriotest_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

const to = "01000000000"

// Each fault as a plain client sees it, and whether the message was accepted.
func TestFault(t *testing.T) {
	t.Parallel()
	broken := func(t *testing.T, a answer, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("got %d %.40q, want an error", a.status, a.body)
		}
	}
	reset := func(t *testing.T, a answer, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("got %d, %v, want a reset", a.status, err)
		}
	}
	eof := func(t *testing.T, _ answer, err error) {
		t.Helper()
		if !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want EOF", err)
		}
	}
	halfBody := func(t *testing.T, a answer, err error) {
		t.Helper()
		if a.status != 200 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %d, %v, want 200 and an unexpected EOF", a.status, err)
		}
	}
	status := func(want int, contains string) func(*testing.T, answer, error) {
		return func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.status != want || !strings.Contains(a.body, contains) {
				t.Errorf("got %d %.80q, %v, want %d with %q", a.status, a.body, err, want, contains)
			}
		}
	}
	for name, c := range map[string]struct {
		fault    bizppuriotest.Fault
		accepted int
		check    func(*testing.T, answer, error)
	}{
		"DropUnread":    {bizppuriotest.DropUnread(), 0, broken},
		"ResetUnread":   {bizppuriotest.ResetUnread(), 0, broken},
		"Drop":          {bizppuriotest.Drop(), 0, eof},
		"Drop accepted": {bizppuriotest.Drop().AfterAccepting(), 1, eof},
		"Reset":         {bizppuriotest.Reset(), 0, reset},
		"Reset accepted": {
			bizppuriotest.Reset().AfterAccepting(), 1, reset,
		},
		"CutBody":  {bizppuriotest.CutBody(), 1, halfBody},
		"CutChunk": {bizppuriotest.CutChunk(), 1, halfBody},
		"CutClose": {bizppuriotest.CutClose(), 1, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.status != 200 || a.json != nil || a.body == "" {
				t.Errorf("got %d %q, %v, want half a body and no error", a.status, a.body, err)
			}
		}},
		"HTML":           {bizppuriotest.HTML(502), 0, status(502, "<html>")},
		"HTML accepted":  {bizppuriotest.HTML(502).AfterAccepting(), 1, status(502, "<html>")},
		"Empty":          {bizppuriotest.Empty(500), 0, status(500, "")},
		"Code 3008":      {bizppuriotest.Code(3008), 0, status(400, `"code":3008`)},
		"Code 5003":      {bizppuriotest.Code(5003), 0, status(502, `"code":5003`)},
		"Code 5004":      {bizppuriotest.Code(5004), 0, status(503, `"code":5004`)},
		"Code 5005":      {bizppuriotest.Code(5005), 0, status(504, `"code":5005`)},
		"Code 9000":      {bizppuriotest.Code(9000), 0, status(500, `"refkey":"order-1"`)},
		"Code 5001":      {bizppuriotest.Code(5001), 0, status(404, `"code":5001`)},
		"StringCode":     {bizppuriotest.StringCode(), 1, status(200, `"code":"1000"`)},
		"ObjectCode":     {bizppuriotest.ObjectCode(), 1, status(200, `"code":{`)},
		"NumberKey":      {bizppuriotest.NumberKey(), 1, status(200, `"messagekey":260429185700123`)},
		"OtherRefKey":    {bizppuriotest.OtherRefKey(), 1, status(200, `"refkey":"of-another-message"`)},
		"Drip":           {bizppuriotest.Drip(time.Microsecond), 1, status(200, `"code":1000`)},
		"Delay":          {bizppuriotest.Delay(time.Millisecond), 1, status(200, `"code":1000`)},
		"CloseAfter":     {bizppuriotest.CloseAfter(time.Millisecond), 1, status(200, `"code":1000`)},
		"the zero Fault": {bizppuriotest.Fault{}, 1, status(200, `"code":1000`)},
		"Garbage":        {bizppuriotest.Garbage(), 0, broken},
		"Endless": {bizppuriotest.Endless(), 0, func(t *testing.T, a answer, _ error) {
			t.Helper()
			if a.status != 200 || len(a.body) != 1<<20 {
				t.Errorf("got %d with %d bytes, want as many as I care to read", a.status, len(a.body))
			}
		}},
		"HeaderFlood":   {bizppuriotest.HeaderFlood(), 0, broken},
		"Informational": {bizppuriotest.Informational(), 0, broken},
		"Code 5002": {bizppuriotest.Code(5002), 0, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.status != 429 || a.header.Get("RateLimit-Reset") != "0.050" || a.header.Get("RateLimit-Remaining") != "0" {
				t.Errorf("got %d %v, %v, want 429 with RateLimit headers", a.status, a.header, err)
			}
		}},
		"Redirect": {bizppuriotest.Redirect(307), 0, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.status != 307 || !strings.HasPrefix(a.header.Get("Location"), "https://127.0.0.1:") {
				t.Errorf("got %d %v, %v, want a redirect", a.status, a.header, err)
			}
		}},
		"GzipBomb": {bizppuriotest.GzipBomb(), 0, func(t *testing.T, a answer, err error) {
			t.Helper()
			zr, zerr := gzip.NewReader(strings.NewReader(a.body))
			if err != nil || zerr != nil || len(a.body) > 1<<20 {
				t.Fatalf("got %d bytes, %v, %v, want less than a megabyte of gzip", len(a.body), err, zerr)
			}
			if n, err := io.CopyN(io.Discard, zr, 8<<20); err != nil {
				t.Errorf("inflated to %d bytes, %v, want many", n, err)
			}
		}},
		"Reply": {bizppuriotest.Reply(bizppuriotest.Answer{Status: 201, Body: []byte("x"), Header: http.Header{"X-A": {"1", "2"}}}), 0, func(t *testing.T, a answer, err error) {
			t.Helper()
			_, typed := a.header["Content-Type"]
			if err != nil || a.status != 201 || a.body != "x" || len(a.header["X-A"]) != 2 || typed {
				t.Errorf("got %d %q %v, %v, want the answer to the byte", a.status, a.body, a.header, err)
			}
		}},
		"Reply cut":                  {bizppuriotest.Reply(bizppuriotest.Answer{Body: []byte("x"), Cut: true}), 0, halfBody},
		"Reply with a longer length": {bizppuriotest.Reply(bizppuriotest.Answer{Body: []byte("x"), Header: http.Header{"Content-Length": {"9"}}}), 0, halfBody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			cl := newClient(t, s)
			cl.login()
			cl.http.CloseIdleConnections() // on a fresh one net/http repeats nothing
			s.Misbehave(c.fault)
			a, err := cl.post(bizppuriotest.PathMessage, sms("order-1", to))
			c.check(t, a, err)
			if got := s.Accepted("order-1"); got != c.accepted {
				t.Errorf("Accepted = %d, want %d", got, c.accepted)
			}
			if got := s.Seen("order-1"); got > 1 || c.accepted == 1 && got != 1 {
				t.Errorf("Seen = %d, want 1", got)
			}
			if got := s.Requests(bizppuriotest.PathMessage); got != 1 {
				t.Errorf("Requests = %d, want 1", got)
			}
			cl.http.CloseIdleConnections() // the client may not have noticed a close yet
			a = cl.must(bizppuriotest.PathMessage, sms("order-2", to))
			if code(a) != 1000 {
				t.Errorf("the next message = %d %q, want an acceptance", a.status, a.body)
			}
		})
	}
}

// A request that was dropped unread is seen all the same: a client that calls
// it NotSent is caught.
func TestServer_SeenUnread(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]bizppuriotest.Fault{
		"DropUnread": bizppuriotest.DropUnread(), "ResetUnread": bizppuriotest.ResetUnread(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			cl := newClient(t, s)
			cl.login()
			s.Misbehave(f)
			if a, err := cl.post(bizppuriotest.PathMessage, sms("order-1", to)); err == nil {
				t.Fatalf("got %d, want an error", a.status)
			}
			if s.Seen("order-1") != 1 || s.Accepted("order-1") != 0 {
				t.Errorf("Seen, Accepted = %d, %d, want 1, 0", s.Seen("order-1"), s.Accepted("order-1"))
			}
		})
	}
}

func TestFault_Stall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    bizppuriotest.Fault
		accepted int
	}{
		"unread":   {bizppuriotest.StallUnread(), 0},
		"read":     {bizppuriotest.Stall(), 0},
		"accepted": {bizppuriotest.Stall().AfterAccepting(), 1},
		"delayed":  {bizppuriotest.Delay(time.Hour), 1},
	} {
		t.Run(name+", the client leaves", func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			cl := newClient(t, s)
			cl.login()
			s.Misbehave(c.fault)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			req := cl.request(bizppuriotest.PathMessage, "Bearer "+cl.token, sms("order-1", to)).WithContext(ctx)
			failed := make(chan error, 1)
			go func() {
				_, err := cl.do(req)
				failed <- err
			}()
			eventually(t, func() bool {
				return s.Seen("order-1") == 1 && s.Accepted("order-1") == c.accepted
			}, "the request does not come to what it should")
			leave()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want no answer", err)
			}
			if got := s.Accepted("order-1"); got != c.accepted {
				t.Errorf("Accepted = %d, want %d", got, c.accepted)
			}
			eventually(t, func() bool { return s.OpenConns() == 0 }, "the connection stays open")
		})
		t.Run(name+", the server closes", func(t *testing.T) {
			t.Parallel()
			s, err := bizppuriotest.Start()
			if err != nil {
				t.Fatal(err)
			}
			cl := newClient(t, s)
			cl.login()
			s.Misbehave(c.fault)
			failed := make(chan error, 1)
			go func() {
				_, err := cl.post(bizppuriotest.PathMessage, sms("order-1", to))
				failed <- err
			}()
			eventually(t, func() bool { return s.Seen("order-1") == 1 }, "no request")
			if err := s.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
			if err := <-failed; err == nil {
				t.Error("got an answer, want an error")
			}
			if got := s.OpenConns(); got != 0 {
				t.Errorf("OpenConns after Close = %d, want 0", got)
			}
		})
	}
}

// eventually waits for something that no channel tells.
func eventually(tb testing.TB, ok func() bool, otherwise string) {
	tb.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late.C:
			tb.Fatal(otherwise)
		}
	}
}

// One answer too many shifts all later ones of the connection.
func TestAnswerTwice(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	s.Misbehave(bizppuriotest.AnswerTwice())
	for i, want := range []string{"order-0", "order-0", "order-1"} {
		a := cl.must(bizppuriotest.PathMessage, sms("order-"+string(rune('0'+i)), to))
		if a.json["refkey"] != want {
			t.Errorf("answer %d has refkey %v, want %s", i, a.json["refkey"], want)
		}
	}
	if s.TotalAccepted() != 3 || s.Conns() != 1 {
		t.Errorf("TotalAccepted, Conns = %d, %d, want 3, 1", s.TotalAccepted(), s.Conns())
	}
	cl.http.CloseIdleConnections()
	if a := cl.must(bizppuriotest.PathMessage, sms("order-3", to)); a.json["refkey"] != "order-3" {
		t.Errorf("on a new connection the refkey is %v, want order-3", a.json["refkey"])
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	s.Misbehave(bizppuriotest.Revoke())
	for range 2 { // the token stays revoked
		if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 3002 {
			t.Errorf("got %q, want 3002", a.body)
		}
	}
	cl.login()
	if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 1000 {
		t.Errorf("with a new token: %q, want 1000", a.body)
	}
	s.RevokeTokens()
	if a := cl.must(bizppuriotest.PathMessage, sms("order-1", to)); code(a) != 3002 {
		t.Errorf("after RevokeTokens: %q, want 3002", a.body)
	}
}

// Faults come in order, for as many requests as they say, for their endpoint.
func TestServer_Misbehave(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	cl := newClient(t, s)
	cl.login()
	s.Misbehave(
		bizppuriotest.Code(3008).Times(2),
		bizppuriotest.Empty(503).On(bizppuriotest.PathToken),
		bizppuriotest.Code(9000),
		bizppuriotest.Code(5004).Always(),
	)
	send := func() int { return code(cl.must(bizppuriotest.PathMessage, sms("order-1", to))) }
	for i, want := range []int{3008, 3008, 9000, 5004, 5004} {
		if got := send(); got != want {
			t.Errorf("message %d = %d, want %d", i, got, want)
		}
	}
	if a, err := cl.do(cl.request(bizppuriotest.PathToken, "", "")); err != nil || a.status != 503 {
		t.Errorf("token = %d, %v, want 503", a.status, err)
	}
	s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})
	if got := send(); got != 5004 {
		t.Errorf("with a queued fault and a responder = %d, want 5004", got)
	}
	s.Behave()
	if got := send(); got != 1000 {
		t.Errorf("after Behave = %d, want 1000", got)
	}
	s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})
	if a := cl.must(bizppuriotest.PathMessage, sms("order-9", to)); a.body != sms("order-9", to) {
		t.Errorf("with a responder = %q, want its echo", a.body)
	}
	s.Respond(bizppuriotest.PathMessage, nil)
	if got := send(); got != 1000 || s.Accepted("order-9") != 0 {
		t.Errorf("without a responder = %d, %d accepted, want 1000, 0", got, s.Accepted("order-9"))
	}
}
