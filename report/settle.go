package report

import "math/bits"

// Settle returns what became of a message from all records of its RefKey, in
// any order and with any number of duplicates. Channels is one plus the number
// of fallbacks that the message was sent with; below 1 it counts as 1.
//
//   - Delivered wins, whatever else is said.
//   - Failed only when every channel failed and no record is uncertain. A
//     late Delivered may still overtake it.
//   - Uncertain otherwise, also for no records at all: silence says nothing.
//
// A channel is the carrier's (SMS, LMS or MMS), Kakao, RCS or TalkTalk, of
// which no message has two of a kind (spec 3.2). So it counts once, under
// whatever MessageIDs it is reported, and whether in a record of its own or in
// the fallback fields of another (spec A13). Failed records of which nothing
// tells the channel may all be about one that counts already, and are one at
// most.
func Settle(records []Report, channels int) Status {
	t := tally{channels: channels}
	for _, r := range records {
		t.add(r)
	}
	return t.status()
}

// tally is what all records of one message say so far. Adding is commutative
// and idempotent, so that order and duplicates do not matter.
type tally struct {
	channels  int // below 1 counts as 1
	delivered bool
	uncertain bool
	failed    channelSet
}

// channelSet holds the channels that a message can have.
type channelSet uint8

const (
	setCarrier channelSet = 1 << iota
	setKakao
	setRCS
	setNTalk
	setUnknown // one of the others, or none of them
)

func channelOf(f Family) channelSet {
	switch f {
	case SMS, MMS:
		return setCarrier
	case Kakao:
		return setKakao
	case RCS:
		return setRCS
	case NTalk:
		return setNTalk
	case Common:
	}
	return setUnknown
}

func (t *tally) add(r Report) {
	t.note(channelOf(r.channel()), r.Result.status())
	t.field(setCarrier, r.Fallback.telResult)
	t.field(setKakao, r.Fallback.kaoResult)
	t.field(setRCS, r.Fallback.rcsResult)
}

// field notes what a fallback field says of a channel, if it says anything.
func (t *tally) field(channel channelSet, result func() (Result, bool)) {
	if r, given := result(); given {
		t.note(channel, r.status())
	}
}

func (t *tally) note(channel channelSet, s Status) {
	switch s {
	case Delivered:
		t.delivered = true
	case Failed:
		t.failed |= channel
	case Uncertain:
		t.uncertain = true
	}
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

// count returns the number of channels that failed for sure. What may be one
// channel counts as one.
func (t *tally) count() int {
	if known := t.failed &^ setUnknown; known != 0 {
		return bits.OnesCount8(uint8(known))
	}
	return bits.OnesCount8(uint8(t.failed))
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
