package live_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-bizppurio/sdk/report/live"
)

// tape is a ResponseWriter that can be flushed and nothing else, and the end of
// a reader that runs in this process.
type tape struct {
	header http.Header
	stop   context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	status int
	body   bytes.Buffer
}

func (w *tape) Header() http.Header { return w.header }

func (w *tape) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *tape) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.Write(b)
}

func (w *tape) Flush() {}

// messages is everything written so far, parsed.
func (w *tape) messages() []message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return newParser(bytes.NewReader(w.body.Bytes())).all()
}

func (w *tape) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.String()
}

// listen starts a reader inside a synctest bubble and waits until it rests.
func listen(t *testing.T, hub *live.Hub, topic, lastID string) *tape {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?topic="+topic, nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	w := &tape{header: http.Header{}, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		hub.ServeHTTP(w, r)
	}()
	synctest.Wait()
	return w
}

// once lists what a reader with that id gets at once.
func once(t *testing.T, hub *live.Hub, topic, lastID string) string {
	t.Helper()
	w := listen(t, hub, topic, lastID)
	w.stop()
	<-w.done
	var names []string
	for _, m := range w.messages() {
		if m.Name == "gap" {
			names = append(names, "gap")
		} else {
			names = append(names, m.Data)
		}
	}
	return strings.Join(names, " ")
}

// advance lets the bubble's time pass.
func advance(d time.Duration) { <-time.NewTimer(d).C }

func bubble(t *testing.T, c live.Config, f func(t *testing.T, hub *live.Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		hub := live.NewHub(c)
		f(t, hub)
		if err := hub.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	})
}

func TestNewHub_Defaults(t *testing.T) {
	t.Parallel()
	want := live.Config{Replay: 128, MaxTopics: 10_000, Keep: 10 * time.Minute, WriteTimeout: 5 * time.Second, Heartbeat: 20 * time.Second}
	for name, c := range map[string]live.Config{
		"zero":     {},
		"negative": {Replay: -1, MaxTopics: -1, Keep: -1, WriteTimeout: -1, Heartbeat: -1},
		"given":    want,
	} {
		hub := live.NewHub(c)
		if diff := cmp.Diff(want, hub.Settings(), cmpopts.IgnoreFields(live.Config{}, "Topic")); diff != "" {
			t.Errorf("NewHub(%s) (-want +got):\n%s", name, diff)
		}
		_ = hub.Close()
	}
}

func TestPublish_Live(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		a, b, other := listen(t, hub, "a", ""), listen(t, hub, "a", ""), listen(t, hub, "b", "")
		var want []message
		for i := range 3 {
			data := fmt.Sprint("line\n", i)
			want = append(want, message{ID: hub.Publish("a", "e", []byte(data)), Name: "e", Data: data})
		}
		synctest.Wait()
		for _, w := range []*tape{a, b} {
			if diff := cmp.Diff(want, w.messages()); diff != "" {
				t.Errorf("messages() (-want +got):\n%s", diff)
			}
		}
		if got := other.text(); got != "" {
			t.Errorf("reader of another topic got %q, want nothing", got)
		}
	})
}

func TestPublish_IDs(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		first, second := hub.Publish("a", "", nil), hub.Publish("a", "", nil)
		other := hub.Publish("b", "", nil)
		if first == "" || first == second || second == other || first == other {
			t.Errorf("Publish() = %q, %q, %q, want three ids", first, second, other)
		}
		if got := hub.Publish("", "", nil); got != "" {
			t.Errorf("Publish to no topic = %q, want none", got)
		}
		if n := hub.Topics(); n != 2 {
			t.Errorf("Topics() = %d, want 2", n)
		}
	})
}

