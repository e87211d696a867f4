package bizppurio_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestClient_checkSender is case 81: the client keeps the contract that the
// fake keeps.
func TestClient_checkSender(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Pool.AcquireTimeout = time.Minute })
	if err := bizppuriotest.CheckSender(t.Context(), c); err != nil {
		t.Errorf("CheckSender(client) = %v, want nil", err)
	}
}

// TestClient_refusesAsTheFake is case 81 for messages drawn at random: fake
// and client refuse the same ones, for the same fields, and what both take the
// vendor takes.
func TestClient_refusesAsTheFake(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	draw := rand.New(rand.NewPCG(seed, seed))
	s := bizppuriotest.NewServer(t)
	always := send.Window{Close: 24 * time.Hour}
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.AdWindow, cfg.Retry = always, engine.Retry{Attempts: 1}
		cfg.Breaker.Failures = 1 << 30
	})
	fake := &bizppuriotest.Fake{AdWindow: always}
	counts := map[send.Outcome]int{}
	for i := range 3000 {
		m := randomMessage(draw, i)
		_, fromFake := fake.Send(t.Context(), m)
		_, fromClient := c.Send(t.Context(), m)
		a, b := send.OutcomeOf(fromFake), send.OutcomeOf(fromClient)
		counts[b]++
		if a != b || errors.Is(fromFake, send.Invalid) != errors.Is(fromClient, send.Invalid) {
			t.Fatalf("seed %d, message %d (%s): the fake says %v, the client %v", seed, i, m.Type(), fromFake, fromClient)
		}
		if got, want := problems(fromClient), problems(fromFake); !slices.Equal(got, want) {
			t.Fatalf("seed %d, message %d: the client names %q, the fake %q", seed, i, got, want)
		}
	}
	if counts[send.Accepted] < 100 || counts[send.Rejected] < 100 || counts[send.Unknown]+counts[send.NotSent] > 0 {
		t.Errorf("seed %d: outcomes = %v, want many accepted, many rejected, nothing else", seed, counts)
	}
}

// problems lists the FieldErrors in err, in order.
func problems(err error) (all []string) {
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // walked by hand
		case *send.FieldError:
			all = append(all, e.Error())
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				walk(one)
			}
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		}
	}
	walk(err)
	return all
}

// randomMessage spoils up to three things of a valid message.
func randomMessage(draw *rand.Rand, i int) send.Message {
	pick := func(all ...string) string { return all[draw.IntN(len(all))] }
	text := func() string {
		return pick("", "짧은 글", strings.Repeat("가", 45), strings.Repeat("가", 45)+"a", strings.Repeat("a", 1000),
			strings.Repeat("a", 1001), strings.Repeat("가", 1000), strings.Repeat("가", 1000)+"a", "😀", "뷁똠펲", "\xff", "a\r\nb", "a\x00", "e\u0301", "\u00a0", "€「」")
	}
	button := func() send.Button {
		return send.Button{
			Name: pick("열기", "", strings.Repeat("가", 29)), Type: send.ButtonType(pick("WL", "AL", "BK", "MD", "AC", "zz", "")),
			URLMobile: pick("https://example.com/", "", "x"),
		}
	}
	content := func() send.Content {
		switch draw.IntN(9) {
		case 0:
			return send.LMS{Subject: pick("안내", "", strings.Repeat("가", 33)), Text: text()}
		case 1:
			return send.MMS{Subject: pick("안내", ""), Text: text(), Images: make([]send.Image, draw.IntN(5))}
		case 2, 3:
			a := send.AlimTalk{SenderKey: pick("key", ""), TemplateCode: pick("code", "code", ""), Text: text(), Title: pick("", "제목")}
			for range draw.IntN(7) {
				a.Buttons = append(a.Buttons, button())
			}
			return a
		case 4:
			return send.FriendTalk{Kind: pick("ft", "fi", "zz"), SenderKey: pick("key", ""), Text: text()}
		case 5:
			return send.BrandMessage{Kind: pick("ut", "ui", "zz"), SenderKey: pick("key", ""), BrandMessageType: pick("FREE", "BASIC", ""), SendTarget: pick("friend", ""), Text: text()}
		case 6:
			return send.Raw{Type: pick("new", "new", "", "new type"), JSON: []byte(pick(`{"message":"x"}`, `{`, `[]`, ``, `{"message":""}`))}
		case 7:
			return nil
		}
		return send.SMS{Text: text()}
	}
	m := send.Message{To: "01012345678", RefKey: fmt.Sprintf("m-%d", i), Content: send.SMS{Text: "안녕"}}
	if draw.IntN(3) == 0 {
		m.Content = send.AlimTalk{SenderKey: "key", TemplateCode: "code", Text: "안녕"}
		m.Fallback = []send.Content{send.SMS{Text: "안녕"}}
	}
	for range draw.IntN(4) {
		switch draw.IntN(10) {
		case 0:
			m.To = pick("", "010-1234-5678", "+82 10 1234 5678", "1012345678", "0101234567x", strings.Repeat("1", 17), "119")
		case 1:
			m.From = pick("", "021234567", "15771234", "+82212345678", "x", strings.Repeat("2", 17))
		case 2:
			m.RefKey = pick("", strings.Repeat("k", 32), strings.Repeat("k", 33), "주문", "a b", "a\nb", "\xff")
		case 3:
			m.Country = pick("82", "1", "KR", "12345", "0")
		case 4:
			m.ResellerCode = pick("123456789", "1", "12345678x")
		case 5:
			m.UserInfo = pick("dept", strings.Repeat("u", 50), strings.Repeat("u", 51), "\xff")
		case 6:
			m.At = time.Now().Add([]time.Duration{-time.Hour, time.Hour, 29 * 24 * time.Hour, 40 * 24 * time.Hour}[draw.IntN(4)])
		case 7:
			m.Fallback = append(m.Fallback, content())
		case 8:
			m.Ad = true
		case 9:
			m.Content = content()
		}
	}
	return m
}

var _ send.Sender = (*bizppurio.Client)(nil)
