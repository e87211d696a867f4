package live_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/report/live"
)

const mebi = 1 << 20

// What was published before Close arrives, more than one write of it too.
func TestClose_DeliversAll(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		const readers, events = 5, 10
		got := make(chan int)
		for range readers {
			s := open(t, client, url+"a", "")
			go func() { got <- len(s.all()) }()
		}
		for range events {
			hub.Publish("a", "", bytes.Repeat([]byte("x"), 40<<10))
		}
		if err := hub.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
		for range readers {
			if n := <-got; n != events {
				t.Errorf("a reader got %d events, want %d", n, events)
			}
		}
	})
}

// A reader that asks for more than the queue holds gets it, whatever is
// published meanwhile.
func TestResume_BeyondQueue(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		const events = 20
		first := hub.Publish("a", "", []byte("0"))
		for range events {
			hub.Publish("a", "", bytes.Repeat([]byte("x"), mebi))
		}
		s := open(t, client, url+"a", first)
		hub.Publish("a", "", []byte("meanwhile"))
		for range events {
			s.want(t, "", strings.Repeat("x", mebi))
		}
		s.want(t, "", "meanwhile")
	})
}

// One event is never too large for a reader at rest.
func TestPublish_LargerThanQueue(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		s := open(t, client, url+"a", "")
		hub.Publish("a", "", bytes.Repeat([]byte("x"), live.Queue+mebi))
		s.want(t, "", strings.Repeat("x", live.Queue+mebi))
	})
}

// Every kind of line end costs the same: with a look at the rest of the data
// for each, this would take minutes.
func TestFrame_LineEnds(t *testing.T) {
	t.Parallel()
	const lines = 4 * mebi
	for _, end := range []string{"\r", "\n", "\r\n"} {
		got := live.Frame("", bytes.Repeat([]byte(end), lines), "1")
		if n := bytes.Count(got, []byte("data: \n")); n != lines+1 {
			t.Errorf("%q: %d lines of data, want %d", end, n, lines+1)
		}
	}
}

// The application's Topic may take its time, and even close the hub.
func TestClose_TopicIsCalled(t *testing.T) {
	t.Parallel()
	var hub *live.Hub
	called, wait := make(chan struct{}), make(chan struct{})
	hub = live.NewHub(live.Config{Topic: func(r *http.Request) (string, error) {
		if r.URL.Query().Has("close") {
			return "a", hub.Close()
		}
		close(called)
		<-wait
		return "a", nil
	}})
	client, url := serve(t, hub, kinds()[0])
	late := make(chan error)
	go func() {
		_, err := dial(t.Context(), client, url+"a", "")
		late <- err
	}()
	<-called
	if _, err := dial(t.Context(), client, url+"a&close", ""); err == nil || err.Error() != "503 Service Unavailable" {
		t.Errorf("GET that closes the hub = %v, want 503", err)
	}
	if err := hub.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	close(wait)
	if err := <-late; err == nil || err.Error() != "503 Service Unavailable" {
		t.Errorf("GET that comes too late = %v, want 503", err)
	}
}

// polite is a connection that says goodbye to a client that does not listen,
// as TLS does: its Close takes five seconds, or until it is closed again.
type polite struct {
	net.Conn

	again chan struct{}
	first atomic.Bool
}

func (c *polite) Close() error {
	if c.first.Swap(true) {
		close(c.again)
		return nil
	}
	select {
	case <-c.again:
	case <-time.NewTimer(5 * time.Second).C:
	}
	return c.Conn.Close()
}

// Close does not wait longer for a farewell than for a write.
func TestClose_Farewell(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{WriteTimeout: time.Second}, func(t *testing.T, hub *live.Hub) {
		server, client := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		w := hijackable{httptest.NewRecorder(), &polite{Conn: server, again: make(chan struct{})}}
		hub.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?topic=a", nil))
		synctest.Wait()
		begun := time.Now()
		_ = hub.Close()
		if took := time.Since(begun); took != time.Second {
			t.Errorf("Close() took %v, want 1s", took)
		}
	})
}
