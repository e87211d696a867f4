package report

import (
	"crypto/sha256"
	"math/bits"
	"slices"
)

// Settle returns what became of a message from all records of its RefKey, in
// any order and with any number of duplicates. Channels is one plus the number
// of fallbacks that the message was sent with; below 1 it counts as 1.
//
//   - Delivered wins, whatever else is said.
//   - Failed only when every channel failed and no record is uncertain. A
//     late Delivered may still overtake it.
//   - Uncertain otherwise, also for no records at all: silence says nothing.
//
// A channel is SMS, LMS and MMS, Kakao, RCS or TalkTalk, of which no message
// has two of a kind (spec 3.2). So it counts once, under whatever MessageIDs
// it is reported, and whether in records of its own or in the fallback fields
// of another (spec A13). Failed records of which nothing tells the channel
// count by MessageID, as far as they cannot be about a channel that counts
// already.
func Settle(records []Report, channels int) Status {
	t := tally{channels: channels}
	for _, r := range records {
		t.add(r)
	}
	return t.status()
}

// tally is what all records of one message say so far. Adding is commutative
// and idempotent, so that order and duplicates do not matter, and its memory
// is bounded, whatever is added and whatever channels is.
type tally struct {
	channels  int // below 1 counts as 1
	delivered bool
	uncertain bool
	failed    bool       // the own result of a record did
	own       channelSet // the channels of such records, as far as known
	fields    channelSet // channels that failed according to fallback fields
	ids       []failedID // of such records, up to maxIDs
	crowded   bool       // there were more
}

// maxIDs is far above the three channels that a message can have (spec 3.2).
const maxIDs = 8

// failedID is a MessageID that a failed record had.
type failedID struct {
	id    identity
	known bool // with a channel
}

// identity tells records apart.
type identity [sha256.Size]byte

// channelSet holds the channels that a message can have.
type channelSet uint8

const (
	setSMS channelSet = 1 << iota
	setMMS
	setKakao
	setRCS
	setNTalk
)

func channelOf(f Family) channelSet {
	switch f {
	case SMS:
		return setSMS
	case MMS:
		return setMMS
	case Kakao:
		return setKakao
	case RCS:
		return setRCS
	case NTalk:
		return setNTalk
	case Common:
	}
	return 0
}

func (t *tally) add(r Report) {
	own := r.Result.status()
	t.note(own)
	if own == Failed {
		t.fail(r)
	}
	t.field(setSMS, r.Fallback.telResult)
	t.field(setKakao, r.Fallback.kaoResult)
	t.field(setRCS, r.Fallback.rcsResult)
}

func (t *tally) status() Status {
	switch {
	case t.delivered:
		return Delivered
	case !t.uncertain && t.count() >= max(1, t.channels):
		return Failed
	}
	return Uncertain
}

func (t *tally) note(s Status) {
	t.delivered = t.delivered || s == Delivered
	t.uncertain = t.uncertain || s == Uncertain
}

// field notes what a fallback field says of a channel; setSMS stands for all
// of the carrier's.
func (t *tally) field(channel channelSet, result func() (Result, bool)) {
	r, given := result()
	if !given {
		return
	}
	t.note(r.status())
	if r.status() == Failed {
		t.fields |= channel
	}
}

func (t *tally) fail(r Report) {
	channel := channelOf(r.channel())
	t.failed = true
	t.own |= channel
	if r.MessageID == "" {
		return
	}
	id := identity(sha256.Sum256([]byte(r.MessageID)))
	i := slices.IndexFunc(t.ids, func(f failedID) bool { return f.id == id })
	switch {
	case i >= 0:
		t.ids[i].known = t.ids[i].known || channel != 0
	case len(t.ids) < maxIDs:
		t.ids = append(t.ids, failedID{id, channel != 0})
	default:
		t.crowded = true
	}
}

// count returns the number of channels that failed for sure. What may be one
// channel counts as one.
func (t *tally) count() int {
	own := t.own
	if own&setMMS != 0 {
		own |= setSMS // the fields do not tell them apart
	}
	fields := bits.OnesCount8(uint8(t.fields &^ own))
	n := bits.OnesCount8(uint8(t.own)) + max(fields, t.strangers())
	if t.failed {
		n = max(n, 1)
	}
	return n
}

// strangers returns the number of MessageIDs that came with no channel. They
// may be those of the channels that fallback fields speak of.
func (t *tally) strangers() (n int) {
	if t.crowded {
		return 0 // not all of them are remembered: no proof
	}
	for _, f := range t.ids {
		if !f.known {
			n++
		}
	}
	return n
}

// channel returns the family of the channel that r is about, Common or "" if
// nothing tells it.
func (r Report) channel() Family {
	if f := mediumFamily(knownMedium(r.Medium)); f != "" {
		return f
	}
	if r.Result.Family != "" {
		return r.Result.Family
	}
	return familyOf("", r.Result.Code)
}
