package bizppuriotest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestMasked is case 71 for the types of this package: no way of printing
// shows a number, a text or a password.
func TestMasked(t *testing.T) {
	t.Parallel()
	const canary = "canary-글자"
	f := &bizppuriotest.Fake{}
	m := letter("order-1")
	m.To, m.Content = "01098765432", send.SMS{Text: canary}
	if _, err := f.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Send(t.Context(), send.Message{To: m.To, Content: m.Content, From: "x"}); err == nil {
		t.Fatal("a bad From was accepted")
	}
	s := bizppuriotest.NewServer(t)
	secrets := []string{m.To, m.From, canary, fmt.Sprintf("%x", canary), s.Password(), fmt.Sprintf("%x", s.Password())}
	sent := f.Sent()
	for name, v := range map[string]any{
		"Fake": f, "Server": s, "Sent": sent[0], "*Sent": &sent[1], "[]Sent": sent,
		"a struct of them": struct {
			F *bizppuriotest.Fake
			S *bizppuriotest.Server
			C bizppuriotest.Sent
		}{f, s, sent[1]},
		"a pointer to a suite": &struct{ Fake *bizppuriotest.Fake }{f},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%10v", "%t"} {
			unmasked(t, name+" "+verb, fmt.Sprintf(verb, v), secrets)
		}
	}
	for name, v := range map[string]interface {
		fmt.Stringer
		fmt.GoStringer
		slog.LogValuer
	}{"Fake": f, "Server": s, "Sent": sent[0]} {
		var b bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
			slog.New(h).Info("x", "value", v)
		}
		for _, printed := range []string{v.String(), v.GoString(), v.LogValue().String(), b.String()} {
			unmasked(t, name, printed, secrets)
			if !strings.Contains(printed, "bizppuriotest."+name) {
				t.Errorf("%s prints %s, which does not name the type", name, printed)
			}
		}
	}
	// What became of a message may be seen.
	if got, want := fmt.Sprint(sent), "[bizppuriotest.Sent{accepted} bizppuriotest.Sent{rejected: invalid}]"; got != want {
		t.Errorf("Sprint(Sent()) = %s, want %s", got, want)
	}
	if b, err := json.Marshal(sent[0]); err != nil || !bytes.Contains(b, []byte(canary)) {
		t.Errorf("json.Marshal(Sent) = %s, %v, want the canary in it", b, err)
	}
}

// TestFake_PrintedByValue: of a Fake that is part of another value fmt prints
// the fields, which show where the calls are, not what they said.
func TestFake_PrintedByValue(t *testing.T) {
	t.Parallel()
	var suite struct {
		Fake bizppuriotest.Fake
		fake bizppuriotest.Fake
	}
	for _, f := range []*bizppuriotest.Fake{&suite.Fake, &suite.fake} {
		if _, err := f.Send(t.Context(), letter("order-1")); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		unmasked(t, verb, fmt.Sprintf(verb, &suite), []string{to, "0200000000", "hello"})
	}
}

func unmasked(t *testing.T, how, printed string, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(strings.ToLower(printed), secret) {
			t.Errorf("%s prints %s, which shows %q", how, printed, secret)
		}
	}
}
