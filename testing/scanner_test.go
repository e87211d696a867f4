package bizppuriotest_test

import (
	"slices"
	"strings"
	"testing"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func TestScanner(t *testing.T) {
	t.Parallel()
	const one = `POST / HTTP/1.1` + "\r\n\r\n" + `{"type":"sms","refkey":"order-1","content":{}}`
	bytewise := strings.Split(one+one, "")
	for name, c := range map[string]struct {
		pieces, want []string
	}{
		"nothing":          {[]string{"GET / HTTP/1.1\r\n\r\n"}, nil},
		"one":              {[]string{one}, []string{"order-1"}},
		"two":              {[]string{one + one}, []string{"order-1", "order-1"}},
		"byte by byte":     {bytewise, []string{"order-1", "order-1"}},
		"cut in its value": {[]string{one[:strings.Index(one, "-1")]}, nil},
		"white space":      {[]string{`"refkey" :`, "\n", ` "a"`}, []string{"a"}},
		"escapes":          {[]string{`"refkey":"\"`, `\u0041\\"`}, []string{`"A\`}},
		"Hangul":           {[]string{`"refkey":"주`, `문"`}, []string{"주문"}},
		"a number":         {[]string{`"refkey":1`, strings.Repeat(" ", 600), one}, []string{"order-1"}},
		"no value":         {[]string{`"refkey"`, strings.Repeat("x", 600), one}, []string{"order-1"}},
		"an endless value": {[]string{`"refkey":"`, strings.Repeat("x", 600), `"`, one}, []string{"order-1"}},
		"in a text":        {[]string{`{"message":"\"refkey\":\"x\""}`}, nil},
		"a long body":      {[]string{strings.Repeat(" ", 1<<20), one}, []string{"order-1"}},
		"a bad escape":     {[]string{`"refkey":"\x"`, strings.Repeat(" ", 600), one}, []string{"order-1"}},
	} {
		if got := bizppuriotest.Scan(c.pieces...); !slices.Equal(got, c.want) {
			t.Errorf("%s: Scan = %q, want %q", name, got, c.want)
		}
	}
}
