package live

import (
	"container/list"
	"crypto/rand"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"
)

// A topic's events are a chain:
//
//	link → event → link → event → link (tail: no event yet)
//
// A reader holds one link: everything before it has been given to the
// reader, everything after it is the reader's queue. The queue therefore
// costs a reader nothing, replay is a matter of starting at an earlier link,
// and an event is freed when the last link before it is.

// link is a place between two events of a topic.
type link struct {
	event atomic.Pointer[event] // the next event, nil while there is none
	at    int64                 // bytes published to the topic up to here
}

// event is immutable once it hangs on a link.
type event struct {
	seq  uint64
	wire []byte // as it goes to every reader
	next *link
}

// eventCost is what an event takes besides its bytes, roughly.
const eventCost = 128

// topic exists as long as it has readers or a ring. All fields are guarded by
// Hub.mu; the chain itself is read without it.
type topic struct {
	name   string
	groups []*group // readers, by shard; only shards that have any

	tail *link  // where the next event will hang
	last uint64 // sequence number of the newest event

	// The replay ring is the part of the chain from head on. floor is the
	// sequence number of the event before head. Without a ring head is tail.
	head  *link
	floor uint64
	kept  int
	used  time.Time
	entry *list.Element // in Hub.rings, nil without a ring
}

// newTopic starts the sequence at a random number. So an id tells nothing
// about other topics, and the ids of a topic that was forgotten are unknown to
// its successor.
func newTopic(name string) *topic {
	var start [8]byte
	_, _ = rand.Read(start[:]) // never fails
	seq := binary.LittleEndian.Uint64(start[:]) >> 16
	l := new(link)
	return &topic{name: strings.Clone(name), tail: l, head: l, last: seq, floor: seq}
}

// push hangs an event on the tail. The event and its id become visible at once,
// to readers that look at the chain and to those that join.
func (t *topic) push(seq uint64, wire []byte) {
	next := &link{at: t.tail.at + int64(len(wire)) + eventCost}
	t.tail.event.Store(&event{seq: seq, wire: wire, next: next})
	t.tail, t.last = next, seq
	t.kept++
}

// trim shortens the ring to at most n events.
func (t *topic) trim(n int) {
	for ; t.kept > n; t.kept-- {
		oldest := t.head.event.Load()
		t.head, t.floor = oldest.next, oldest.seq
	}
}

// find returns the place after the event with that number, nil if the ring
// does not reach back to it.
func (t *topic) find(seq uint64) *link {
	switch seq {
	case t.last:
		return t.tail
	case t.floor:
		return t.head
	}
	for e := t.head.event.Load(); e != nil; e = e.next.event.Load() {
		if e.seq == seq {
			return e.next
		}
	}
	return nil
}

// group is a topic's readers on one shard. Guarded by Hub.mu.
type group struct {
	topic   *topic
	shard   *shard
	readers []*reader
	queued  bool // in shard.work
}

// group returns the topic's group on shard s, a new one if there is none.
func (t *topic) group(s *shard) *group {
	for _, g := range t.groups {
		if g.shard == s {
			return g
		}
	}
	g := &group{topic: t, shard: s}
	t.groups = append(t.groups, g)
	return g
}

func (g *group) add(r *reader) {
	r.group, r.place = g, len(g.readers)
	g.readers = append(g.readers, r)
}

func (g *group) remove(r *reader) {
	g.readers = cut(g.readers, r.place, func(moved *reader) { moved.place = r.place })
	if len(g.readers) > 0 {
		return
	}
	t := g.topic
	for i, other := range t.groups {
		if other == g {
			t.groups = append(t.groups[:i], t.groups[i+1:]...)
			return
		}
	}
}

// cut removes element i of s in constant time: the last one takes its place.
func cut(s []*reader, i int, moved func(*reader)) []*reader {
	last := len(s) - 1
	if i != last {
		s[i] = s[last]
		moved(s[i])
	}
	s[last] = nil
	return s[:last]
}