func TestReplay(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{Replay: 3}, func(t *testing.T, hub *live.Hub) {
		var ids []string
		for i := range 5 {
			ids = append(ids, hub.Publish("a", "", fmt.Append(nil, i)))
		}
		foreign := hub.Publish("b", "", []byte("b"))
		for _, tt := range []struct{ name, lastID, want string }{
			{"new reader", "", ""},
			{"has everything", ids[4], ""},
			{"missed one", ids[3], "4"},
			{"missed all that is kept", ids[1], "2 3 4"},
			{"missed one more than that", ids[0], "gap"},
			{"another boot", "AAAAAAAAAAAAA" + ids[4][13:], "gap"},
			{"another topic", foreign, "gap"},
			{"not yet issued", ids[4] + "0", "gap"},
			{"no number", ids[4][:14], "gap"},
			{"no dash", ids[4][:13], "gap"},
			{"garbage", "\xff%00", "gap"},
		} {
			if got := once(t, hub, "a", tt.lastID); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		}
		if got := once(t, hub, "c", ids[4]); got != "gap" {
			t.Errorf("a topic without events: got %q, want gap", got)
		}
	})
}

func TestReplay_Boot(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, before *live.Hub) {
		id := before.Publish("a", "", []byte("1"))
		after := live.NewHub(live.Config{})
		defer func() { _ = after.Close() }()
		after.Publish("a", "", []byte("2"))
		w := listen(t, after, "a", id)
		after.Publish("a", "", []byte("3"))
		synctest.Wait()
		got := w.messages()
		if len(got) != 2 || got[0].Name != "gap" || got[0].Data == "" || got[1].Data != "3" {
			t.Errorf("after a restart: got %v, want a gap with data, then 3", got)
		}
		w.stop()
		<-w.done
	})
}

// A gap's own id is a place to come back to: nothing is lost a second time.
func TestReplay_AfterGap(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		w := listen(t, hub, "a", "foreign-1")
		stays := listen(t, hub, "a", "")
		w.stop()
		<-w.done
		hub.Publish("a", "", []byte("1"))
		if got := once(t, hub, "a", w.messages()[0].ID); got != "1" {
			t.Errorf("after the gap: got %q, want 1", got)
		}
		stays.stop()
		<-stays.done
	})
}

func TestReplay_Query(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		first, second := hub.Publish("a", "", []byte("1")), hub.Publish("a", "", []byte("2"))
		hub.Publish("a", "", []byte("3"))
		if got := once(t, hub, "a&lastEventId="+second, ""); got != "3" {
			t.Errorf("lastEventId: got %q, want 3", got)
		}
		if got := once(t, hub, "a&lastEventId="+first, second); got != "3" {
			t.Errorf("header and lastEventId: got %q, want 3, by the header", got)
		}
	})
}

func TestMaxTopics(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{MaxTopics: 2}, func(t *testing.T, hub *live.Hub) {
		a := hub.Publish("a", "", []byte("1"))
		b := hub.Publish("b", "", []byte("1"))
		hub.Publish("a", "", []byte("2"))
		hub.Publish("b", "", []byte("2"))
		hub.Publish("a", "", []byte("3"))
		c := hub.Publish("c", "", []byte("1")) // b was used least recently
		hub.Publish("c", "", []byte("2"))
		for _, tt := range []struct{ topic, id, want string }{
			{"a", a, "2 3"}, {"b", b, "gap"}, {"c", c, "2"},
		} {
			if got := once(t, hub, tt.topic, tt.id); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.topic, got, tt.want)
			}
		}
		if n := hub.Topics(); n != 2 {
			t.Errorf("Topics() = %d, want 2: readers leave nothing", n)
		}
		// The old ids of a topic that came back are not mistaken for new ones.
		hub.Publish("b", "", []byte("3"))
		if got := once(t, hub, "b", b); got != "gap" {
			t.Errorf("b after it came back: got %q, want gap", got)
		}
	})
}

// Readers of a topic go on when its ring is given up.
func TestMaxTopics_Readers(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{MaxTopics: 1}, func(t *testing.T, hub *live.Hub) {
		w := listen(t, hub, "a", "")
		first := hub.Publish("a", "", []byte("1"))
		hub.Publish("a", "", []byte("2"))
		hub.Publish("b", "", []byte("1"))
		if got := once(t, hub, "a", first); got != "gap" {
			t.Errorf("a without its ring: got %q, want gap", got)
		}
		third := hub.Publish("a", "", []byte("3"))
		synctest.Wait()
		if got := w.messages(); len(got) != 3 || got[2].ID != third {
			t.Errorf("messages() = %v, want all three", got)
		}
		w.stop()
		<-w.done
	})
}

