package bizppuriotest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// CheckSender tells whether s keeps the contract of [send.Sender]. It returns
// nil, or all broken rules joined, each named. A [Fake] keeps it, and so does
// a client on a [Server].
//
// It sends about sixty valid messages to 010-0000-0000, so s must not reach
// the vendor, and s must accept them: set no script, fault or rate limit that
// stands against that. ctx bounds the whole check.
func CheckSender(ctx context.Context, s send.Sender) error {
	c := &senderCheck{s: s}
	for _, rules := range []func(context.Context){
		c.accepts, c.generates, c.refuses, c.endedContexts, c.nilContext, c.leavesAlone, c.concurrent,
	} {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(c.broken, fmt.Errorf("bizppuriotest.CheckSender: not finished: %w", err))...)
		}
		rules(ctx)
	}
	return errors.Join(c.broken...)
}

// senderCheck collects what a Sender did wrong.
type senderCheck struct {
	s      send.Sender
	mu     sync.Mutex
	broken []error
}

// broke notes a broken rule.
func (c *senderCheck) broke(name, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, fmt.Errorf("Send(%s): "+format, append([]any{name}, args...)...))
}

// canaries must not show in an error.
const (
	canaryTo   = "01000000000"
	canaryFrom = "0200000000"
	canaryText = "canary"
)

// letter returns a valid SMS.
func letter(refKey string) send.Message {
	return send.Message{To: canaryTo, From: canaryFrom, RefKey: refKey, Content: send.SMS{Text: canaryText}}
}

// rich returns a valid message with all that can hang below one.
func rich(refKey string) send.Message {
	m := letter(refKey)
	m.Content = send.AlimTalk{
		SenderKey: "sender-key", TemplateCode: "template", Text: canaryText,
		Buttons: []send.Button{{Name: "열기", Type: "WL", URLMobile: "https://example.com/"}},
	}
	m.Fallback = []send.Content{send.SMS{Text: canaryText}}
	m.UserInfo = "dept1"
	return m
}

// send calls Send, checks what holds for every call, and says whether the
// call returned at all.
func (c *senderCheck) send(ctx context.Context, name string, m send.Message) (r send.Receipt, ok bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.broke(name, "panicked")
			ok = false
		}
	}()
	r, err = c.s.Send(ctx, m)
	switch {
	case m.RefKey != "" && r.RefKey != m.RefKey:
		c.broke(name, "the Receipt lacks the message's RefKey")
	case r.RefKey == "":
		c.broke(name, "the Receipt has no RefKey")
	case m.RefKey == "" && len(r.RefKey) > maxRefKey:
		c.broke(name, "the generated RefKey is longer than 32 bytes")
	}
	c.checkError(name, r, err)
	return r, true, err
}

// checkError checks what holds for every error.
func (c *senderCheck) checkError(name string, r send.Receipt, err error) {
	if err == nil {
		if r.MessageKey == "" {
			c.broke(name, "accepted without a MessageKey")
		}
		return
	}
	if r.MessageKey != "" {
		c.broke(name, "a MessageKey beside an error")
	}
	var e *send.Error
	switch {
	case !errors.As(err, &e) || e == nil:
		c.broke(name, "the error is no *send.Error")
		return
	case e.Outcome == send.Accepted:
		c.broke(name, "an error whose Outcome is Accepted")
	case e.Reason == "":
		c.broke(name, "an error without a Reason")
	case e.RefKey != r.RefKey:
		c.broke(name, "the error lacks the RefKey of the Receipt")
	}
	for _, shown := range []string{fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		for _, secret := range []string{canaryTo, canaryFrom, canaryText} {
			if strings.Contains(shown, secret) {
				c.broke(name, "the error shows a number or the text of the message")
				return
			}
		}
	}
}

// wantAccepted sends a message that has nothing wrong with it.
func (c *senderCheck) wantAccepted(ctx context.Context, name string, m send.Message) send.Receipt {
	r, ok, err := c.send(ctx, name, m)
	if ok && err != nil {
		c.broke(name, "a valid message was not accepted: %w", err)
	}
	return r
}

