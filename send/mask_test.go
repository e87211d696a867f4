package send_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

const canary = "01099998888"

// filled returns a value of v's type in which every string is the canary.
func filled(v reflect.Type, depth int) reflect.Value {
	out := reflect.New(v).Elem()
	switch v.Kind() { //nolint:exhaustive // the other kinds hold no text
	case reflect.String:
		out.SetString(canary)
	case reflect.Int64, reflect.Int:
		out.SetInt(1099998888)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).IsExported() && depth < 6 {
				out.Field(i).Set(filled(v.Field(i).Type, depth+1))
			}
		}
	case reflect.Pointer:
		out.Set(reflect.New(v.Elem()))
		out.Elem().Set(filled(v.Elem(), depth+1))
	case reflect.Slice:
		if v.Elem().Kind() == reflect.Uint8 {
			out.SetBytes([]byte(canary))
			break
		}
		out.Set(reflect.MakeSlice(v, 1, 1))
		out.Index(0).Set(filled(v.Elem(), depth+1))
	case reflect.Map:
		out.Set(reflect.MakeMap(v))
		out.SetMapIndex(filled(v.Key(), depth+1), filled(v.Elem(), depth+1))
	case reflect.Interface:
		switch v {
		case reflect.TypeFor[send.Content]():
			out.Set(reflect.ValueOf(send.SMS{Text: canary}))
		case reflect.TypeFor[io.Reader]():
			out.Set(reflect.ValueOf(strings.NewReader(canary)))
		}
	}
	return out
}

// TestMasked covers case 71: no way of printing shows a number, a text or a
// key, nor does a slog handler.
func TestMasked(t *testing.T) {
	t.Parallel()
	e, err := send.Encode(send.SMS{Text: canary})
	if err != nil {
		t.Fatal(err)
	}
	types := []any{
		send.Message{},
		send.SMS{},
		send.LMS{},
		send.MMS{},
		send.AlimTalk{},
		send.FriendTalk{},
		send.BrandMessage{},
		send.RCS{},
		send.TalkTalk{},
		send.Raw{},
		send.Button{},
		send.ItemList{},
		send.Item{},
		send.Highlight{},
		send.Link{},
		send.Upload{},
		send.Template{},
		send.RCSButton{},
		send.TalkTalkButton{},
		send.Coupon{},
		send.Carousel{},
		send.WideItemList{},
	}
	values := []any{e, *e}
	for _, v := range types {
		values = append(values, filled(reflect.TypeOf(v), 0).Interface())
	}
	for _, v := range values {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			t.Parallel()
			pointer := reflect.ValueOf(v)
			if pointer.Kind() != reflect.Pointer {
				pointer = reflect.New(reflect.TypeOf(v))
				pointer.Elem().Set(reflect.ValueOf(v))
			}
			for _, v := range []any{v, pointer.Interface(), []any{v}, struct{ V any }{v}} {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%10v", "%t"} {
					unmasked(t, verb, fmt.Sprintf(verb, v))
				}
			}
			unmasked(t, "String", v.(fmt.Stringer).String())
			unmasked(t, "GoString", v.(fmt.GoStringer).GoString())
			unmasked(t, "LogValue", v.(slog.LogValuer).LogValue().String())
			var b bytes.Buffer
			for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
				slog.New(h).Info("x", "value", v, "pointer", pointer.Interface())
			}
			unmasked(t, "slog", b.String())
		})
	}
}

func unmasked(t *testing.T, how, printed string) {
	t.Helper()
	hex := fmt.Sprintf("%x", canary[3:])
	if strings.Contains(printed, canary[3:]) || strings.Contains(strings.ToLower(printed), hex) {
		t.Errorf("%s prints %s, which shows what the value holds", how, printed)
	}
	if !strings.Contains(printed, "send.") {
		t.Errorf("%s prints %s, which does not name the type", how, printed)
	}
}

func TestMasked_NilPointers(t *testing.T) {
	t.Parallel()
	for _, v := range []any{(*send.SMS)(nil), (*send.Message)(nil), (*send.Encoded)(nil), (*send.Error)(nil)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if got := fmt.Sprintf(verb, v); !strings.Contains(got, "nil") || strings.Contains(got, "PANIC") {
				t.Errorf("Sprintf(%s, nil %T) = %q, want nil", verb, v, got)
			}
		}
	}
}

// leaky is a cause whose text is safe and whose fields are not.
type leaky struct{ URL string }

func (leaky) Error() string { return "no route to host" }

func TestError_Printing(t *testing.T) {
	t.Parallel()
	e := &send.Error{
		Outcome: send.NotSent, Reason: send.Unreachable, Code: 5002, Status: 429, RefKey: "order-0001",
		RetryAfter: time.Second, Err: &leaky{URL: canary},
	}
	text := "bizppurio: not_sent: unreachable (code 5002, status 429): no route to host"
	tests := map[string]string{
		"%v": text, "%+v": text, "%s": text, "%q": `"` + text + `"`,
		"%#v": `send.Error{Outcome:not_sent, Reason:"unreachable", Code:5002, Status:429, RetryAfter:1s}`,
	}
	for verb, want := range tests {
		for _, v := range []any{e, *e} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("Sprintf(%s, %T) = %s, want %s", verb, v, got, want)
			}
		}
	}
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "err", e, "value", *e, "wrapped", fmt.Errorf("send: %w", e))
	if strings.Contains(b.String(), canary[3:]) || strings.Count(b.String(), "no route to host") != 3 {
		t.Errorf("slog prints %s, want the text three times and nothing else", b.String())
	}
}

func TestError_Text(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  *send.Error
		want string
	}{
		{"nil", nil, "bizppurio: unknown"},
		{"zero", &send.Error{}, "bizppurio: unknown"},
		{"code", &send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: 2000}, "bizppurio: rejected: refused (code 2000)"},
		{"status", &send.Error{Reason: send.VendorFault, Status: 502}, "bizppurio: unknown: vendor_fault (status 502)"},
		{"decided here", &send.Error{Outcome: send.NotSent, Reason: send.CircuitOpen}, "bizppurio: not_sent: circuit_open (decided here)"},
		{"cause", &send.Error{Outcome: send.Rejected, Reason: send.Invalid, Err: errors.New("To: required")}, "bizppurio: rejected: invalid: To: required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("Error() = %q, want %q", got, tt.want)
			}
		})
	}
}
