package live

import (
	"bytes"
	"strconv"
	"strings"
)

// heartbeat is a comment: clients skip it, proxies see traffic.
const heartbeat = ":\n\n"

// idRoom is what an id line takes at most: "id: ", the boot, a dash, twenty
// digits and two line ends.
const idRoom = 4 + bootLen + 1 + 20 + 2

// newEvent returns the event and data lines of one event. The id line and the
// blank line that ends the event are [appendID]'s, and there is room for them:
// the number is known only under the hub's lock, and everything else is done
// outside of it.
//
// CR, LF and CRLF each end a line of data, as a client reads them (HTML 9.2.6);
// it joins the lines with LF. Empty data is one empty line: an event without
// any data line would not be dispatched.
func newEvent(event string, data []byte) []byte {
	event = eventName(event)
	lines := 1 + bytes.Count(data, []byte{'\n'}) + bytes.Count(data, []byte{'\r'})
	b := make([]byte, 0, len("event: \n")+len(event)+len(data)+lines*len("data: \n")+idRoom)
	if event != "" {
		b = append(b, "event: "...)
		b = append(b, event...)
		b = append(b, '\n')
	}
	for {
		line, rest, more := cutLine(data)
		b = append(b, "data: "...)
		b = append(b, line...)
		b = append(b, '\n')
		if !more {
			return b
		}
		data = rest
	}
}

// cutLine splits data at its first line end.
func cutLine(data []byte) (line, rest []byte, more bool) {
	i := bytes.IndexAny(data, "\r\n")
	if i < 0 {
		return data, nil, false
	}
	line, rest = data[:i], data[i+1:]
	if data[i] == '\r' {
		rest = bytes.TrimPrefix(rest, []byte{'\n'})
	}
	return line, rest, true
}

// eventName drops what would end the line, and NUL.
func eventName(s string) string {
	if !strings.ContainsAny(s, "\r\n\x00") {
		return s
	}
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(s)
}

// appendID ends the event in b with its id.
func appendID(b []byte, id string) []byte {
	b = append(b, "id: "...)
	b = append(b, id...)
	return append(b, "\n\n"...)
}

// formatID joins the hub's boot and a topic's sequence number.
func formatID(boot string, seq uint64) string {
	return boot + "-" + strconv.FormatUint(seq, 10)
}

// parseID is formatID backwards; ok is false for ids of other hubs.
func parseID(boot, id string) (seq uint64, ok bool) {
	head, tail, found := strings.Cut(id, "-")
	if !found || head != boot {
		return 0, false
	}
	seq, err := strconv.ParseUint(tail, 10, 64)
	return seq, err == nil
}