func TestKeep(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{Keep: time.Minute, Heartbeat: time.Hour}, func(t *testing.T, hub *live.Hub) {
		id := hub.Publish("a", "", []byte("1"))
		hub.Publish("a", "", []byte("2"))
		advance(time.Minute - time.Nanosecond)
		if got := once(t, hub, "a", id); got != "2" {
			t.Errorf("just before Keep: got %q, want 2", got)
		}
		advance(time.Nanosecond)
		if got := once(t, hub, "a", id); got != "gap" {
			t.Errorf("at Keep: got %q, want gap", got)
		}
		id = hub.Publish("a", "", []byte("3"))
		advance(50 * time.Second)
		hub.Publish("a", "", []byte("4"))
		advance(50 * time.Second)
		if got := once(t, hub, "a", id); got != "4" {
			t.Errorf("Keep after the last event: got %q, want 4", got)
		}
		advance(time.Minute)
		hub.Publish("b", "", nil)
		if n := hub.Topics(); n != 1 {
			t.Errorf("Topics() = %d, want 1", n)
		}
	})
}

// A hub that nobody calls frees its memory too.
func TestKeep_Quiet(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		hub.Publish("a", "", nil)
		advance(10*time.Minute + 2*time.Second)
		synctest.Wait()
		if n := hub.Topics(); n != 0 {
			t.Errorf("Topics() = %d, want 0", n)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		w := listen(t, hub, "a", "")
		advance(time.Minute)
		synctest.Wait()
		if got := w.text(); got != ":\n\n:\n\n:\n\n" {
			t.Errorf("after a minute: got %q, want three comments", got)
		}
	})
}

// hijackable is a ResponseWriter whose connection is one end of a pipe.
type hijackable struct {
	http.ResponseWriter

	conn net.Conn
}

func (w hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.conn == nil {
		return nil, nil, errors.New("not on this one")
	}
	return w.conn, nil, nil
}

func (w hijackable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// pipe starts a reader on a connection that takes a byte only when the other
// end reads it.
func pipe(t *testing.T, hub *live.Hub) *parser {
	t.Helper()
	server, client := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?topic=a", nil)
	go hub.ServeHTTP(hijackable{httptest.NewRecorder(), server}, r)
	p := newParser(client)
	for {
		line, err := p.line()
		if err != nil {
			t.Fatalf("header: %v", err)
		}
		if line == "" {
			synctest.Wait()
			return p
		}
	}
}

func TestHeartbeat_Hijacked(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{Heartbeat: 10 * time.Second}, func(t *testing.T, hub *live.Hub) {
		begin := time.Now()
		for range 40 { // every spoke of the wheel
			p := pipe(t, hub)
			go p.all()
			defer func() {
				if p.comments < 5 || p.comments > 6 {
					t.Errorf("comments = %d in a minute, want 5 or 6", p.comments)
				}
			}()
		}
		advance(time.Minute - time.Since(begin))
		_ = hub.Close()
		synctest.Wait()
	})
}

func TestWriteTimeout_Hijacked(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{WriteTimeout: 7 * time.Second}, func(t *testing.T, hub *live.Hub) {
		stalled, healthy := pipe(t, hub), pipe(t, hub)
		hub.Publish("a", "", []byte("1"))
		begin := time.Now()
		if m, err := healthy.next(); err != nil || m.Data != "1" {
			t.Errorf("next() = %v, %v, want 1", m, err)
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the healthy reader waited %v, want no time", d)
		}
		advance(7*time.Second - time.Nanosecond)
		synctest.Wait()
		if n := hub.Readers(); n != 2 {
			t.Errorf("Readers() = %d just before WriteTimeout, want 2", n)
		}
		advance(time.Nanosecond)
		synctest.Wait()
		if n := hub.Readers(); n != 1 {
			t.Errorf("Readers() = %d at WriteTimeout, want 1", n)
		}
		if m, err := stalled.next(); err == nil {
			t.Errorf("next() = %v, want the end", m)
		}
		// Each write has a deadline of its own.
		go func() {
			for range 3 {
				advance(6 * time.Second)
				hub.Publish("a", "", []byte("x"))
			}
		}()
		for range 3 {
			if m, err := healthy.next(); err != nil || m.Data != "x" {
				t.Errorf("next() = %v, %v, want x", m, err)
			}
		}
	})
}

