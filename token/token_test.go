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

// The panic of a fetch may hold a secret: it is for the program, not for logs.
func TestPanicError_PrintsNoValue(t *testing.T) {
	t.Parallel()
	const text = "token: fetch function panicked"
	p := &token.PanicError{Value: canary, Stack: []byte(canary)}
	hex := fmt.Sprintf("%x", canary)
	for _, v := range []any{p, *p, struct{ E any }{*p}, []token.PanicError{*p}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, canary) || strings.Contains(strings.ToLower(got), hex) {
				t.Errorf("Sprintf(%q, %T) = %s, want no value in it", verb, v, got)
			}
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "err", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "err", v)
		b, err := json.Marshal(v)
		if got := log.String() + string(b); strings.Contains(got, canary) || err != nil {
			t.Errorf("slog and json.Marshal(%T) = %s, %v, want no value in it", v, got, err)
		}
	}
	for _, v := range []error{p, *p} {
		if got, want := fmt.Sprintf("%v", fmt.Errorf("no token: %w", v)), "no token: "+text; got != want {
			t.Errorf("Sprintf(wrapped %T) = %s, want %s", v, got, want)
		}
		if got := fmt.Sprintf("%v %+v %#v %s", v, v, v, v); got != strings.Join([]string{text, text, text, text}, " ") {
			t.Errorf("Sprintf(%T) = %s, want the text of the error", v, got)
		}
	}
}
