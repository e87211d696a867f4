package live_test

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/go-bizppurio/sdk/report/live"
)

// Readers that leave and come back all the time, while events are published as
// fast as some reader takes them, see each event once and in order.
func TestResume(t *testing.T) {
	t.Parallel()
	everyKind(t, live.Config{Replay: 1 << 20}, func(t *testing.T, hub *live.Hub, client *http.Client, url string) {
		const topics, readers, events = 3, 4, 300
		var all sync.WaitGroup
		for topic := range topics {
			name := strconv.Itoa(topic)
			seen := make(chan struct{}, readers*events)
			for i := range readers {
				s := open(t, client, url+name, "")
				all.Go(func() { leaveAndReturn(t, client, url+name, s, events, uint64(topic*readers+i), seen) })
			}
			all.Go(func() {
				for i := range events {
					hub.Publish(name, "", []byte(strconv.Itoa(i)))
					<-seen
				}
			})
		}
		all.Wait()
	})
}

// leaveAndReturn reads the events 0 to n-1 over many connections.
func leaveAndReturn(t *testing.T, client *http.Client, url string, s *source, n int, seed uint64, seen chan<- struct{}) {
	t.Helper()
	defer func() { s.close() }()
	// Whatever happens, the publisher goes on.
	left := n
	defer func() {
		for ; left > 0; left-- {
			seen <- struct{}{}
		}
	}()
	r := rand.New(rand.NewPCG(seed, 1))
	stay := 1
	for want := range n {
		m, err := s.next()
		if err != nil || m.Name != "" || m.Data != strconv.Itoa(want) {
			t.Errorf("next() = %v, %v, want %d", m, err, want)
			return
		}
		seen <- struct{}{}
		left--
		if stay--; stay == 0 {
			stay = 1 + r.IntN(40)
			s.close()
			again, err := dial(t.Context(), client, url, m.ID)
			if err != nil {
				t.Errorf("GET = %v, want a stream", err)
				return
			}
			s = again
		}
	}
}
