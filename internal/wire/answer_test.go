package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/internal/wire"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       wire.Answer
		err        error
	}{
		{name: "success", body: `{"code":1000,"description":"Success","refkey":"r-1","messagekey":"k#1"}`, want: wire.Answer{Code: 1000, HasCode: true, RefKey: "r-1", MessageKey: "k#1"}},
		{name: "text code", body: `{"code":"1000"}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "text code with spaces", body: `{"code":" 1000 "}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "point zero", body: `{"code":1000.00}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "fraction", body: `{"code":1000.5}`},
		{name: "exponent", body: `{"code":1e3}`},
		{name: "negative", body: `{"code":-1000}`},
		{name: "text with a fraction", body: `{"code":"1000.0"}`},
		{name: "nine digits", body: `{"code":999999999}`, want: wire.Answer{Code: 999999999, HasCode: true}},
		{name: "ten digits", body: `{"code":9999999999}`},
		{name: "zero", body: `{"code":0}`, want: wire.Answer{HasCode: true}},
		{name: "null", body: `{"code":null}`},
		{name: "object", body: `{"code":{"code":1000}}`},
		{name: "array", body: `{"code":[1000]}`},
		{name: "other spelling", body: `{"Code":1000}`},
		{name: "escaped key", body: `{"\u0063ode":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "inner code", body: `{"a":{"code":3001,"b":["}",{"code":1}]},"code":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "string with a brace", body: `{"description":"a\"}{,","code":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "byte order mark", body: "\ufeff \r\n{\"code\":1000}\n", want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "spaces", body: "{ \"code\" :\t1000 , \"messagekey\" : 12 }", want: wire.Answer{Code: 1000, HasCode: true, MessageKey: "12"}},
		{name: "same code twice", body: `{"code":1000,"code":"1000"}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "two codes", body: `{"code":3001,"code":1000}`, err: wire.ErrContradicts},
		{name: "code and null", body: `{"code":1000,"code":null}`, err: wire.ErrContradicts},
		{name: "two refkeys", body: `{"refkey":"a","code":1000,"refkey":"b"}`, err: wire.ErrContradicts},
		{name: "refkey with space", body: `{"refkey":" a "}`, want: wire.Answer{RefKey: "a"}},
		{name: "refkey as a number", body: `{"refkey":7}`, want: wire.Answer{RefKey: "7"}},
		{name: "refkey null", body: `{"refkey":null}`},
		{name: "refkey odd", body: `{"refkey":["a"]}`, want: wire.Answer{OddEcho: true}},
		{name: "file key", body: `{"filekey":" k "}`, want: wire.Answer{FileKey: "k"}},
		{name: "file key as a number", body: `{"filekey":12}`},
		{name: "token", body: `{"accesstoken":"t","expired":20261201120000}`, want: wire.Answer{Token: "t", Expired: "20261201120000"}},
		{name: "messagekey null", body: `{"messagekey":null}`},
		{name: "messagekey object", body: `{"messagekey":{}}`},
		{name: "empty object", body: `{}`},
		{name: "empty", body: ``, err: wire.ErrUnreadable},
		{name: "array of one", body: `[{"code":1000}]`, err: wire.ErrUnreadable},
		{name: "text", body: `"1000"`, err: wire.ErrUnreadable},
		{name: "truncated", body: `{"code":1000`, err: wire.ErrUnreadable},
		{name: "garbage behind", body: `{"code":1000}<`, err: wire.ErrUnreadable},
		{name: "two objects", body: `{"code":1000}{"code":1000}`, err: wire.ErrUnreadable},
		{name: "trailing comma", body: `{"code":1000,}`, err: wire.ErrUnreadable},
		{name: "deep nesting", body: `{"code":1000,"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, err: wire.ErrUnreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Decode([]byte(tt.body))
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("Decode(%s) error = %v, want %v", tt.name, err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decode(%s) mismatch (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

// TestDecodeAnyCase: what report.Decode takes for the code of an envelope.
func TestDecodeAnyCase(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       wire.Answer
		err        error
	}{
		{name: "lower case", body: `{"code":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "upper case", body: `{"CODE":"1000","REPORT":[]}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "capital", body: `{"Code":3004}`, want: wire.Answer{Code: 3004, HasCode: true}},
		{name: "escaped key", body: `{"\u0043ODE":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "blanks and strokes", body: `{" CO_D-E":1000}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "other words", body: `{"CODES":1000,"A":{"CODE":1000},"ＣＯＤＥ":1000}`},
		{name: "the same twice", body: `{"code":1000,"CODE":"1000"}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "two codes", body: `{"code":1000,"CODE":3004}`, err: wire.ErrContradicts},
		{name: "null is none", body: `{"code":null,"CODE":1000,"Code":null}`, want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "white space before the mark", body: "\n \ufeff\t{\"CODE\":1000}\r\n", want: wire.Answer{Code: 1000, HasCode: true}},
		{name: "array", body: `[{"CODE":1000}]`, err: wire.ErrUnreadable},
		{name: "truncated", body: `{"CODE":1000`, err: wire.ErrUnreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.DecodeAnyCase([]byte(tt.body))
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("DecodeAnyCase(%s) error = %v, want %v", tt.name, err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("DecodeAnyCase(%s) mismatch (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

func TestAnswer_Echoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer wire.Answer
		want   bool
	}{
		{"none", wire.Answer{}, true},
		{"same", wire.Answer{RefKey: "r-1"}, true},
		{"other", wire.Answer{RefKey: "r-2"}, false},
		{"longer", wire.Answer{RefKey: "r-11"}, false},
		{"odd", wire.Answer{OddEcho: true}, false},
	}
	for _, tt := range tests {
		if got := tt.answer.Echoes("r-1"); got != tt.want {
			t.Errorf("%s: Echoes(r-1) = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzDecode holds Decode against encoding/json: it never panics, reads only
// valid objects, and finds the code that a plain decoding finds.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"code":1000,"refkey":"r","messagekey":"k"}`, `{"code":"1000"}`, `{"code":3001,"code":1000}`,
		`{"a":{"code":1},"code":2}`, "\ufeff{}", `{"\u0063ode":1000}`, `{"a":"\\\"","code":1}`, `[]`, `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := wire.Decode(body)
		trimmed := strings.TrimPrefix(string(body), "\ufeff")
		var members map[string]json.RawMessage
		plain := json.Unmarshal([]byte(trimmed), &members)
		if err == nil && plain != nil {
			t.Fatalf("Decode accepts what is no JSON object: %q", body)
		}
		if err != nil {
			if got != (wire.Answer{}) {
				t.Fatalf("Decode(%q) = %+v beside an error", body, got)
			}
			return
		}
		var n int
		if json.Unmarshal(members["code"], &n) == nil && n >= 0 && n < 1e9 && string(members["code"]) != "null" && len(members["code"]) > 0 {
			if !got.HasCode || got.Code != n {
				t.Fatalf("Decode(%q) code = %d (%v), want %d", body, got.Code, got.HasCode, n)
			}
		}
	})
}
