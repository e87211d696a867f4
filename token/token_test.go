package token_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/token"
)

const canary = "canary-7f3a"

func TestToken_PrintsRedacted(t *testing.T) {
	t.Parallel()
	tok := token.Token{Value: canary, Expires: time.Now()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s"} {
		if got := fmt.Sprintf(verb, tok); got != "REDACTED" {
			t.Errorf("Sprintf(%q, token) = %q, want REDACTED", verb, got)
		}
		if got := fmt.Sprintf(verb, &tok); got != "REDACTED" {
			t.Errorf("Sprintf(%q, &token) = %q, want REDACTED", verb, got)
		}
		got := fmt.Sprintf(verb, struct{ T []token.Token }{[]token.Token{tok}})
		if !strings.Contains(got, "REDACTED") || strings.Contains(got, canary) {
			t.Errorf("Sprintf(%q, struct) = %q, want REDACTED in it", verb, got)
		}
	}
	if got := tok.String() + tok.GoString() + tok.LogValue().String(); got != "REDACTEDREDACTEDREDACTED" {
		t.Errorf("String, GoString, LogValue = %q, want REDACTED each", got)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", tok, "list", []token.Token{tok})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", tok)
	if strings.Contains(log.String(), canary) {
		t.Errorf("slog = %s, want no token in it", log.String())
	}
}

// A Cache that is printed by mistake shows no token either.
func TestCache_PrintsNoToken(t *testing.T) {
	t.Parallel()
	s := &store{}
	s.put("", token.Token{Value: canary, Expires: time.Now().Add(day)})
	c := open(t, (&vendor{life: day}).fetch, token.Options{Store: s})
	tok := checkValue(t, c, canary)
	checkNoCanary(t, c)
	c.Invalidate(tok)
	checkNoCanary(t, c)
}

func checkNoCanary(t *testing.T, c *token.Cache) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, c); strings.Contains(got, canary) {
			t.Errorf("Sprintf(%q, cache) = %s, want no token in it", verb, got)
		}
	}
}

func TestToken_JSON(t *testing.T) {
	t.Parallel()
	want := token.Token{Value: canary, Expires: time.Date(2026, 4, 29, 18, 55, 20, 0, time.FixedZone("", 9*60*60))}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), `{"value":"canary-7f3a","expires":"2026-04-29T18:55:20+09:00"}`; got != want {
		t.Errorf("Marshal(token) = %s, want %s", got, want)
	}
	var got token.Token
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Unmarshal(Marshal(token)) (-want +got):\n%s", diff)
	}
}
