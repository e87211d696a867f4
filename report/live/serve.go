package live

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

const (
	// gap is the name of the event that says: events may be missing here.
	gap = "gap"
	// gapData is there because EventSource drops events without data.
	gapData = "reload"

	// maxTopic bounds what a client can make the hub hold for one connection.
	maxTopic = 1024
)

// ServeHTTP turns the request into a reader of the topic that [Config] names.
// It answers 405 to anything but GET, 400 to an empty topic, 403 where
// Config.Topic says no, and 503 once the hub is closed.
//
// A client that has been here before says where it stopped in the header
// Last-Event-ID or, where it cannot set that, in the query parameter
// "lastEventId"; the header wins. Without either it gets what is published from
// now on, without a gap: it is a reader before the first byte of the answer
// leaves.
//
// On HTTP/1.1 the connection is hijacked: ServeHTTP returns soon and the hub
// keeps the connection, so middleware sees a short request, and the request's
// context says nothing about the reader. Response headers that middleware has
// set before are sent. Everywhere else ServeHTTP returns when the reader is
// gone.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed)
		return
	}
	if h.closing() {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	topic, err := h.topicOf(r) // may take its time, for which Close does not wait
	switch {
	case err != nil:
		refuse(w, http.StatusForbidden)
		return
	case topic == "" || len(topic) > maxTopic:
		refuse(w, http.StatusBadRequest)
		return
	}
	lastID := r.Header.Get("Last-Event-ID")
	if lastID == "" {
		lastID = r.URL.Query().Get("lastEventId")
	}
	if !h.enter() {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	exit := sync.OnceFunc(h.running.Done)
	defer exit()
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would hold events back
	if r.ProtoMajor == 1 && h.hijack(w, topic, lastID) {
		return
	}
	h.stream(r.Context(), w, topic, lastID, exit)
}

// refuse answers with a status and nothing that came from elsewhere.
func refuse(w http.ResponseWriter, status int) {
	http.Error(w, http.StatusText(status), status)
}

// hijack takes the connection over. It reports false, with nothing written,
// where that is not possible.
func (h *Hub) hijack(w http.ResponseWriter, topic, lastID string) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	r := &reader{out: newOutlet(conn)}
	r.state.Store(busy)
	first, ok := h.join(r, topic, lastID)
	if !ok {
		late := time.AfterFunc(h.writeTimeout, r.out.abort)
		defer late.Stop()
		_ = r.out.write([]byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), h.deadline())
		r.out.close()
		return true
	}
	r.run(append(head(w.Header()), first...))
	return true
}

// head writes the response header by hand. The body has no length and ends with
// the connection, which is all that HTTP/1.1 asks for.
func head(header http.Header) []byte {
	header = header.Clone()
	header.Del("Content-Encoding") // nobody encodes what goes past them
	header.Del("Content-Length")
	header.Del("Transfer-Encoding")
	header.Set("Connection", "close")
	if header.Get("Date") == "" {
		header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(&b) // a Buffer does not fail
	b.WriteString("\r\n")
	return b.Bytes()
}

// stream writes to the ResponseWriter until the client or the hub is gone. Exit
// says that Close need not wait for it.
func (h *Hub) stream(ctx context.Context, w http.ResponseWriter, topic, lastID string, exit func()) {
	out := &response{w: w, control: http.NewResponseController(w)}
	r := &reader{out: out, wake: make(chan struct{}, 1)}
	first, ok := h.join(r, topic, lastID)
	if !ok {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	defer h.leave(r)
	if err := out.open(h.deadline()); err != nil {
		if errors.Is(err, http.ErrNotSupported) {
			refuse(w, http.StatusInternalServerError) // cannot flush: nothing would arrive
		}
		return
	}
	if out.endless {
		exit()
	}
	if len(first) > 0 && out.write(first, h.deadline()) != nil {
		return
	}
	beat := time.NewTicker(h.heartbeat)
	defer beat.Stop()
	for last := false; ; {
		if r.writeAll() != nil || last {
			return
		}
		select {
		case <-r.wake:
		case <-beat.C:
			if out.write([]byte(heartbeat), h.deadline()) != nil {
				return
			}
		case <-ctx.Done():
			return
		case <-h.done:
			last = true
		}
	}
}

// open sends the header at once, and lifts the server's own deadlines.
func (o *response) open(deadline time.Time) error {
	_ = o.control.SetReadDeadline(time.Time{}) // else Server.ReadTimeout ends the request
	if err := o.deadline(deadline); err != nil {
		return err
	}
	if err := o.control.Flush(); err != nil {
		return err
	}
	return o.deadline(time.Time{})
}

// writeAll writes all events there are, on the goroutine of the handler.
func (r *reader) writeAll() error {
	var more batch
	for {
		pos := r.pos.Load()
		wire, to, _ := more.after(pos)
		if to == pos {
			return nil
		}
		r.pos.Store(to)
		if err := r.out.write(wire, r.hub.deadline()); err != nil {
			return err
		}
	}
}
