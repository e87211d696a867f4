package bizppuriotest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// record is a delivery report, by the vendor's lower-case keys (spec 1.5).
type record map[string]string

// push returns the JSON of the report as it is pushed: upper-case keys.
func (r record) push() []byte {
	upper := make(map[string]string, len(r))
	for key, value := range r {
		upper[strings.ToUpper(key)] = value
	}
	b, _ := json.Marshal(upper) //nolint:errchkjson // strings only
	return b
}

// mailbox holds the delivery reports of a server until they are delivered.
type mailbox struct {
	s      *Server
	client *http.Client

	mu      sync.Mutex
	waiting []record            // to be polled and confirmed
	past    map[string][]record // by messagekey, for /v2/report; nil: no result yet
	queue   []record            // to be pushed
	wake    chan struct{}
}

func newMailbox(s *Server) *mailbox {
	m := &mailbox{
		s:    s,
		past: map[string][]record{},
		wake: make(chan struct{}, 1),
		client: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Second},
			Timeout:       5 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if s.opt.webhook != "" {
		s.start(m.deliver)
	}
	return m
}

// accepted plans the reports of a message.
func (m *mailbox) accepted(o *order) {
	fate := fateOf(o.to)
	records := m.s.outcome(o, fate)
	m.mu.Lock()
	m.past[o.messageKey] = nil
	m.mu.Unlock()
	if len(records) == 0 {
		return
	}
	after := m.s.opt.reportDelay + fate.late
	if reserved := time.Until(o.at); !o.at.IsZero() && reserved > 0 {
		after += reserved
	}
	if after <= 0 {
		m.ready(o.messageKey, records)
		return
	}
	m.s.start(func() {
		if m.s.wait(after, nil) {
			m.ready(o.messageKey, records)
		}
	})
}

// ready makes the reports of a message available.
func (m *mailbox) ready(messageKey string, records []record) {
	m.mu.Lock()
	m.past[messageKey] = records
	if m.s.opt.webhook == "" {
		m.waiting = append(m.waiting, records...)
	} else {
		m.queue = append(m.queue, records...)
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// deliver pushes reports, one after another, until the server closes.
func (m *mailbox) deliver() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer m.client.CloseIdleConnections()
	m.s.start(func() { <-m.s.done; cancel() })
	for {
		select {
		case <-m.wake:
		case <-m.s.done:
			return
		}
		for r := m.next(); r != nil; r = m.next() {
			m.pushRetrying(ctx, r)
		}
	}
}

func (m *mailbox) next() record {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil
	}
	r := m.queue[0]
	m.queue = m.queue[1:]
	return r
}

// pushRetrying tries three times. The vendor's own count is not documented
// (spec 1.5).
func (m *mailbox) pushRetrying(ctx context.Context, r record) {
	for try := range 3 {
		if !m.s.wait(time.Duration(try)*100*time.Millisecond, nil) || m.push(ctx, r) {
			return
		}
	}
}

func (m *mailbox) push(ctx context.Context, r record) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.s.opt.webhook, bytes.NewReader(r.push()))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := m.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	return resp.StatusCode == http.StatusOK
}