// What is published before Close arrives, on every kind of connection.
func TestClose_Delivers(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		p, w := pipe(t, hub), listen(t, hub, "a", "")
		got := make(chan []message)
		go func() { got <- p.all() }()
		id := hub.Publish("a", "", []byte("last"))
		if err := hub.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
		<-w.done
		want := []message{{ID: id, Data: "last"}}
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Errorf("hijacked (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, w.messages()); diff != "" {
			t.Errorf("response (-want +got):\n%s", diff)
		}
		if n := hub.Readers(); n != 0 {
			t.Errorf("Readers() = %d, want 0", n)
		}
		if id := hub.Publish("a", "", nil); id != "" {
			t.Errorf("Publish after Close = %q, want none", id)
		}
		if w := listen(t, hub, "a", ""); w.status != http.StatusServiceUnavailable {
			t.Errorf("a reader after Close: status %d, want 503", w.status)
		}
	})
}

// A reader that stalls holds Close up for one write at most.
func TestClose_Stalled(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{WriteTimeout: 3 * time.Second}, func(t *testing.T, hub *live.Hub) {
		pipe(t, hub)
		hub.Publish("a", "", []byte("1"))
		synctest.Wait()
		hub.Publish("a", "", []byte("2"))
		begin := time.Now()
		_ = hub.Close()
		if d := time.Since(begin); d != 3*time.Second {
			t.Errorf("Close() took %v, want 3s", d)
		}
	})
}

// A reader too far behind is dropped although each of its writes is in time.
func TestQueue(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{WriteTimeout: time.Hour}, func(t *testing.T, hub *live.Hub) {
		slow := pipe(t, hub)
		big := bytes.Repeat([]byte("x"), 1<<20)
		events := 0
		for ; hub.Readers() == 1 && events < 100; events++ {
			hub.Publish("a", "", big)
			synctest.Wait()
		}
		// One event is on its way and one is next; the rest are behind.
		if want := live.Queue>>20 + 2; events != want {
			t.Errorf("dropped after %d events of 1 MiB, want %d", events, want)
		}
		if got := slow.all(); len(got) != 0 {
			t.Errorf("all() = %d events, want none", len(got))
		}
	})
}

// gated is a tape whose first Write waits for the gate.
type gated struct {
	*tape

	gate chan struct{}
}

func (w gated) Write(b []byte) (int, error) {
	<-w.gate
	return w.tape.Write(b)
}

func TestQueue_Response(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		w := gated{&tape{header: http.Header{}}, make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			hub.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?topic=a", nil))
		}()
		synctest.Wait()
		big := bytes.Repeat([]byte("x"), 1<<20)
		for range live.Queue>>20 + 2 {
			hub.Publish("a", "", big)
			synctest.Wait()
		}
		if n := hub.Readers(); n != 1 {
			t.Errorf("Readers() = %d while it writes, want 1", n)
		}
		close(w.gate)
		<-done
		if got := w.messages(); len(got) != 1 {
			t.Errorf("messages() = %d, want the one that was on its way", len(got))
		}
		if n := hub.Readers(); n != 0 {
			t.Errorf("Readers() = %d, want 0", n)
		}
	})
}

// A burst waits for a reader in batches: all of it arrives, in order.
func TestBurst(t *testing.T) {
	t.Parallel()
	bubble(t, live.Config{}, func(t *testing.T, hub *live.Hub) {
		p, w := pipe(t, hub), listen(t, hub, "a", "")
		var want []message
		for i := range 3000 {
			data := strconv.Itoa(i)
			if i%500 == 0 {
				data = strings.Repeat("x", live.BatchSize)
			}
			want = append(want, message{ID: hub.Publish("a", "", []byte(data)), Data: data})
		}
		for i := range want {
			got, err := p.next()
			if err != nil || got != want[i] {
				t.Fatalf("next() = %.20v, %v, want %.20v", got, err, want[i])
			}
		}
		synctest.Wait()
		if diff := cmp.Diff(want, w.messages()); diff != "" {
			t.Errorf("response (-want +got):\n%.500s", diff)
		}
	})
}
