package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"

	"github.com/go-bizppurio/sdk/send"
)

func coupon() send.Template {
	return send.Template{SenderKey: "SENDERKEY", Code: "COUPON01", Text: "#{이름}님, 쿠폰 #{쿠폰}"}
}

func eucKR(t *testing.T, s string) []byte {
	t.Helper()
	b, err := korean.EUCKR.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(b)
}

// sketch is what a list comes to: a line for each row.
func sketch(l *list) []string {
	var all []string
	for _, r := range l.rows {
		text := ""
		if a, ok := r.message.Content.(send.AlimTalk); ok {
			text = a.Text
		}
		if r.bad != nil {
			text = "bad: " + strings.ReplaceAll(r.bad.Error(), "\n", "; ")
		}
		all = append(all, fmt.Sprintf("%d %s", r.line, text))
	}
	return all
}

func TestParseList(t *testing.T) {
	t.Parallel()
	const header = "to,이름,쿠폰\n"
	tests := []struct {
		name string
		file []byte
		only string
		want []string
	}{
		{"plain", []byte(header + "010-1234-5678,하늘,A1\n"), "", []string{"2 하늘님, 쿠폰 A1"}},
		{"no line break at the end", []byte(header + "01012345678,하늘,A1"), "", []string{"2 하늘님, 쿠폰 A1"}},
		{"BOM and CR LF", []byte(bom + "to,이름,쿠폰\r\n01012345678,하늘,A1\r\n"), "", []string{"2 하늘님, 쿠폰 A1"}},
		{"other order, spaces in the header", []byte("쿠폰, to ,이름\nA1,01012345678,하늘\n"), "", []string{"2 하늘님, 쿠폰 A1"}},
		{"columns nobody uses", []byte("memo,to,이름,쿠폰\nx,01012345678,하늘,A1\n"), "", []string{"2 하늘님, 쿠폰 A1"}},
		{"EUC-KR", eucKR(t, header+"01012345678,뷁똠,A1\r\n"), "", []string{"2 뷁똠님, 쿠폰 A1"}},
		{"quotes", []byte(header + `01012345678,"하늘, ""별""",A1` + "\n"), "", []string{`2 하늘, "별"님, 쿠폰 A1`}},
		{
			"a line break in quotes, and blank lines", []byte(header + "01012345678,\"하\n늘\",A1\n\n\n01012345678,별,A2\n"), "",
			[]string{"2 하\n늘님, 쿠폰 A1", "6 별님, 쿠폰 A2"},
		},
		{
			"bad rows", []byte(header + "1012345678,하늘,A1\n01012345678,하늘\n01012345678,하\"늘,A1\n,별,A2\n01012345678,#{x},A1\n01012345678,별,A2\n"), "",
			[]string{
				"2 bad: To: not a number in Korea; a number abroad needs Country", "3 bad: 2 fields, want 3",
				`4 bad: bare " in non-quoted-field`, "5 bad: To: required",
				"6 bad: Text: a variable is left over; Variables[이름]: holds a variable itself", "7 별님, 쿠폰 A2",
			},
		},
		{
			"a refkey twice", []byte("to,refkey,이름,쿠폰\n01012345678,k1,하늘,A1\n01012345678,k1,별,A2\n01012345678,,별,A3\n01012345678,,별,A4\n"), "",
			[]string{"2 하늘님, 쿠폰 A1", "3 bad: the refkey of line 2 again", "4 별님, 쿠폰 A3", "5 별님, 쿠폰 A4"},
		},
		{
			"only what was not sent", []byte("row,to,이름,쿠폰,refkey,outcome,messagekey\n2,01012345678,하늘,A1,k1,unknown,\n3,01012345678,별,A2,k2,not_sent,\n4,01012345678,별,A3,k3,accepted,m\n5,01012345678,별,A4,k4,rejected,\n6,01012345678,별,A5,k5,,\n"), "not_sent",
			[]string{"3 별님, 쿠폰 A2"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := parseList(tt.file, options{only: tt.only}, coupon())
			if err != nil {
				t.Fatalf("parseList() = %v, want nil", err)
			}
			if diff := cmp.Diff(tt.want, sketch(l)); diff != "" {
				t.Errorf("parseList() differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseList_refuses(t *testing.T) {
	t.Parallel()
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("to,이름,쿠폰\n")
	if err != nil {
		t.Fatal(err)
	}
	const header = "to,이름,쿠폰\n"
	tests := []struct {
		name string
		file []byte
		o    options
		want []string // in the error
	}{
		{"empty", nil, options{}, []string{"header"}},
		{"no recipient", []byte("이름,쿠폰\n"), options{}, []string{`no column "to"`}},
		{"variables missing", []byte("to\n"), options{}, []string{`"이름"`, `"쿠폰"`}},
		{"a column twice", []byte("to,to,이름,쿠폰\n"), options{}, []string{`"to" is there twice`}},
		{"a result file", []byte("to,이름,쿠폰,outcome,messagekey\n"), options{}, []string{"-only not_sent"}},
		{"no result file", []byte(header), options{only: "not_sent"}, []string{`no column "outcome"`}},
		{"UTF-16", []byte(utf16), options{}, []string{"UTF-16"}},
		{"neither", []byte(header + "01012345678,\xff\xff\xff,A\n"), options{}, []string{"line 2", "neither"}},
		{"EUC-KR said to be UTF-8", eucKR(t, "to,memo,a\n1,2,3\n4,하늘,5\n"), options{encoding: utf8Name}, []string{"line 3", "-encoding euc-kr"}},
		{"UTF-8 said to be EUC-KR", []byte(header + "01012345678,하늘\xed\x95,A\n"), options{encoding: eucKRName}, []string{"not EUC-KR"}},
		{"a quote that is not closed", []byte(header + "01012345678,\"하늘,A1\n01012345678,별,A2\n01012345678,별,A3\n"), options{}, []string{"line 2", "quote"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := parseList(tt.file, tt.o, coupon())
			if err == nil {
				t.Fatalf("parseList() = %v, nil, want an error", sketch(l))
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("parseList() = %v, want %q in it", err, want)
				}
			}
		})
	}
}
