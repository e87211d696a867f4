package live

import (
	"net/http"
	"time"
)

// Readers is how many readers the hub has.
func (h *Hub) Readers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// Topics is how many topics the hub knows, with a ring or with readers.
func (h *Hub) Topics() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.topics)
}

// Settings is what a Config became.
func (h *Hub) Settings() Config {
	return Config{
		Replay:       h.replay,
		MaxTopics:    h.maxTopics,
		Keep:         h.keep,
		WriteTimeout: h.writeTimeout,
		Heartbeat:    h.heartbeat,
	}
}

// Frame is the whole text of an event.
func Frame(event string, data []byte, id string) []byte {
	return appendID(newEvent(event, data), id)
}

// Room is what Frame's first part set aside, and what it needs.
func Room(event string, data []byte, id string) (have, need int) {
	b := newEvent(event, data)
	return cap(b), len(appendID(b, id))
}

// Queue and BatchSize are the limits of a reader.
const (
	Queue     = queue
	BatchSize = batchSize
)

// Head is the header of a hijacked answer.
func Head(h http.Header) string { return string(head(h)) }

// Forget drops what has become too old at that time.
func (h *Hub) Forget(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(now)
}
