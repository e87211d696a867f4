package send_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

func TestEncode_IsIndependent(t *testing.T) {
	t.Parallel()
	a := alimTalk()
	a.Buttons = []send.Button{{Name: "보기", Type: "WL", URLMobile: "https://example.com"}}
	a.Link = &send.Link{URLMobile: "https://example.com"}
	e, err := send.Encode(&a)
	if err != nil {
		t.Fatal(err)
	}
	m := message()
	m.Content = e
	before, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	a.Text, a.Buttons[0].Name, a.Link.URLMobile = "x", "x", "x"
	after, err := m.MarshalJSON()
	if string(before) != string(after) || err != nil {
		t.Errorf("MarshalJSON() = %s, %v, want %s", after, err, before)
	}
}

func TestEncode_Invalid(t *testing.T) {
	t.Parallel()
	_, err := send.Encode(send.SMS{})
	if got := richFields(t, err); !cmp.Equal(got, []string{"Content.Text"}) {
		t.Errorf("refused fields = %q, want Content.Text", got)
	}
}

func TestEncode_Twice(t *testing.T) {
	t.Parallel()
	e, err := send.Encode(send.SMS{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := send.Encode(e)
	if again != e || err != nil || e.Type() != "sms" {
		t.Errorf("Encode() = %v, %v, want the same of type sms, not %q", again, err, e.Type())
	}
}

func TestEncoded_TypeOfNone(t *testing.T) {
	t.Parallel()
	if got := (*send.Encoded)(nil).Type() + new(send.Encoded).Type(); got != "" {
		t.Errorf("Type() = %q, want none", got)
	}
}

// TestEncoded_CheckedAgain: what depends on the message is not settled by
// Encode.
func TestEncoded_CheckedAgain(t *testing.T) {
	t.Parallel()
	atClock(t, func(t *testing.T) {
		t.Helper()
		encode := func(c send.Content) *send.Encoded {
			e, err := send.Encode(c)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		now := time.Now()
		lms := encode(send.LMS{Text: string(make([]byte, 421))})
		images := []send.Image{{Key: "k", Until: now.Add(time.Hour)}}
		mms := encode(send.MMS{Images: images})
		images[0].Until = time.Time{}

		m := message()
		m.Content = lms
		expectFields(t, m)
		m.Country = "1"
		expectFields(t, m, "Content.Text")
		m = message()
		m.Content = mms
		expectFields(t, m)
		m.At = now.Add(2 * time.Hour)
		expectFields(t, m, "Content.Images[0].Until")
		m.At, m.Country = time.Time{}, "1"
		expectFields(t, m, "Content")
	})
}

func appendBody(tb testing.TB, c send.Content) func() {
	tb.Helper()
	m := message()
	m.Content = c
	b := make([]byte, 0, 4096)
	return func() {
		if _, err := m.AppendBody(b, "acct01"); err != nil {
			tb.Fatal(err)
		}
	}
}

func richAlimTalk() send.AlimTalk {
	a := alimTalk()
	a.Buttons = []send.Button{{Name: "보기", Type: "WL", URLMobile: "https://example.com/m", URLPC: "https://example.com"}}
	a.QuickReplies = []send.Button{{Name: "문의", Type: "BK"}}
	return a
}

func TestMessage_AppendBodyEncodedAllocatesLess(t *testing.T) { //nolint:paralleltest // counts allocations
	e, err := send.Encode(richAlimTalk())
	if err != nil {
		t.Fatal(err)
	}
	plain := testing.AllocsPerRun(100, appendBody(t, richAlimTalk()))
	encoded := testing.AllocsPerRun(100, appendBody(t, e))
	if encoded >= plain {
		t.Errorf("allocations with Encoded = %v, want less than %v", encoded, plain)
	}
}

func BenchmarkAppendBody_Plain(b *testing.B) {
	run := appendBody(b, richAlimTalk())
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

func BenchmarkAppendBody_Encoded(b *testing.B) {
	e, err := send.Encode(richAlimTalk())
	if err != nil {
		b.Fatal(err)
	}
	run := appendBody(b, e)
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

func BenchmarkAppendBody_SMS(b *testing.B) {
	run := appendBody(b, send.SMS{Text: "주문이 접수되었습니다."})
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

func BenchmarkValidate_AlimTalk(b *testing.B) {
	m := message()
	m.Content = richAlimTalk()
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
