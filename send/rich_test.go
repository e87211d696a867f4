package send_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

// richContent returns content.<type> of the body of a message that says c,
// and the type.
func richContent(t *testing.T, c send.Content) (kind string, content json.RawMessage) {
	t.Helper()
	m := send.Message{To: "01000000000", From: "0200000000", RefKey: "order-0001", Content: c}
	b, err := m.AppendBody(nil, "acct01")
	if err != nil {
		t.Fatalf("AppendBody() = %v, want nil", err)
	}
	var body struct {
		Type    string                     `json:"type"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatalf("body is no JSON: %v", err)
	}
	if len(body.Content) != 1 {
		t.Fatalf("content has %d keys, want 1", len(body.Content))
	}
	return body.Type, body.Content[body.Type]
}

// sameJSON compares two JSON texts as values.
func sameJSON(t *testing.T, got, want []byte) string {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("not JSON: %v: %s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("not JSON: %v: %s", err, want)
	}
	return cmp.Diff(w, g)
}

// checkVendorForm decodes the vendor's JSON into a T, and wants to get it
// back: from the message, through Encode, and through the message's own JSON
// with the type kept.
func checkVendorForm[T send.Content](t *testing.T, kind, vendor string, withKind func(T) T) {
	t.Helper()
	var c T
	if err := json.Unmarshal([]byte(vendor), &c); err != nil {
		t.Fatalf("Unmarshal() = %v, want nil", err)
	}
	c = withKind(c)
	m := send.Message{To: "01000000000", From: "0200000000", RefKey: "order-0001", Content: c}
	if err := m.Validate(); err != nil {
		t.Fatalf("Validate() = %v, want nil", err)
	}
	e, err := send.Encode(c)
	if err != nil {
		t.Fatalf("Encode() = %v, want nil", err)
	}
	for name, as := range map[string]send.Content{"value": c, "encoded": e} {
		gotKind, got := richContent(t, as)
		if gotKind != kind {
			t.Errorf("%s: type = %q, want %q", name, gotKind, kind)
		}
		if diff := sameJSON(t, got, []byte(vendor)); diff != "" {
			t.Errorf("%s: body differs (-want +got):\n%s", name, diff)
		}
	}

	b, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("Marshal(message) = %v, want nil", err)
	}
	var back send.Message
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatalf("Unmarshal(message) = %v, want nil", err)
	}
	if _, ok := back.Content.(T); !ok {
		t.Fatalf("content came back as %T, want %T", back.Content, c)
	}
	if diff := cmp.Diff(send.Content(c), back.Content); diff != "" {
		t.Errorf("content came back changed (-want +got):\n%s", diff)
	}
}

// richFields returns the names of the fields that err complains of, sorted.
func richFields(t *testing.T, err error) []string {
	t.Helper()
	var names []string
	var walk func(error)
	walk = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				walk(e)
			}
		} else if field, ok := errors.AsType[*send.FieldError](err); ok {
			names = append(names, field.Field)
		} else if err != nil {
			t.Fatalf("not a FieldError: %T", err)
		}
	}
	walk(err)
	slices.Sort(names)
	return slices.Compact(names)
}

// checkFields wants the content to be refused for exactly these fields, given
// without "Content." before them; none: accepted. Values, pointers and
// messages are checked alike.
func checkFields(t *testing.T, value, pointer send.Content, want ...string) {
	t.Helper()
	for i, w := range want {
		want[i] = "Content." + w
	}
	slices.Sort(want)
	for name, c := range map[string]send.Content{"value": value, "pointer": pointer} {
		_, err := send.Encode(c)
		if diff := cmp.Diff(want, richFields(t, err)); diff != "" {
			t.Errorf("%s: fields differ (-want +got):\n%s", name, diff)
		}
		m := send.Message{To: "01000000000", From: "0200000000", Content: c}
		if diff := cmp.Diff(want, richFields(t, m.Validate())); diff != "" {
			t.Errorf("%s: fields of the message differ (-want +got):\n%s", name, diff)
		}
	}
}

// hangul returns n syllables: n characters, 3n bytes.
func hangul(n int) string { return strings.Repeat("가", n) }

// checkMasked prints v in every way and looks for the canary.
func checkMasked(t *testing.T, v any) {
	t.Helper()
	const canary = "CANARY"
	truth, err := json.Marshal(v)
	if err != nil || !strings.Contains(string(truth), canary) {
		t.Fatalf("json.Marshal(%T) = %s, %v, want the canary in it", v, truth, err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&log, verb, v)
	}
	if s, ok := v.(fmt.Stringer); ok {
		log.WriteString(s.String())
	}
	if s, ok := v.(fmt.GoStringer); ok {
		log.WriteString(s.GoString())
	}
	if strings.Contains(log.String(), canary) || strings.Contains(log.String(), fmt.Sprintf("%x", canary)) {
		t.Errorf("%T shows its content: %s", v, log.String())
	}
}
