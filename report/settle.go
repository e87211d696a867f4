package report

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
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
// The same MessageID twice counts once, and so does a channel that is
// reported both as a record of its own and in the fallback fields of another
// (spec A13).
func Settle(records []Report, channels int) Status {
	t := tally{channels: channels}
	for _, r := range records {
		t.add(r)
	}
	return t.status()
}

// tally is what all records of one message say so far. Adding is commutative
// and idempotent, so that order and duplicates do not matter, and its memory
// is bounded by the number of channels, whatever is added.
type tally struct {
	channels  int // below 1 counts as 1
	delivered bool
	uncertain bool
	failed    []identity // of records whose own result failed, up to channels
	own       channelSet // the channels of those
	fields    channelSet // channels that failed according to fallback fields
}

// channelSet holds the channels that fallback fields can speak of.
type channelSet struct{ tel, kakao, rcs bool }

// identity tells records apart.
type identity [sha256.Size]byte

func (t *tally) add(r Report) {
	own := r.Result.status()
	t.note(own)
	if own == Failed {
		t.fail(r)
	}
	t.fields.tel = t.field(r.Fallback.telResult()) || t.fields.tel
	t.fields.kakao = t.field(r.Fallback.kaoResult()) || t.fields.kakao
	t.fields.rcs = t.field(r.Fallback.rcsResult()) || t.fields.rcs
}

func (t *tally) status() Status {
	switch {
	case t.delivered:
		return Delivered
	case !t.uncertain && t.count() >= t.want():
		return Failed
	}
	return Uncertain
}

func (t *tally) note(s Status) {
	t.delivered = t.delivered || s == Delivered
	t.uncertain = t.uncertain || s == Uncertain
}

// field notes the result of a fallback field and reports whether it failed.
func (t *tally) field(r Result, given bool) bool {
	if !given {
		return false
	}
	t.note(r.status())
	return r.status() == Failed
}

func (t *tally) fail(r Report) {
	channel := r.channel()
	switch channel {
	case SMS, MMS:
		t.own.tel = true
	case Kakao:
		t.own.kakao = true
	case RCS:
		t.own.rcs = true
	case NTalk, Common:
	}
	if id := r.identity(channel); len(t.failed) < t.want() && !slices.Contains(t.failed, id) {
		t.failed = append(t.failed, id)
	}
}

func (t *tally) want() int { return max(1, t.channels) }

// count returns the number of channels that failed. It never falls when a
// record is added.
func (t *tally) count() int {
	n := len(t.failed)
	for _, extra := range []bool{
		t.fields.tel && !t.own.tel,
		t.fields.kakao && !t.own.kakao,
		t.fields.rcs && !t.own.rcs,
	} {
		if extra {
			n++
		}
	}
	return n
}

// channel returns the family of the channel that r is about, where Common says
// nothing.
func (r Report) channel() Family {
	if f := mediumFamily(knownMedium(r.Medium)); f != "" {
		return f
	}
	return r.Result.Family
}

// identity is the MessageID within a channel; records without one are the
// same when they say the same.
func (r Report) identity(channel Family) identity {
	if channel == MMS {
		channel = SMS // one channel set: the carrier's
	}
	parts := []string{string(channel), r.MessageID}
	if r.MessageID == "" {
		parts = append(parts, withoutHash(r.MessageKey), string(r.Result.Family), strconv.Itoa(r.Result.Code))
	}
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}