// accepts: valid messages of several channels and spellings.
func (c *senderCheck) accepts(ctx context.Context) {
	valid := map[string]func(*send.Message){
		"an SMS":                        func(*send.Message) {},
		"an SMS by pointer":             func(m *send.Message) { m.Content = &send.SMS{Text: canaryText} },
		"an SMS of 90 bytes":            func(m *send.Message) { m.Content = send.SMS{Text: strings.Repeat("가", 45)} },
		"an LMS":                        func(m *send.Message) { m.Content = send.LMS{Subject: "안내", Text: strings.Repeat("가", 1000)} },
		"a RefKey of 32 bytes":          func(m *send.Message) { m.RefKey = m.RefKey[:6] + strings.Repeat("k", 26) },
		"a RefKey in Hangul":            func(m *send.Message) { m.RefKey = m.RefKey[:12] + "주문" },
		"a number with hyphens":         func(m *send.Message) { m.To = "010-0000-0000" },
		"a number with +82":             func(m *send.Message) { m.To = "+82 10-0000-0000" },
		"a reservation":                 func(m *send.Message) { m.At = time.Now().Add(24 * time.Hour) },
		"a reservation in the past":     func(m *send.Message) { m.At = time.Now().Add(-time.Hour) },
		"an alimtalk with a fallback":   func(m *send.Message) { *m = rich(m.RefKey) },
		"userinfo and reseller code":    func(m *send.Message) { m.UserInfo, m.ResellerCode = "dept1", "123456789" },
		"a message abroad":              func(m *send.Message) { m.Country, m.To = "1", "2025550123" },
		"content of a type added later": func(m *send.Message) { m.Content = send.Raw{Type: "sms", JSON: []byte(`{"message":"canary"}`)} },
	}
	for name, change := range valid {
		m := letter(send.NewRefKey())
		change(&m)
		c.wantAccepted(ctx, name, m)
	}
	encoded, err := send.Encode(send.SMS{Text: canaryText})
	if err != nil {
		c.broke("encoded content", "send.Encode: %w", err)
		return
	}
	m := letter(send.NewRefKey())
	m.Content = encoded
	c.wantAccepted(ctx, "encoded content", m)
}

// generates: RefKeys of its own, no two alike, and MessageKeys.
func (c *senderCheck) generates(ctx context.Context) {
	refKeys, messageKeys := map[string]bool{}, map[string]bool{}
	const n = 8
	for range n {
		r := c.wantAccepted(ctx, "no RefKey", letter(""))
		refKeys[r.RefKey], messageKeys[r.MessageKey] = true, true
	}
	if len(refKeys) != n {
		c.broke("no RefKey", "the same RefKey was generated twice")
	}
	if len(messageKeys) != n {
		c.broke("no RefKey", "two messages got the same MessageKey")
	}
}

// invalidMessages are refused by validation alone.
func invalidMessages() map[string]func(*send.Message) {
	var nothing *send.SMS
	content := func(c send.Content) func(*send.Message) {
		return func(m *send.Message) { m.Content = c }
	}
	return map[string]func(*send.Message){
		"no content":                        content(nil),
		"a nil pointer as content":          content(nothing),
		"a zero *Encoded":                   content(&send.Encoded{}),
		"no text":                           content(send.SMS{}),
		"an SMS of 91 bytes":                content(send.SMS{Text: strings.Repeat("가", 45) + "a"}),
		"a character that SMS lacks":        content(send.SMS{Text: canaryText + "😀"}),
		"text that is not UTF-8":            content(send.SMS{Text: canaryText + "\xff"}),
		"an LMS of 2,001 bytes":             content(send.LMS{Text: strings.Repeat("가", 1000) + "a"}),
		"an MMS without a picture":          content(send.MMS{Text: canaryText}),
		"an alimtalk without template code": content(send.AlimTalk{SenderKey: "sender-key", Text: canaryText}),
		"raw JSON that is none":             content(send.Raw{Type: "sms", JSON: []byte(`{"message":`)}),
		"no recipient":                      func(m *send.Message) { m.To = "" },
		"a recipient with letters":          func(m *send.Message) { m.To = canaryTo + "x" },
		"a recipient without its zero":      func(m *send.Message) { m.To = strings.TrimPrefix(canaryTo, "0") },
		"a sender that is no number":        func(m *send.Message) { m.From = canaryFrom + "x" },
		"a RefKey of 33 bytes":              func(m *send.Message) { m.RefKey = strings.Repeat("k", maxRefKey+1) },
		"a reservation in 31 days":          func(m *send.Message) { m.At = time.Now().AddDate(0, 0, 31) },
		"a country with letters":            func(m *send.Message) { m.Country = "KR" },
		"a reseller code of 8 digits":       func(m *send.Message) { m.ResellerCode = "12345678" },
		"a fallback after an SMS":           func(m *send.Message) { m.Fallback = []send.Content{send.LMS{Text: canaryText}} },
		"a nil fallback":                    func(m *send.Message) { *m = rich(m.RefKey); m.Fallback = []send.Content{nil} },
		"a fallback SMS of 91 bytes": func(m *send.Message) {
			*m = rich(m.RefKey)
			m.Fallback = []send.Content{send.SMS{Text: strings.Repeat("가", 46)}}
		},
	}
}

