package live_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/report/live"
)

func TestFrame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, event, data, want string
	}{
		{"plain", "delivered", "x", "event: delivered\ndata: x\nid: b-1\n\n"},
		{"no name", "", "x", "data: x\nid: b-1\n\n"},
		{"no data", "e", "", "event: e\ndata: \nid: b-1\n\n"},
		{"nothing", "", "", "data: \nid: b-1\n\n"},
		{"LF", "", "a\nb", "data: a\ndata: b\nid: b-1\n\n"},
		{"CR", "", "a\rb", "data: a\ndata: b\nid: b-1\n\n"},
		{"CRLF", "", "a\r\nb", "data: a\ndata: b\nid: b-1\n\n"},
		{"LFCR is two", "", "a\n\rb", "data: a\ndata: \n" + "data: b\nid: b-1\n\n"},
		{"CRCRLF is two", "", "a\r\r\nb", "data: a\ndata: \n" + "data: b\nid: b-1\n\n"},
		{"LF at the end", "", "a\n", "data: a\ndata: \nid: b-1\n\n"},
		{"CR at the end", "", "a\r", "data: a\ndata: \nid: b-1\n\n"},
		{"LF first", "", "\na", "data: \n" + "data: a\nid: b-1\n\n"},
		{"only CRLF", "", "\r\n", "data: \n" + "data: \nid: b-1\n\n"},
		{"forged fields", "", "a\n\nid: z\nevent: z", "data: a\ndata: \n" + "data: id: z\ndata: event: z\nid: b-1\n\n"},
		{"leading space", "", " a", "data:  a\nid: b-1\n\n"},
		{"colon", "", ":a", "data: :a\nid: b-1\n\n"},
		{"hangul", "도착", "완료", "event: 도착\ndata: 완료\nid: b-1\n\n"},
		{"name with LF", "a\nid: z", "x", "event: aid: z\ndata: x\nid: b-1\n\n"},
		{"name with CR", "a\rb", "x", "event: ab\ndata: x\nid: b-1\n\n"},
		{"name with NUL", "a\x00b", "x", "event: ab\ndata: x\nid: b-1\n\n"},
		{"name of line breaks", "\r\n\x00", "x", "data: x\nid: b-1\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(live.Frame(tt.event, []byte(tt.data), "b-1")); got != tt.want {
				t.Errorf("Frame(%q, %q) = %q, want %q", tt.event, tt.data, got, tt.want)
			}
		})
	}
}

// An event is one allocation: the id's place is set aside with the rest.
func TestFrame_OneBuffer(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("B", 13) + "-18446744073709551615"
	for _, data := range []string{"", "x", "a\nb\rc\r\nd", strings.Repeat("\n", 1000)} {
		if have, need := live.Room("delivered", []byte(data), longest); have < need {
			t.Errorf("Room(%.10q) = %d, want at least %d", data, have, need)
		}
	}
}

func TestFrame_DoesNotKeepData(t *testing.T) {
	t.Parallel()
	data := []byte("before")
	wire := live.Frame("", data, "b-1")
	copy(data, "after!")
	if !bytes.Contains(wire, []byte("before")) {
		t.Errorf("Frame() = %q after data changed, want the data of the call", wire)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add("delivered", []byte("a\r\nb"))
	f.Add("", []byte{})
	f.Add("a\nb\x00", []byte("\n\nid: 7\n\n"))
	f.Add("\ufeff", []byte("\ufeff:"))
	f.Fuzz(func(t *testing.T, event string, data []byte) {
		want := message{
			ID:   "boot-7",
			Name: strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(event),
			Data: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)),
		}
		wire := live.Frame(event, data, want.ID)
		if have, need := live.Room(event, data, want.ID); have < need {
			t.Errorf("Room(%q, %q) = %d, want at least %d", event, data, have, need)
		}
		// Twice: an event must leave nothing behind for the next.
		got := newParser(bytes.NewReader(append(bytes.Clone(wire), wire...))).all()
		if diff := cmp.Diff([]message{want, want}, got); diff != "" {
			t.Errorf("parse(Frame(%q, %q)) (-want +got):\n%s", event, data, diff)
		}
	})
}
