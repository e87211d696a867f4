package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
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
		all = append(all, fmt.Sprintf("%s %s", strings.NewReplacer("lines ", "", "line ", "", " to ", "-").Replace(r.where()), text))
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
			"line breaks in quotes, and blank lines", []byte("memo,to,이름,쿠폰\n\"a\nb\",01012345678,하늘,A1\n\n\r\n,01012345678,별,A2\n,\"0101234\n5678\",별,A3\n,01012345678,\"별,A4\r\n,01012345678,\",A5\n,01012345678,별,A6"), "",
			[]string{"2-3 하늘님, 쿠폰 A1", "6 별님, 쿠폰 A2", `7-8 bad: a line break in "to"`, `9-10 bad: a line break in "이름"`, "11 별님, 쿠폰 A6"},
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
			[]string{"2 하늘님, 쿠폰 A1", "3 bad: the refkey of line 2", "4 별님, 쿠폰 A3", "5 별님, 쿠폰 A4"},
		},
		{
			"the same to the same number",
			[]byte("to,refkey,memo,이름,쿠폰\n010-1234-5678,k1,x,하늘,A1\n01012345678,,y,하늘,A1\n+82 10-1234-5678,k3,,하늘,A1\n01012345678,,,하늘,A2\n"), "",
			[]string{"2 하늘님, 쿠폰 A1", "3 bad: the same as line 2", "4 bad: the same as line 2", "5 하늘님, 쿠폰 A2"},
		},
		{
			"a quote that breaks later", []byte(header + "01011111111,\"하늘,A1\n01022222222,별,A2\n01044444444,해 \"빛\",A4\n01055555555,비,A5\n"), "",
			[]string{`2-4 bad: extraneous or missing " in quoted-field`, "5 비님, 쿠폰 A5"},
		},
		{
			"a quote in the last line", []byte(header + "01011111111,별,A1\n01022222222,\"하늘,A2\n"), "",
			[]string{"2 별님, 쿠폰 A1", `3 bad: extraneous or missing " in quoted-field`},
		},
		{
			"only what was not sent", []byte("to,이름,쿠폰,result_outcome,result_row,result_campaign\n" +
				"01012345678,하늘,A1,unknown,2,c1\n01012345678,별,A2,not_sent,30,c1\n01012345678,별,A3,accepted,4,c1\n01012345678,별,A4,rejected,5,c1\n01012345678,별,A5,,6,c1\n" +
				"01012345678,별,A6,not_sent,30,c1\n01012345678,별,A7,not_sent,x,c1\n01012345678,별,A8,not_sent,9,c2\n"), "not_sent",
			[]string{"3 별님, 쿠폰 A2", "7 bad: the row of line 3", "8 bad: result_row: not the number of a line", "9 bad: of another campaign than the first row"},
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
		{"a result file", []byte("to,이름,쿠폰,result_outcome\n"), options{}, []string{"result_outcome", "-only not_sent"}},
		{"no result file", []byte(header), options{only: "not_sent"}, []string{`no column "result_outcome"`, `"result_row"`, `"result_campaign"`}},
		{"UTF-16", []byte(utf16), options{}, []string{"UTF-16"}},
		{"neither", []byte(header + "01012345678,\xff\xff\xff,A\n"), options{}, []string{"line 2", "neither"}},
		{"EUC-KR said to be UTF-8", eucKR(t, "to,memo,a\n1,2,3\n4,하늘,5\n"), options{encoding: utf8Name}, []string{"line 3", "-encoding euc-kr"}},
		{"UTF-8 said to be EUC-KR", []byte(header + "01012345678,하늘\xed\x95,A\n"), options{encoding: eucKRName}, []string{"not EUC-KR"}},
		{"a quote that is not closed", []byte(header + "01012345678,\"하늘,A1\n01012345678,별,A2\n01012345678,별,A3\n"), options{}, []string{"lines 2 to 4", "quote"}},
		{"a quote that is not closed on the last line but one", []byte(header + "01012345678,\"하늘,A1\n01012345678,별,A2"), options{}, []string{"lines 2 to 3", "quote"}},
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

// TestResults_bad: what could not be sent is in the results as it was.
func TestResults_bad(t *testing.T) {
	t.Parallel()
	const quote = "01033333333,\"하늘,A1\n01044444444,해 \"빛\",A2"
	file := "to,이름,쿠폰\n01011111111,하늘,A1,extra\n01022222222,별\n" + quote + "\n1055555555,\"비, 눈\",A3\n01066666666,달,A4\n"
	l, err := parseList([]byte(file), options{}, coupon())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := results(&out, l, open(t, filepath.Join(t.TempDir(), "j"), l.campaign)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out.String(), bom))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, r := range records {
		got = append(got, []string{r[0], r[1], r[2], r[3], r[len(r)-3], r[len(r)-1]})
	}
	want := [][]string{
		{"to", "이름", "쿠폰", "result_outcome", "result_row", "result_bad_row"},
		{"", "", "", "rejected", "2", "01011111111,하늘,A1,extra"},
		{"", "", "", "rejected", "3", "01022222222,별"},
		{"", "", "", "rejected", "4", quote},
		{"1055555555", "비, 눈", "A3", "rejected", "6", "1055555555,\"비, 눈\",A3"},
		{"01066666666", "달", "A4", "not_sent", "7", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results() differ (-want +got):\n%s", diff)
	}
}
