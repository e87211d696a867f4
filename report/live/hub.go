package live

import (
	"cmp"
	"container/list"
	"crypto/rand"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The defaults that [Config] promises.
const (
	defaultReplay       = 128
	defaultMaxTopics    = 10_000
	defaultKeep         = 10 * time.Minute
	defaultWriteTimeout = 5 * time.Second
	defaultHeartbeat    = 20 * time.Second
)

// bootLen is the length of a hub's random name, 65 bits in base 32.
const bootLen = 13

// Config says whom a [Hub] lets in and how much it remembers. The zero value
// is ready to use; negative numbers count as zero.
type Config struct {
	// Topic says which topic a request may read. This is the place for the
	// application's authorisation. An error is answered with 403, and its text
	// is not shown; an empty topic, or one longer than 1,024 bytes, with 400.
	// It is called by many goroutines at once. Nil means the query parameter
	// "topic", whatever it holds: then who knows a topic may read it.
	Topic func(*http.Request) (string, error)

	// Replay is how many events of a topic are kept for readers that come
	// back. 0 means 128. Their size is not limited.
	Replay int

	// MaxTopics is how many topics have a replay ring at once; the one whose
	// last event is the oldest loses it first. 0 means 10,000. Topics that have
	// readers but no events do not count.
	MaxTopics int

	// Keep is how long a topic's ring lives after its last event. 0 means 10
	// minutes.
	Keep time.Duration

	// WriteTimeout is how long one write to one reader may take, and so how
	// long a reader may stall before it is dropped. 0 means 5 seconds. Each
	// write has its own; after Close all writes together have one.
	WriteTimeout time.Duration

	// Heartbeat is how often a comment goes to each reader, which keeps proxies
	// from closing the connection and finds readers that are gone. 0 means 20
	// seconds.
	Heartbeat time.Duration
}

// Hub hands events to the readers of their topics; see the package comment.
// Make one with [NewHub]. All methods may be called at once, from any
// goroutine.
type Hub struct {
	topicOf      func(*http.Request) (string, error)
	replay       int
	maxTopics    int
	keep         time.Duration
	writeTimeout time.Duration
	heartbeat    time.Duration

	boot    string // random, in every id
	shards  []*shard
	done    chan struct{}             // closed by Close
	ends    atomic.Pointer[time.Time] // no write lasts longer; set before done is closed, nil until then
	running sync.WaitGroup

	// mu guards what follows, all topics and groups, and the shards' lists. It
	// is held for a few steps at a time, never over a write.
	mu     sync.Mutex
	topics map[string]*topic
	rings  *list.List // of *topic, newest event in front
	joined int        // readers so far, deals them out to the shards
	count  int        // readers now
}

// NewHub returns a hub that is ready for [Hub.Publish] and [Hub.ServeHTTP]. It
// runs one goroutine for each processor until [Hub.Close].
func NewHub(c Config) *Hub {
	h := &Hub{
		topicOf:      c.Topic,
		replay:       cmp.Or(max(c.Replay, 0), defaultReplay),
		maxTopics:    cmp.Or(max(c.MaxTopics, 0), defaultMaxTopics),
		keep:         cmp.Or(max(c.Keep, 0), defaultKeep),
		writeTimeout: cmp.Or(max(c.WriteTimeout, 0), defaultWriteTimeout),
		heartbeat:    cmp.Or(max(c.Heartbeat, 0), defaultHeartbeat),
		boot:         rand.Text()[:bootLen],
		done:         make(chan struct{}),
		topics:       make(map[string]*topic),
		rings:        list.New(),
	}
	if h.topicOf == nil {
		h.topicOf = func(r *http.Request) (string, error) { return r.URL.Query().Get("topic"), nil }
	}
	for range runtime.GOMAXPROCS(0) {
		s := &shard{hub: h, wake: make(chan struct{}, 1)}
		h.shards = append(h.shards, s)
		h.running.Go(s.run)
	}
	return h
}

// Publish sends an event to all readers of topic and keeps it for those that
// come back. It does not wait for any of them: it costs one copy of data and a
// short lock, whatever the number of readers. It returns the event's id, which
// is new and higher than those of earlier events of the topic.
//
// An empty event name is what EventSource calls "message"; line breaks and NUL
// are removed from it. Data may be anything in UTF-8; CR, LF and CRLF all
// arrive as LF. The name "gap" is the hub's own (see the package comment).
//
// After [Hub.Close], and for the topic "", which nobody can read, Publish does
// nothing and returns "".
func (h *Hub) Publish(topic, event string, data []byte) (id string) {
	if topic == "" || h.closing() {
		return ""
	}
	wire := newEvent(event, data)
	now := time.Now()

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing() {
		return ""
	}
	t := h.topic(topic)
	id = formatID(h.boot, t.last+1)
	t.push(t.last+1, appendID(wire, id))
	t.trim(h.replay)
	t.used = now
	if t.entry == nil {
		t.entry = h.rings.PushFront(t)
	} else {
		h.rings.MoveToFront(t.entry)
	}
	h.forget(now)
	for _, g := range t.groups {
		g.shard.enqueue(g)
	}
	return id
}

// Close ends the hub: new readers get 503, what was published before it still
// goes to the readers, then all connections are closed. It waits until the last
// writer is done: soon, and WriteTimeout at most, when readers are slow or
// stall; those lose the rest. Only a handler whose ResponseWriter knows no
// deadlines is left to end by itself. Close may be called again, and every call
// waits. The error is always nil.
//
// [http.Server.Shutdown] knows nothing of hijacked connections and waits for
// all others, so tell the hub first:
//
//	server.RegisterOnShutdown(func() { _ = hub.Close() })
func (h *Hub) Close() error {
	h.mu.Lock()
	if !h.closing() {
		ends := time.Now().Add(h.writeTimeout)
		h.ends.Store(&ends)
		close(h.done)
	}
	h.mu.Unlock()
	h.running.Wait()
	return nil
}

func (h *Hub) closing() bool { return h.ends.Load() != nil }

// deadline is for a write that begins now.
func (h *Hub) deadline() time.Time {
	if ends := h.ends.Load(); ends != nil {
		return *ends
	}
	return time.Now().Add(h.writeTimeout)
}

// topic returns the topic of that name, a new one if there is none. The caller
// holds mu and gives it a ring or a reader.
func (h *Hub) topic(name string) *topic {
	t := h.topics[name]
	if t == nil {
		t = newTopic(name)
		h.topics[t.name] = t
	}
	return t
}

// forget drops the rings that are too many or too old. The caller holds mu.
func (h *Hub) forget(now time.Time) {
	for e := h.rings.Back(); e != nil; e = h.rings.Back() {
		t, ok := e.Value.(*topic)
		if ok && h.rings.Len() <= h.maxTopics && now.Sub(t.used) < h.keep {
			return
		}
		h.rings.Remove(e)
		t.entry = nil
		t.trim(0)
		h.release(t)
	}
}

// release forgets a topic that has neither ring nor readers. The caller holds
// mu.
func (h *Hub) release(t *topic) {
	if t.entry == nil && len(t.groups) == 0 {
		delete(h.topics, t.name)
	}
}

// enter counts a request in, unless the hub is closed. The caller calls
// running.Done.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing() {
		return false
	}
	h.running.Add(1)
	return true
}

