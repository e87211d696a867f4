package bizppuriotest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// letter returns a valid SMS.
func letter(refKey string) send.Message {
	return send.Message{To: to, From: "0200000000", RefKey: refKey, Content: send.SMS{Text: "hello"}}
}

// verdict is what a call came to, in words.
func verdict(err error) string {
	var e *send.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("%T", err)
	}
	return fmt.Sprintf("%v %s %d %d", e.Outcome, string(e.Reason), e.Code, e.Status)
}

func TestFake_Records(t *testing.T) {
	t.Parallel()
	f := &bizppuriotest.Fake{}
	buttons := []send.Button{{Name: "열기", Type: "WL", URLMobile: "https://example.com/"}}
	m := letter("order-1")
	m.Content = &send.AlimTalk{SenderKey: "k", TemplateCode: "t", Text: "hello", Buttons: buttons}
	m.Fallback = []send.Content{send.SMS{Text: "hello"}}
	r, err := f.Send(t.Context(), m)
	if err != nil || r.RefKey != "order-1" || r.MessageKey == "" || r.Attempts != 1 {
		t.Fatalf("Send = %+v, %v, want an acceptance", r, err)
	}
	if _, err := f.Send(t.Context(), letter("order-2")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Send(t.Context(), send.Message{RefKey: "order-3"}); err == nil {
		t.Error("an empty message was accepted")
	}
	want, _ := m.Content.(*send.AlimTalk)
	unchanged := *want
	unchanged.Buttons = []send.Button{buttons[0]}

	buttons[0].Name = "changed"
	want.Text = "changed"
	m.Fallback[0] = send.SMS{Text: "changed"}
	first := f.Sent()
	first[1].Message.RefKey = "changed"
	sent := f.Sent()
	if len(sent) != 3 || sent[0].Receipt != r || sent[1].Message.RefKey != "order-2" || sent[2].Err == nil {
		t.Fatalf("Sent() = %d calls, want all three in order", len(sent))
	}
	if got := sent[0].Message.Content; !cmp.Equal(got, &unchanged) {
		t.Errorf("the content was changed after the send: %s", cmp.Diff(&unchanged, got))
	}
	if got := sent[0].Message.Fallback[0]; got != (send.SMS{Text: "hello"}) {
		t.Error("the fallback was changed after the send")
	}
	if f.Accepted("order-1") != 1 || f.Accepted("order-3") != 0 {
		t.Errorf("Accepted = %d, %d, want 1, 0", f.Accepted("order-1"), f.Accepted("order-3"))
	}
	f.Reset()
	if got := f.Sent(); len(got) != 0 {
		t.Errorf("Sent() after Reset = %d calls, want none", len(got))
	}
}

// Everything that hangs below a message is copied.
func TestFake_CopiesDeeply(t *testing.T) {
	t.Parallel()
	f := &bizppuriotest.Fake{AdWindow: send.Window{Close: 24 * time.Hour}}
	variables := map[string]string{"이름": "a"}
	raw := []byte(`{"message":"a"}`)
	encoded, err := send.Encode(send.SMS{Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	contents := []send.Content{
		send.BrandMessage{
			Kind: "ut", SenderKey: "k", BrandMessageType: "BASIC", SendTarget: "friend", TemplateCode: "t",
			MessageVariable: variables, CarouselVariable: []send.CardVariable{{ButtonVariable: variables}},
		},
		send.Raw{Type: "sms", JSON: raw},
		encoded,
	}
	for _, c := range contents {
		m := letter("order")
		m.Content = c
		if _, err := f.Send(t.Context(), m); err != nil && send.OutcomeOf(err) != send.Rejected {
			t.Fatal(err)
		}
	}
	variables["이름"] = "b"
	copy(raw[12:], "b")
	sent := f.Sent()
	brand, _ := sent[0].Message.Content.(send.BrandMessage)
	if brand.MessageVariable["이름"] != "a" || brand.CarouselVariable[0].ButtonVariable["이름"] != "a" {
		t.Error("a map was shared with the caller")
	}
	if got, _ := sent[1].Message.Content.(send.Raw); string(got.JSON) != `{"message":"a"}` {
		t.Error("raw JSON was shared with the caller")
	}
	if got := sent[2].Message.Content; got != send.Content(encoded) {
		t.Error("an *Encoded came back as something else")
	}
}

// unsentError is an error of an engine that proves that nothing left.
type unsentError struct{}

func (unsentError) Error() string { return "dial failed" }
func (unsentError) NotSent() bool { return true }

func TestFake_Script(t *testing.T) {
	t.Parallel()
	own := &send.Error{Outcome: send.Unknown, Reason: send.Timeout}
	wrapped := fmt.Errorf("wrapped: %w", own)
	plain := errors.New("boom")
	for name, c := range map[string]struct {
		reply error
		want  string
		same  bool
	}{
		"nil":              {nil, "<nil>", true},
		"a *send.Error":    {own, "unknown timeout 0 0", true},
		"a wrapped one":    {wrapped, "unknown timeout 0 0", true},
		"a reason":         {send.RateLimited, "not_sent rate_limited 0 0", false},
		"Invalid":          {send.Invalid, "rejected invalid 0 0", false},
		"an odd reason":    {send.Reason("odd"), "unknown odd 0 0", false},
		"a wrapped reason": {fmt.Errorf("why: %w", send.CircuitOpen), "not_sent circuit_open 0 0", false},
		"an engine's":      {unsentError{}, "not_sent unreachable 0 0", false},
		"a context's":      {context.DeadlineExceeded, "unknown interrupted 0 0", false},
		"another":          {plain, "unknown connection_lost 0 0", false},
	} {
		f := &bizppuriotest.Fake{}
		f.Script(c.reply)
		r, err := f.Send(t.Context(), letter("order-1"))
		if got := verdict(err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if c.same && !errors.Is(err, c.reply) {
			t.Errorf("%s: another error came back", name)
		}
		var e *send.Error
		if errors.As(err, &e) && !c.same && (e.RefKey != "order-1" || !errors.Is(err, c.reply)) {
			t.Errorf("%s: RefKey %q, cause %v, want the message's and the script's", name, e.RefKey, e.Err)
		}
		if r.RefKey != "order-1" || (r.MessageKey != "") != (err == nil) {
			t.Errorf("%s: Receipt %+v", name, r)
		}
	}
	if own.RefKey != "" {
		t.Error("the scripted *send.Error was changed")
	}
}

// Scripts come in order, are not used up by what the client itself refuses,
// and stand before Respond, which stands before the recipient's number.
func TestFake_Order(t *testing.T) {
	t.Parallel()
	f := &bizppuriotest.Fake{}
	f.Script(send.Busy, nil)
	f.Script(send.Refused)
	var asked []string
	f.Respond(func(m send.Message) error {
		asked = append(asked, m.RefKey)
		_ = f.Sent() // no lock is held
		return send.VendorFault
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	busy := letter("busy")
	busy.To = "01000003008"
	for i, c := range []struct {
		ctx  context.Context //nolint:containedctx // a row of a table
		m    send.Message
		want string
	}{
		{ended, letter(""), "not_sent canceled 0 0"},
		{ended, send.Message{}, "not_sent canceled 0 0"},
		{t.Context(), send.Message{}, "rejected invalid 0 0"},
		{t.Context(), letter("1"), "not_sent busy 0 0"},
		{t.Context(), letter("2"), "<nil>"},
		{t.Context(), letter("3"), "rejected refused 0 0"},
		{t.Context(), busy, "unknown vendor_fault 0 0"},
	} {
		_, err := f.Send(c.ctx, c.m)
		if got := verdict(err); got != c.want {
			t.Errorf("call %d: %s, want %s", i, got, c.want)
		}
	}
	if !cmp.Equal(asked, []string{"busy"}) {
		t.Errorf("Respond was asked for %q, want the call that no script covers", asked)
	}
	f.Respond(nil)
	if _, err := f.Send(t.Context(), busy); verdict(err) != "not_sent busy 3008 400" {
		t.Errorf("without Respond: %s, want the number's verdict", verdict(err))
	}
}

// A message that names no sender is fine, as it is with a client whose Config
// names one.
func TestFake_From(t *testing.T) {
	t.Parallel()
	m := letter("order-1")
	m.From = ""
	var f bizppuriotest.Fake
	if _, err := f.Send(t.Context(), m); err != nil {
		t.Errorf("without From: %v, want nil", err)
	}
	m.From = "1"
	var field *send.FieldError
	if _, err := f.Send(t.Context(), m); !errors.Is(err, send.Invalid) || !errors.As(err, &field) || field.Field != "From" {
		t.Errorf("with a bad From: %v, want Invalid for From", err)
	}
}

func TestFake_AdWindow(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("KST", 9*60*60)
	ad := letter("")
	ad.Ad = true
	friend := letter("")
	friend.Content = send.FriendTalk{Kind: "ft", SenderKey: "k", Text: "hello"}
	quiet := friend
	quiet.Content = send.FriendTalk{Kind: "ft", SenderKey: "k", Text: "hello", AdFlag: send.No}
	brand := letter("")
	brand.Content = send.BrandMessage{Kind: "ut", SenderKey: "k", BrandMessageType: "FREE", SendTarget: "friend", Text: "hello"}
	later := ad
	later.At = time.Date(2000, 1, 2, 12, 0, 0, 0, kst)
	night := ad
	night.At = time.Date(2000, 1, 2, 23, 0, 0, 0, kst)
	synctest.Test(t, func(t *testing.T) {
		// Virtual time begins at midnight UTC, 09:00 in Korea.
		<-time.NewTimer(11*time.Hour + 50*time.Minute - time.Nanosecond).C
		f := &bizppuriotest.Fake{}
		if _, err := f.Send(t.Context(), ad); err != nil {
			t.Errorf("at 20:49:59: %v, want nil", err)
		}
		if _, err := f.Send(t.Context(), night); !errors.Is(err, send.OutsideWindow) {
			t.Errorf("reserved for 23:00: %v, want OutsideWindow", err)
		}
		<-time.NewTimer(time.Nanosecond).C
		for name, m := range map[string]send.Message{"ad": ad, "friendtalk": friend, "brand message": brand} {
			_, err := f.Send(t.Context(), m)
			var e *send.Error
			if !errors.As(err, &e) || e.Outcome != send.NotSent || e.Reason != send.OutsideWindow || e.RetryAfter != 11*time.Hour+10*time.Minute {
				t.Errorf("%s at 20:50: %v, want OutsideWindow until 08:00", name, err)
			}
		}
		for name, m := range map[string]send.Message{"no ad": letter(""), "friendtalk without ad flag": quiet, "reserved for noon": later} {
			if _, err := f.Send(t.Context(), m); err != nil {
				t.Errorf("%s at 20:50: %v, want nil", name, err)
			}
		}
		always := &bizppuriotest.Fake{AdWindow: send.Window{Close: 24 * time.Hour}}
		if _, err := always.Send(t.Context(), ad); err != nil {
			t.Errorf("with a window that is always open: %v, want nil", err)
		}
	})
}

func TestFake_Concurrent(t *testing.T) {
	t.Parallel()
	f := &bizppuriotest.Fake{}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			f.Script(nil)
			if _, err := f.Send(t.Context(), letter(fmt.Sprint("order-", i))); err != nil {
				t.Error(err)
			}
			_ = f.Sent()
		})
	}
	wg.Wait()
	f.AssertAccepted(t, 100)
	f.AssertTo(t, "010-0000-0000", 100)
	f.AssertTo(t, "+82 10-0000-0000", 100)
}

func TestFake_Asserts(t *testing.T) {
	t.Parallel()
	tb := &recorder{}
	f := &bizppuriotest.Fake{}
	f.AssertAccepted(tb, 0)
	f.AssertTo(tb, to, 0)
	if len(tb.errors) != 0 {
		t.Errorf("an empty fake fails: %q", tb.errors)
	}
	if _, err := f.Send(t.Context(), letter("")); err != nil {
		t.Fatal(err)
	}
	f.AssertAccepted(tb, 2)
	f.AssertTo(tb, "01012345678", 1)
	if len(tb.errors) != 2 {
		t.Errorf("two wrong asserts fail %d times: %q", len(tb.errors), tb.errors)
	}
}

// The cause of a cancelled context is the application's own: it can be found
// and is not printed, as with a client.
func TestFake_HidesCause(t *testing.T) {
	t.Parallel()
	const canary = "01098765432"
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := &causeError{canary}
	cancel(cause)
	for name, s := range map[string]send.Sender{"fake": &bizppuriotest.Fake{}, "client": connect(t, bizppuriotest.NewServer(t))} {
		_, err := s.Send(ctx, letter("order-1"))
		var found *causeError
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || !errors.As(err, &found) || !errors.Is(err, send.Canceled) {
			t.Errorf("%s: %v, want the context's error and its cause", name, err)
		}
		var e *send.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %T, want a *send.Error", name, err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if got := fmt.Sprintf(verb, err) + fmt.Sprintf(verb, e.Err); strings.Contains(got, canary) {
				t.Errorf("%s: %s prints %s, which shows the cause", name, verb, got)
			}
		}
		if got, want := err.Error(), "bizppurio: not_sent: canceled (decided here): context canceled"; got != want {
			t.Errorf("%s: Error() = %q, want %q", name, got, want)
		}
	}
}

type causeError struct{ to string }

func (e *causeError) Error() string { return "gave up on " + e.to }

// Case 10: Attempts counts requests, so it is 0 for what a client decides
// without one.
func TestFake_Attempts(t *testing.T) {
	t.Parallel()
	for reason, want := range map[send.Reason]int{
		send.Invalid: 0, send.Closed: 0, send.Canceled: 0, send.OutsideWindow: 0, send.CircuitOpen: 0, send.TokenUnavailable: 0,
		send.RateLimited: 0, // by the client's own limit: the vendor's has a status
		send.PoolTimeout: 1, // the engine was asked
		send.Refused:     1, send.Unreachable: 1, send.Busy: 1, send.Timeout: 1, send.ConnectionLost: 1,
		send.BadResponse: 1, send.VendorFault: 1, send.Interrupted: 1, "odd": 1,
	} {
		f := &bizppuriotest.Fake{}
		own := &send.Error{Outcome: send.NotSent, Reason: reason}
		f.Script(reason, fmt.Errorf("why: %w", reason), own, fmt.Errorf("why: %w", own))
		for i := range 4 {
			if r, err := f.Send(t.Context(), letter("")); err == nil || r.Attempts != want {
				t.Errorf("Send scripted with %s (%d) = %d attempts, %v, want %d", string(reason), i, r.Attempts, err, want)
			}
		}
		f.Respond(func(send.Message) error { return reason })
		if r, _ := f.Send(t.Context(), letter("")); r.Attempts != want {
			t.Errorf("Send answered with %s = %d attempts, want %d", string(reason), r.Attempts, want)
		}
	}
	for _, answered := range []*send.Error{
		{Outcome: send.NotSent, Reason: send.RateLimited, Code: 5002, Status: 429},
		{Outcome: send.NotSent, Reason: send.RateLimited, Status: 429},
		{Outcome: send.NotSent, Reason: send.Closed, Code: 3008, Status: 400}, // closed between two attempts
		{Outcome: send.NotSent, Reason: send.CircuitOpen, Code: 3008},
	} {
		f := &bizppuriotest.Fake{}
		f.Script(answered)
		if r, _ := f.Send(t.Context(), letter("")); r.Attempts != 1 {
			t.Errorf("Send scripted with %v = %d attempts, want 1: the vendor answered", answered, r.Attempts)
		}
	}
}
