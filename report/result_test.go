package report_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/report"
)

// Every code of the vendor's tables has a text, and only its codes of success
// count as delivered (spec 6).
func TestResult_Table(t *testing.T) {
	t.Parallel()
	tsv, err := os.ReadFile("../internal/codes/codes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	status := map[report.Result]report.Status{
		{Family: report.SMS, Code: 4100}:   report.Delivered,
		{Family: report.MMS, Code: 6600}:   report.Delivered,
		{Family: report.Kakao, Code: 7000}: report.Delivered,
		{Family: report.RCS, Code: 8000}:   report.Delivered,
		{Family: report.NTalk, Code: 5000}: report.Delivered,
		{Family: report.NTalk, Code: 5001}: report.Delivered,
		{Family: report.NTalk, Code: 5002}: report.Delivered,
		{Family: report.NTalk, Code: 5003}: report.Delivered,
		{Family: report.Kakao, Code: 7305}: report.Uncertain,
	}
	seen := map[report.Family]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(tsv)), "\n") {
		column := strings.Split(line, "\t")
		if i == 0 || column[0] == "api" {
			continue
		}
		code, err := strconv.Atoi(column[1])
		if err != nil {
			t.Fatal(err)
		}
		res := report.Result{Family: report.Family(column[0]), Code: code}
		seen[res.Family]++
		if got := res.Text(); got != column[4] {
			t.Errorf("%v.Text() = %q, want %q", res, got, column[4])
		}
		want, special := status[res]
		if !special {
			want = report.Failed
		}
		if got := (report.Report{Result: res}).Status(); got != want {
			t.Errorf("Status of %v = %s, want %s", res, got, want)
		}
	}
	for _, f := range []report.Family{report.SMS, report.MMS, report.Kakao, report.RCS, report.NTalk, report.Common} {
		if seen[f] == 0 {
			t.Errorf("family %s is not in the table", f)
		}
	}
	for _, res := range []report.Result{{}, {Family: report.SMS, Code: 4999}, {Family: report.SMS, Code: 5000}, {Code: 4100}} {
		if got := res.Text(); got != "" {
			t.Errorf("%v.Text() = %q, want none", res, got)
		}
	}
}

// Every row of the vendor's tables has its text when it comes in a report of
// that family's medium, and a code of one family is not explained by another's.
func TestResult_Text_decoded(t *testing.T) {
	t.Parallel()
	tsv, err := os.ReadFile("../internal/codes/codes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	media := map[string][]string{
		"sms": {"SMS", "ISM"}, "mms": {"LMS", "MMS"}, "kakao": {"KAT", "KFT", "UTF"}, "rcs": {"RSS", "RTS"}, "ntalk": {"NIT"},
		"common": {"SMS", "LMS", "KAT", "RSS", "NIT", "XYZ", ""},
	}
	rows := 0
	for _, line := range strings.Split(strings.TrimSpace(string(tsv)), "\n")[1:] {
		column := strings.Split(line, "\t")
		for _, medium := range media[column[0]] {
			rows++
			r := decodeOne(t, `{"MSGID":"m","MEDIA":"`+medium+`","RESULT":"`+column[1]+`"}`)
			if string(r.Result.Family) != column[0] || r.Result.Text() != column[4] {
				t.Errorf("%s %s as %q = %v %q, want %q", column[0], column[1], medium, r.Result, r.Result.Text(), column[4])
			}
		}
	}
	if rows < 1300 {
		t.Errorf("%d rows checked, want all", rows)
	}
	for _, medium := range []string{"KAT", "SMS", "XYZ", ""} {
		r := decodeOne(t, `{"MSGID":"m","MEDIA":"`+medium+`","RESULT":"9998"}`)
		if r.Result != (report.Result{Family: report.Common, Code: 9998}) || r.Result.Text() != "" {
			t.Errorf("9998 as %q = %v %q, want common and no text: it is RCS's own", medium, r.Result, r.Result.Text())
		}
	}
}

func decodeOne(t *testing.T, body string) report.Report {
	t.Helper()
	reports, err := report.Decode([]byte(body))
	if err != nil || len(reports) != 1 {
		t.Fatalf("Decode = %d reports, %v, want 1", len(reports), err)
	}
	return reports[0]
}

func TestStatus_String(t *testing.T) {
	t.Parallel()
	for s, want := range map[report.Status]string{
		report.Uncertain: "uncertain", report.Delivered: "delivered", report.Failed: "failed", -1: "uncertain", 3: "uncertain",
	} {
		if got := s.String(); got != want {
			t.Errorf("Status(%d).String() = %s, want %s", s, got, want)
		}
	}
	var zero report.Status
	if zero != report.Uncertain {
		t.Error("the zero Status is not Uncertain")
	}
}

// The fields of alternative send belong to the record (spec A13).
func TestReport_Status_Fallback(t *testing.T) {
	t.Parallel()
	kakao := func(code int) report.Result { return report.Result{Family: report.Kakao, Code: code} }
	tests := []struct {
		name string
		r    report.Report
		want report.Status
	}{
		{"kakao failed, SMS delivered", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "4100"}}, report.Delivered},
		{"kakao failed, LMS delivered", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: " 6600 "}}, report.Delivered},
		{"kakao failed, RCS delivered", report.Report{Result: kakao(7204), Fallback: report.Fallback{RCSRes: "8000"}}, report.Delivered},
		{"RCS failed, kakao delivered", report.Report{Result: report.Result{Family: report.RCS, Code: 8200}, Fallback: report.Fallback{KaoRes: "7000"}}, report.Delivered},
		{"no result of its own, SMS delivered", report.Report{Fallback: report.Fallback{TelRes: "4100"}}, report.Delivered},
		{"delivered, fallback failed", report.Report{Result: kakao(7000), Fallback: report.Fallback{TelRes: "4410"}}, report.Delivered},
		{"both failed", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "4410"}}, report.Failed},
		{"all three failed", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "6606", RCSRes: "9070"}}, report.Failed},
		{"kakao failed, SMS unreadable", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "OK"}}, report.Uncertain},
		{"kakao uncertain, SMS failed", report.Report{Result: kakao(7305), Fallback: report.Fallback{TelRes: "4410"}}, report.Uncertain},
		{"RCS failed, kakao uncertain", report.Report{Result: report.Result{Family: report.RCS, Code: 8200}, Fallback: report.Fallback{KaoRes: "7305"}}, report.Uncertain},
		{"no result of its own, SMS failed", report.Report{Fallback: report.Fallback{TelRes: "4410"}}, report.Uncertain},
		{"blank is absent", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: " ", KaoRes: ""}}, report.Failed},

		// A number of another family is no success (spec A37).
		{"kakao's success as a carrier's", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "7000"}}, report.Failed},
		{"a carrier's success as kakao's", report.Report{Result: kakao(7204), Fallback: report.Fallback{KaoRes: "4100"}}, report.Failed},
		{"5000 is no carrier's", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelRes: "5000", KaoRes: "5000", RCSRes: "5000"}}, report.Failed},
		{"times and flags say nothing", report.Report{Result: kakao(7204), Fallback: report.Fallback{TelTime: "4100", RetryFlag: "4100", ResendFlag: "4100"}}, report.Failed},
		{"the code alone tells the family", report.Report{Result: report.Result{Code: 4100}}, report.Delivered},
		{"nothing at all", report.Report{}, report.Uncertain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.r.Status(); got != tt.want {
				t.Errorf("Status() = %s, want %s", got, tt.want)
			}
		})
	}
}
