package send_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

// wireCase is a row of testdata/wire.json.
type wireCase struct {
	Name    string          `json:"name"`
	Message wireMessage     `json:"message"`
	Body    json.RawMessage `json:"expect_body"`
}

type wireMessage struct {
	To, From, RefKey                string
	Content                         map[string]json.RawMessage
	Fallback                        []map[string]json.RawMessage
	At                              time.Time
	Ad                              bool
	Country, UserInfo, ResellerCode string
}

func (w wireMessage) message(t *testing.T) send.Message {
	t.Helper()
	m := send.Message{
		To: w.To, From: w.From, RefKey: w.RefKey, Content: wireContent(t, w.Content), At: w.At, Ad: w.Ad,
		Country: w.Country, UserInfo: w.UserInfo, ResellerCode: w.ResellerCode,
	}
	for _, f := range w.Fallback {
		m.Fallback = append(m.Fallback, wireContent(t, f))
	}
	return m
}

// encoded returns m with each content through Encode.
func encoded(t *testing.T, m send.Message) send.Message {
	t.Helper()
	encode := func(c send.Content) send.Content {
		e, err := send.Encode(c)
		if err != nil {
			t.Fatalf("Encode() = %v, want nil", err)
		}
		return e
	}
	m.Content = encode(m.Content)
	fallback := m.Fallback
	m.Fallback = nil
	for _, f := range fallback {
		m.Fallback = append(m.Fallback, encode(f))
	}
	return m
}

// wireContent reads a content of wire.json: Go's names on the outside of the
// types that the design spells out, the vendor's keys everywhere else.
func wireContent(t *testing.T, one map[string]json.RawMessage) send.Content {
	t.Helper()
	into := func(b []byte, v any) {
		if err := json.Unmarshal(b, v); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range one {
		var kind struct{ Kind string }
		switch name {
		case "SMS":
			var c struct{ Text string }
			into(b, &c)
			return send.SMS{Text: c.Text}
		case "LMS":
			var c struct{ Subject, Text string }
			into(b, &c)
			return send.LMS{Subject: c.Subject, Text: c.Text}
		case "MMS":
			var c struct {
				Subject, Text string
				Images        []send.Image
			}
			into(b, &c)
			return send.MMS{Subject: c.Subject, Text: c.Text, Images: c.Images}
		case "AlimTalk":
			var c struct {
				SenderKey, TemplateCode, Text, Title, Header string
				Buttons, QuickReplies                        []send.Button
				Items                                        *send.ItemList
				Highlight                                    *send.Highlight
				Link                                         *send.Link
				Image                                        bool
			}
			into(b, &c)
			return send.AlimTalk{
				SenderKey: c.SenderKey, TemplateCode: c.TemplateCode, Text: c.Text, Title: c.Title, Header: c.Header,
				Buttons: c.Buttons, QuickReplies: c.QuickReplies, Items: c.Items, Highlight: c.Highlight, Link: c.Link,
				Image: c.Image,
			}
		case "FriendTalk":
			var c send.FriendTalk
			into(b, &kind)
			into(b, &c)
			c.Kind = kind.Kind
			return c
		case "BrandMessage":
			var c send.BrandMessage
			into(b, &kind)
			into(b, &c)
			c.Kind = kind.Kind
			return c
		case "RCS":
			var c send.RCS
			into(b, &c)
			return c
		case "TalkTalk":
			var c send.TalkTalk
			into(b, &c)
			return c
		case "Raw":
			var c struct {
				Type string
				JSON json.RawMessage
			}
			into(b, &c)
			return send.Raw{Type: c.Type, JSON: c.JSON}
		}
	}
	t.Fatalf("no content in %v", one)
	return nil
}

// value decodes JSON, with numbers as they are spelt.
func value(t *testing.T, b []byte) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, b)
	}
	return v
}

func wireCases(t *testing.T) []wireCase {
	t.Helper()
	b, err := os.ReadFile("testdata/wire.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []wireCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 60 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases
}

// atClock runs f in the time of the vectors.
func atClock(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		now := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC) // 12:00 in Korea
		<-time.NewTimer(time.Until(now)).C
		f(t)
	})
}

func TestMessage_Wire(t *testing.T) {
	t.Parallel()
	for _, tt := range wireCases(t) {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			atClock(t, func(t *testing.T) {
				t.Helper()
				m := tt.Message.message(t)
				for name, m := range map[string]send.Message{"plain": m, "encoded": encoded(t, m)} {
					if err := m.Validate(); err != nil {
						t.Errorf("%s: Validate() = %v, want nil", name, err)
					}
					b, err := m.AppendBody([]byte("before"), "acct01")
					if err != nil {
						t.Fatalf("%s: AppendBody() = %v, want nil", name, err)
					}
					body, found := strings.CutPrefix(string(b), "before")
					if !found {
						t.Errorf("%s: AppendBody did not append", name)
					}
					if diff := cmp.Diff(value(t, tt.Body), value(t, []byte(body))); diff != "" {
						t.Errorf("%s: body differs (-want +got):\n%s", name, diff)
					}
				}
			})
		})
	}
}

// TestMessage_JSONRoundTrip: the JSON of a message is the vendor's body
// without account and with ad, and it brings back the same message.
func TestMessage_JSONRoundTrip(t *testing.T) {
	t.Parallel()
	for _, tt := range wireCases(t) {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			m := tt.Message.message(t)
			want, _ := value(t, tt.Body).(map[string]any)
			delete(want, "account")
			if m.Ad {
				want["ad"] = true
			}
			for name, m := range map[string]send.Message{"plain": m, "encoded": encoded(t, m)} {
				b, err := json.Marshal(m)
				if err != nil {
					t.Fatalf("%s: Marshal() = %v, want nil", name, err)
				}
				if diff := cmp.Diff(any(want), value(t, b)); diff != "" {
					t.Errorf("%s: JSON differs (-want +got):\n%s", name, diff)
				}
				var back send.Message
				if err := json.Unmarshal(b, &back); err != nil {
					t.Fatalf("%s: Unmarshal() = %v, want nil", name, err)
				}
				if diff := cmp.Diff(tt.Message.message(t), back, ignoreSpelling); diff != "" {
					t.Errorf("%s: message came back changed (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// ignoreSpelling compares numbers by their digits, and Raw by its value.
var ignoreSpelling = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".To" || p.Last().String() == ".From"
	}, cmp.Transformer("digits", func(s string) string {
		return strings.NewReplacer(" ", "", "-", "", "+82", "0").Replace(s)
	})),
	cmp.Comparer(func(a, b json.RawMessage) bool {
		var x, y any
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
	}),
}

// tsv returns the rows of a file of testdata, without its head.
func tsv(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var rows [][]string
	for lines.Scan() {
		rows = append(rows, strings.Split(lines.Text(), "\t"))
	}
	if err := lines.Err(); err != nil || len(rows) < 50 {
		t.Fatalf("%s: %d rows, error %v", name, len(rows), err)
	}
	return rows[1:]
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(s), &text); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text
}