// join makes r a reader of the topic and says where it begins, in one step with
// respect to Publish: nothing is missed or seen twice. The first bytes for the
// reader come back: a gap event, or nothing. It reports false when the hub is
// closed.
func (h *Hub) join(r *reader, name, lastID string) (first []byte, ok bool) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing() {
		return nil, false
	}
	h.forget(now)
	t := h.topic(name)
	begin := t.tail
	if lastID != "" {
		if seq, ours := parseID(h.boot, lastID); ours {
			begin = t.find(seq)
		} else {
			begin = nil
		}
		if begin == nil {
			begin = t.tail
			first = appendID(newEvent(gap, []byte(gapData)), formatID(h.boot, t.last))
		}
	}
	r.hub = h
	r.pos.Store(begin)
	r.asked = t.tail.at
	s := h.shards[h.joined%len(h.shards)]
	t.group(s).add(r)
	if r.wake == nil {
		s.beats.add(r, h.joined/len(h.shards))
	}
	h.joined++
	h.count++
	return first, true
}

// leave takes r off all lists.
func (h *Hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.group == nil {
		return
	}
	t := r.group.topic
	if r.wake == nil {
		r.group.shard.beats.remove(r)
	}
	r.group.remove(r)
	r.group = nil
	h.count--
	h.release(t)
}