// refuses: invalid messages, with the field that is wrong.
func (c *senderCheck) refuses(ctx context.Context) {
	for name, change := range invalidMessages() {
		for _, refKey := range []string{send.NewRefKey(), ""} {
			m := letter(refKey)
			change(&m)
			r, ok, err := c.send(ctx, name, m)
			if ok {
				c.wantInvalid(name, r, err)
			}
		}
	}
}

func (c *senderCheck) wantInvalid(name string, r send.Receipt, err error) {
	var field *send.FieldError
	switch {
	case err == nil:
		c.broke(name, "an invalid message was accepted")
	case send.OutcomeOf(err) != send.Rejected:
		c.broke(name, "an invalid message is %v, want rejected", send.OutcomeOf(err))
	case !errors.Is(err, send.Invalid):
		c.broke(name, "the Reason of an invalid message is not Invalid")
	case !errors.As(err, &field):
		c.broke(name, "no *send.FieldError says what is wrong")
	case r.Attempts != 0:
		c.broke(name, "an invalid message was sent")
	}
}

// endedContexts: nothing is sent for a caller who has left.
func (c *senderCheck) endedContexts(ctx context.Context) {
	cause := errors.New("gave up on " + canaryTo + ", " + canaryText) // the application's own, and not for logs
	ended := map[string]func() (context.Context, context.CancelFunc){
		"a cancelled context": func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		"a context cancelled with a cause": func() (context.Context, context.CancelFunc) {
			child, cancel := context.WithCancelCause(ctx)
			return child, func() { cancel(cause) }
		},
		"a context past its deadline": func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Now().Add(-time.Second))
		},
		"a context past its deadline with a cause": func() (context.Context, context.CancelFunc) {
			return context.WithDeadlineCause(ctx, time.Now().Add(-time.Second), cause)
		},
	}
	for name, end := range ended {
		child, cancel := end()
		cancel()
		r, ok, err := c.send(child, name, letter(send.NewRefKey())) //nolint:contextcheck // a child of ctx
		if !ok {
			continue
		}
		switch {
		case err == nil:
			c.broke(name, "a message was accepted")
		case send.OutcomeOf(err) != send.NotSent || !errors.Is(err, send.Canceled):
			c.broke(name, "the verdict is not NotSent, Canceled")
		case !errors.Is(err, child.Err()):
			c.broke(name, "the error does not hold the context's own error")
		case r.Attempts != 0:
			c.broke(name, "a message was sent")
		}
	}
}

// nilContext: a mistake, but no panic and nothing sent.
func (c *senderCheck) nilContext(context.Context) {
	const name = "a nil context"
	r, ok, err := c.send(nil, name, letter(send.NewRefKey())) //nolint:staticcheck,contextcheck // that is what is tried
	switch {
	case !ok:
	case err == nil:
		c.broke(name, "a message was accepted")
	case send.OutcomeOf(err) != send.NotSent && send.OutcomeOf(err) != send.Rejected:
		c.broke(name, "the verdict is %v, want not_sent", send.OutcomeOf(err))
	case r.Attempts != 0:
		c.broke(name, "a message was sent")
	}
}

// leavesAlone: Send changes nothing of the message.
func (c *senderCheck) leavesAlone(ctx context.Context) {
	const name = "a message that is looked at afterwards"
	for _, refKey := range []string{send.NewRefKey(), ""} {
		m := rich(refKey)
		before := cloneMessage(m)
		c.wantAccepted(ctx, name, m)
		if !reflect.DeepEqual(before, m) {
			c.broke(name, "the message was changed")
		}
	}
}

// concurrent: each caller gets the receipt of its own message.
func (c *senderCheck) concurrent(ctx context.Context) {
	const name, n = "32 messages at once", 32
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		keys = map[string]bool{}
	)
	for i := range n {
		wg.Go(func() {
			refKey := send.NewRefKey()
			if i%4 == 0 {
				refKey = ""
			}
			r := c.wantAccepted(ctx, name, letter(refKey))
			mu.Lock()
			defer mu.Unlock()
			keys[r.RefKey], keys[r.MessageKey] = true, true
		})
	}
	wg.Wait()
	if len(keys) != 2*n {
		c.broke(name, "two messages share a RefKey or a MessageKey")
	}
}
