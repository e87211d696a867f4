package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/report"
)

// TestDecode_Vectors runs testdata/reports.json: the forms that the vendor's
// documents show or leave open (spec 8: A1, A12, A13, A27, A37).
func TestDecode_Vectors(t *testing.T) {
	t.Parallel()
	var vectors []struct {
		Name   string
		Body   string
		Expect struct {
			Error   bool
			Reports []map[string]json.RawMessage
		}
	}
	raw, err := os.ReadFile("testdata/reports.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 60 {
		t.Fatalf("%d vectors, want all", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			got, err := report.Decode([]byte(v.Body))
			if (err != nil) != v.Expect.Error {
				t.Fatalf("Decode error = %v, want error %t", err, v.Expect.Error)
			}
			if len(got) != len(v.Expect.Reports) {
				t.Fatalf("Decode = %d reports, want %d", len(got), len(v.Expect.Reports))
			}
			for i, want := range v.Expect.Reports {
				for field, value := range want {
					checkField(t, got[i], field, value)
				}
			}
		})
	}
}

func checkField(t *testing.T, r report.Report, field string, want json.RawMessage) {
	t.Helper()
	var text string
	switch field {
	case "RefKey":
		text = r.RefKey
	case "MessageKey":
		text = r.MessageKey
	case "MessageID":
		text = r.MessageID
	case "To":
		text = r.To
	case "Medium":
		text = r.Medium
	case "Carrier":
		text = r.Carrier
	case "UserInfo":
		text = r.UserInfo
	case "Time":
		if !r.Time.IsZero() {
			text = r.Time.Format(time.RFC3339)
		}
	case "Status":
		var one string
		var any []string
		if json.Unmarshal(want, &one) == nil {
			any = []string{one}
		} else if err := json.Unmarshal(want, &any); err != nil {
			t.Fatal(err)
		}
		if got := r.Status().String(); !slices.Contains(any, got) {
			t.Errorf("Status() = %s, want %v", got, any)
		}
		return
	case "Result":
		var res struct {
			Family string
			Code   int
		}
		if err := json.Unmarshal(want, &res); err != nil {
			t.Fatal(err)
		}
		if got := (report.Result{Family: report.Family(res.Family), Code: res.Code}); r.Result != got {
			t.Errorf("Result = %v, want %v", r.Result, got)
		}
		return
	case "Fallback":
		var fields map[string]string
		if err := json.Unmarshal(want, &fields); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{
			"TELRES": r.Fallback.TelRes, "TELTIME": r.Fallback.TelTime,
			"KAORES": r.Fallback.KaoRes, "KAOTIME": r.Fallback.KaoTime,
			"RCSRES": r.Fallback.RCSRes, "RCSTIME": r.Fallback.RCSTime,
			"RETRY_FLAG": r.Fallback.RetryFlag, "RESEND_FLAG": r.Fallback.ResendFlag,
		}
		for k, v := range fields {
			if got[k] != v {
				t.Errorf("Fallback %s = %q, want %q", k, got[k], v)
			}
		}
		return
	default:
		t.Fatalf("vector field %s is not checked", field)
	}
	var wanted string
	if err := json.Unmarshal(want, &wanted); err != nil {
		t.Fatal(err)
	}
	if text != wanted {
		t.Errorf("%s = %q, want %q", field, text, wanted)
	}
}

func TestDecode_Fields(t *testing.T) {
	t.Parallel()
	sent := time.Unix(1777456620, 0).UTC()
	tests := []struct {
		name, body string
		want       report.Report // without Raw
	}{
		{
			"every key", `{"DEVICE":"AT","CMSGID":"k","MSGID":"m","PHONE":"p","MEDIA":"KAT","TO_NAME":"n","UNIXTIME":"1777456620","RESULT":"7000","USERDATA":"u","WAPINFO":"KAO",
			"TELRES":"1","TELTIME":"2","KAORES":"3","KAOTIME":"4","RCSRES":"5","RCSTIME":"6","RETRY_FLAG":"7","RESEND_FLAG":"8","REFKEY":"r"}`,
			report.Report{
				RefKey: "r", MessageKey: "k", MessageID: "m", To: "p", ToName: "n", Device: "AT", Medium: "KAT", Carrier: "KAO", UserInfo: "u",
				Result: report.Result{Family: report.Kakao, Code: 7000},
				Fallback: report.Fallback{
					TelRes: "1", TelTime: "2", KaoRes: "3", KaoTime: "4", RCSRes: "5", RCSTime: "6", RetryFlag: "7", ResendFlag: "8",
				},
				Time: sent,
			},
		},
		{"name with a blank", `{"MSGID":"m","TO NAME":"n"}`, report.Report{MessageID: "m", ToName: "n"}},
		{
			"lower case with underscores", `{"msgid":"m","to_name":"n","retry_flag":"1","resend_flag":"SMS"}`,
			report.Report{MessageID: "m", ToName: "n", Fallback: report.Fallback{RetryFlag: "1", ResendFlag: "SMS"}},
		},
		{"mixed case", `{"MsgId":"m","RefKey":"r"}`, report.Report{MessageID: "m", RefKey: "r"}},
		{"typo of unixtime", `{"MSGID":"m","UNIXTME":"1777456620"}`, report.Report{MessageID: "m", Time: sent}},
		{"typo beside an empty unixtime", `{"MSGID":"m","UNIXTIME":"","UNIXTME":"1777456620"}`, report.Report{MessageID: "m", Time: sent}},
		{"letters that only look alike", `{"MſGID":"x","MSGID":"m","ＲＥＦＫＥＹ":"r"}`, report.Report{MessageID: "m"}},
		{"odd types are empty", `{"MSGID":"m","PHONE":{"a":1},"MEDIA":["SMS"],"REFKEY":true,"UNIXTIME":{}}`, report.Report{MessageID: "m"}},
		{"values are kept as given", `{"MSGID":" m ","PHONE":"+82 10-0000-0000"}`, report.Report{MessageID: " m ", To: "+82 10-0000-0000"}},
		{
			"the same twice", `{"MSGID":"m","RESULT":"4100","result":4100,"MEDIA":"SMS"}`,
			report.Report{MessageID: "m", Medium: "SMS", Result: report.Result{Family: report.SMS, Code: 4100}},
		},
		{"null and a value", `{"MSGID":"m","REFKEY":null,"REFKEY":"r","refkey":null}`, report.Report{MessageID: "m", RefKey: "r"}},
		{"two that differ", `{"MSGID":"m","REFKEY":"a","REFKEY":"b"}`, report.Report{MessageID: "m"}},
		{"two that differ, then one of them again", `{"MSGID":"m","REFKEY":"a","REFKEY":"b","REFKEY":"b"}`, report.Report{MessageID: "m"}},
		{"only a refkey", `{"REFKEY":"r"}`, report.Report{RefKey: "r"}},
		{"a field called code", `{"MSGID":"m","CODE":"3000"}`, report.Report{MessageID: "m"}},
		{"a field called report", `{"MSGID":"m","REPORT":"x"}`, report.Report{MessageID: "m"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := report.Decode([]byte(tt.body))
			if err != nil || len(got) != 1 {
				t.Fatalf("Decode = %d reports, %v, want 1", len(got), err)
			}
			if string(got[0].Raw) != tt.body {
				t.Errorf("Raw = %s, want the body", got[0].Raw)
			}
			got[0].Raw = nil
			if diff := diff(tt.want, got[0]); diff != "" {
				t.Errorf("Decode (-want +got):\n%s", diff)
			}
		})
	}
}

// diff compares what JSON tells, because fmt prints reports masked.
func diff(want, got report.Report) string {
	w, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		return err.Error()
	}
	g, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		return err.Error()
	}
	return cmp.Diff(string(w), string(g))
}

func TestDecode_Result(t *testing.T) {
	t.Parallel()
	tests := []struct {
		result, media string // JSON
		want          report.Result
		status        report.Status
	}{
		{`"4100"`, `"SMS"`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
		{`4100`, `"sms"`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
		{`4100.0`, `" SMS "`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
		{`"\t4100\n"`, `"ISM"`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
		{`"6600"`, `"ILM"`, report.Result{Family: report.MMS, Code: 6600}, report.Delivered},
		{`"7000"`, `"UTF"`, report.Result{Family: report.Kakao, Code: 7000}, report.Delivered},
		{`"8000"`, `"RLT"`, report.Result{Family: report.RCS, Code: 8000}, report.Delivered},
		{`"5001"`, `"NBT"`, report.Result{Family: report.NTalk, Code: 5001}, report.Delivered},
		{`"7305"`, `"KFP"`, report.Result{Family: report.Kakao, Code: 7305}, report.Uncertain},
		{`"9070"`, `"NBT"`, report.Result{Family: report.Common, Code: 9070}, report.Failed},

		// An unknown medium, or none: the code tells the family.
		{`"4100"`, `"XYZ"`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
		{`"5000"`, `null`, report.Result{Family: report.NTalk, Code: 5000}, report.Delivered},
		{`"6600"`, `"FSD"`, report.Result{Family: report.MMS, Code: 6600}, report.Delivered},
		{`"7305"`, `""`, report.Result{Family: report.Kakao, Code: 7305}, report.Uncertain},
		{`"8000"`, `0`, report.Result{Family: report.RCS, Code: 8000}, report.Delivered},
		{`"9999"`, `null`, report.Result{Family: report.Common, Code: 9999}, report.Failed},
		{`"1000"`, `null`, report.Result{Code: 1000}, report.Failed},
		{`"41000"`, `null`, report.Result{Code: 41000}, report.Failed},

		// A number of another family is no success (spec A37).
		{`"4100"`, `"LMS"`, report.Result{Family: report.MMS, Code: 4100}, report.Failed},
		{`"5000"`, `"KAT"`, report.Result{Family: report.Kakao, Code: 5000}, report.Failed},
		{`"7000"`, `"RSS"`, report.Result{Family: report.RCS, Code: 7000}, report.Failed},
		{`"1000"`, `"SMS"`, report.Result{Family: report.SMS, Code: 1000}, report.Failed},

		// No readable code: never delivered.
		{`null`, `"SMS"`, report.Result{}, report.Uncertain},
		{`""`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"0"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"-4100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`-4100`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"+4100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"4100.0"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`4100.5`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"0x1004"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"4 100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"４１００"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`["4100"]`, `"SMS"`, report.Result{}, report.Uncertain},
		{`{"code":4100}`, `"SMS"`, report.Result{}, report.Uncertain},
		{`true`, `"SMS"`, report.Result{}, report.Uncertain},
		{`1e999`, `"SMS"`, report.Result{}, report.Uncertain},
		{`4294971396`, `"SMS"`, report.Result{}, report.Uncertain}, // 4100 in 32 bits
		{`18446744073709555716`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"999999999"`, `"SMS"`, report.Result{Family: report.SMS, Code: 999_999_999}, report.Failed},
		{`"1000000000"`, `"SMS"`, report.Result{}, report.Uncertain},

		// A second RESULT never makes a success of a failure (case 54).
		{`"4410","RESULT":"4100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"4100","result":"4410"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"4410","RESULT":"4100","RESULT":"4100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`{},"RESULT":"4100"`, `"SMS"`, report.Result{}, report.Uncertain},
		{`"4100","RESULT":null`, `"SMS"`, report.Result{Family: report.SMS, Code: 4100}, report.Delivered},
	}
	for _, tt := range tests {
		t.Run(tt.result+" "+tt.media, func(t *testing.T) {
			t.Parallel()
			got, err := report.Decode(fmt.Appendf(nil, `{"MSGID":"m","MEDIA":%s,"RESULT":%s}`, tt.media, tt.result))
			if err != nil || len(got) != 1 {
				t.Fatalf("Decode = %d reports, %v, want 1", len(got), err)
			}
			if r := got[0]; r.Result != tt.want || r.Status() != tt.status {
				t.Errorf("Decode = %v %s, want %v %s", r.Result, r.Status(), tt.want, tt.status)
			}
		})
	}
}

func TestDecode_Time(t *testing.T) {
	t.Parallel()
	tests := []struct{ value, want string }{
		{`"1777456620"`, "2026-04-29T09:57:00Z"},
		{`1777456620`, "2026-04-29T09:57:00Z"},
		{`1777456620.0`, "2026-04-29T09:57:00Z"},
		{`" 1777456620 "`, "2026-04-29T09:57:00Z"},
		{`"1"`, "1970-01-01T00:00:01Z"},
		{`"253402300799"`, "9999-12-31T23:59:59Z"},
		{`"253402300800"`, ""}, // not a time that JSON can hold
		{`"1777456620000"`, ""},
		{`"0"`, ""},
		{`-1`, ""},
		{`1.5`, ""},
		{`1e9`, ""},
		{`"20260429185700"`, ""},
		{`"2026-04-29 18:57:00"`, ""},
		{`99999999999999999999999999`, ""},
		{`null`, ""},
		{`[]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			reports, err := report.Decode(fmt.Appendf(nil, `{"MSGID":"m","UNIXTIME":%s}`, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if r := reports[0]; !r.Time.IsZero() {
				got = r.Time.Format(time.RFC3339)
			}
			if got != tt.want {
				t.Errorf("Time of %s = %q, want %q", tt.value, got, tt.want)
			}
			if _, err := json.Marshal(reports); err != nil {
				t.Errorf("Marshal: %v", err)
			}
		})
	}
}

func TestDecode_Envelope(t *testing.T) {
	t.Parallel()
	const entry = `{"msgid":"m","result":"4100"}`
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	tests := []struct {
		name, body string
		reports    int
		err        error
	}{
		{"one", `{"code":1000,"report":[` + entry + `]}`, 1, nil},
		{"code with a point", `{"code":1000.0,"report":[` + entry + `]}`, 1, nil},
		{"code as text, upper case", `{"CODE":" 1000 ","REPORT":[` + entry + `]}`, 1, nil},
		{"empty", `{"code":1000,"report":[]}`, 0, nil},
		{"null", `{"code":1000,"report":null}`, 0, nil},
		{"missing", `{"code":1000}`, 0, nil},
		{"mark and white space", "\n\ufeff {\"code\":1000,\"report\":[]} \r\n", 0, nil},
		{"an entry of something else", `{"code":1000,"report":[5,` + entry + `,{},"x",[]]}`, 5, nil},
		{"null entries", `{"code":1000,"report":[null,` + entry + `,null]}`, 1, nil},
		{"the batch beside keys of a report", `{"code":1000,"msgid":"x","result":"4100","report":[` + entry + `,` + entry + `]}`, 2, nil},
		{"code twice, agreeing", `{"code":1000,"code":"1000","report":[]}`, 0, nil},

		{"refused", `{"code":3004,"report":[` + entry + `]}`, 0, report.ErrRefused},
		{"refused as text", `{"code":"3004"}`, 0, report.ErrRefused},
		{"without code", `{"report":[` + entry + `]}`, 0, report.ErrRefused},
		{"code null", `{"code":null,"report":[]}`, 0, report.ErrRefused},
		{"code of text", `{"code":"OK","report":[]}`, 0, report.ErrRefused},
		{"code twice", `{"code":3004,"code":1000,"report":[]}`, 0, report.ErrRefused},
		{"code in two cases", `{"code":1000,"CODE":3004,"report":[]}`, 0, report.ErrRefused},

		{"report is text", `{"code":1000,"report":""}`, 0, report.ErrUnreadable},
		{"report is an object", `{"code":1000,"report":` + entry + `}`, 0, report.ErrUnreadable},
		{"report twice", `{"code":1000,"report":[],"report":[` + entry + `]}`, 0, report.ErrUnreadable},
		{"array of one", `[` + entry + `]`, 1, nil},
		{"array of reports", "\ufeff [" + entry + `,null, {"REFKEY":"r"},` + entry + `]`, 3, nil},
		{"array with entries of something else", `[5,` + entry + `,{},"x"]`, 4, nil},
		{"empty array", `[]`, 0, report.ErrUnreadable},
		{"array of nulls", `[null,null]`, 0, report.ErrUnreadable},
		{"array of something else", `[5,{"hello":"world"},[` + entry + `]]`, 0, report.ErrUnreadable},
		{"array of envelopes", `[{"code":1000,"report":[` + entry + `]}]`, 0, report.ErrUnreadable},
		{"array and something behind it", `[` + entry + `],`, 0, report.ErrUnreadable},
		{"two arrays", `[` + entry + `][` + entry + `]`, 0, report.ErrUnreadable},
		{"something else", `{"hello":"world"}`, 0, report.ErrUnreadable},
		{"empty object", `{}`, 0, report.ErrUnreadable},
		{"number", `4100`, 0, report.ErrUnreadable},
		{"null body", `null`, 0, report.ErrUnreadable},
		{"only a mark", "\ufeff", 0, report.ErrUnreadable},
		{"two marks", "\ufeff\ufeff" + entry, 0, report.ErrUnreadable},
		{"something behind it", entry + "x", 0, report.ErrUnreadable},
		{"comma behind it", entry + ",", 0, report.ErrUnreadable},
		{"NUL behind it", entry + "\x00", 0, report.ErrUnreadable},
		{"two objects", entry + entry, 0, report.ErrUnreadable},
		{"cut", entry[:len(entry)-3], 0, report.ErrUnreadable},
		{"trailing comma", `{"msgid":"m",}`, 0, report.ErrUnreadable},
		{"page", `<html></html>`, 0, report.ErrUnreadable},
		{"nested without end", `{"msgid":"m","x":` + deep + `}`, 0, report.ErrUnreadable},
		{"nested entry", `{"code":1000,"report":` + deep + `}`, 0, report.ErrUnreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := report.Decode([]byte(tt.body))
			if len(got) != tt.reports || !errors.Is(err, tt.err) {
				t.Fatalf("Decode = %d reports, %v, want %d, %v", len(got), err, tt.reports, tt.err)
			}
			switch {
			case err == nil && got == nil:
				t.Error("Decode = nil, want an empty slice")
			case err != nil && got != nil:
				t.Error("Decode gives reports beside an error")
			case err != nil && strings.ContainsAny(err.Error(), "345"):
				t.Errorf("error %q holds values of the body", err)
			}
		})
	}
}

// An entry that is no report keeps its place in the batch (case 52).
func TestDecode_OddEntries(t *testing.T) {
	t.Parallel()
	got, err := report.Decode([]byte(`{"code":1000,"report":[[1],{"media":"NEW","result":"newcode","msgid":"m"}]}`))
	if err != nil || len(got) != 2 {
		t.Fatalf("Decode = %d reports, %v, want 2", len(got), err)
	}
	if diff := diff(report.Report{Raw: json.RawMessage(`[1]`)}, got[0]); diff != "" {
		t.Errorf("odd entry (-want +got):\n%s", diff)
	}
	if r := got[1]; r.Medium != "NEW" || r.MessageID != "m" || r.Status() != report.Uncertain {
		t.Errorf("new values: medium %q, id %q, %s, want them kept and uncertain", r.Medium, r.MessageID, r.Status())
	}
}

func TestDecode_SharesNothing(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"MSGID":"m","PHONE":"01000000000","RESULT":"4100"}`,
		`{"code":1000,"report":[{"msgid":"m","phone":"01000000000"},5]}`,
		`[{"msgid":"m","phone":"01000000000"},5]`,
	} {
		buf := []byte(body)
		got, err := report.Decode(buf)
		if err != nil {
			t.Fatal(err)
		}
		for i := range buf {
			buf[i] = 'x'
		}
		for _, r := range got {
			if bytes.ContainsRune(r.Raw, 'x') || strings.ContainsRune(r.MessageID+r.To, 'x') {
				t.Errorf("Decode(%s) shares memory with the body", body)
			}
		}
	}
}

// A full batch (spec 1.7: 1,000 entries) must not be too much (case 53).
func TestDecode_FullBatch(t *testing.T) {
	t.Parallel()
	got, err := report.Decode(fullBatch())
	if err != nil || len(got) != 1000 {
		t.Fatalf("Decode = %d reports, %v, want 1000", len(got), err)
	}
	for i, r := range got {
		if r.MessageID != "m"+strconv.Itoa(i) {
			t.Fatalf("report %d is %q: not in order", i, r.MessageID)
		}
	}
}

func fullBatch() []byte {
	b := []byte(`{"code":1000,"description":"Success","report":[`)
	for i := range 1000 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"device":"AT","cmsgid":"260429185700123#sms027420abcdefgh","msgid":"m%d","phone":"01000000000","media":"KAT",`+
			`"unixtime":"1777456620","result":"7000","userdata":"dept1","wapinfo":"KAO","refkey":"order-%d"}`, i, i)
	}
	return append(b, "]}"...)
}

func TestSameMessageKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"260429185700123#sms027420abcdefgh", "260429185700123sms027420abcdefgh", true},
		{"260429185700123sms027420abcdefgh", "260429185700123#sms027420abcdefgh", true},
		{"260429185700123#sms027420abcdefgh", "260429185700123#sms027420abcdefgh", true},
		{"260429185700123#sms027420abcdefgh", " 260429185700123#sms027420abcdefgh ", true},
		{"260429185700123#sms027420abcdefgh", "260429185700123#sms027420abcdefgi", false},
		{"260429185700123#sms027420abcdefgh", "260429185700123#SMS027420abcdefgh", false},
		{"", "", false},
		{"#", "#", false},
		{"a", "", false},
	}
	for _, tt := range tests {
		if got := report.SameMessageKey(tt.a, tt.b); got != tt.want {
			t.Errorf("SameMessageKey(%q, %q) = %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	raw, err := os.ReadFile("testdata/reports.json")
	if err != nil {
		f.Fatal(err)
	}
	var vectors []struct{ Body string }
	if err := json.Unmarshal(raw, &vectors); err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		f.Add([]byte(v.Body))
	}
	f.Add([]byte(`{"RESULT":"4410","result":4100,"MSGID":{}}`))
	f.Add([]byte(`[{"RESULT":"4100","MSGID":"m"},null,5]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := report.Decode(body)
		if err != nil {
			if got != nil || !errors.Is(err, report.ErrUnreadable) && !errors.Is(err, report.ErrRefused) {
				t.Fatalf("Decode = %d reports, %v", len(got), err)
			}
			return
		}
		for _, r := range got {
			if !json.Valid(r.Raw) {
				t.Fatalf("Raw is not JSON: %q", r.Raw)
			}
			if r.Result.Code < 0 || r.Result.Code > math.MaxInt32 {
				t.Fatalf("Code = %d", r.Result.Code)
			}
			if r.Status() == report.Delivered && !bytes.ContainsAny(r.Raw, "45678") {
				t.Fatalf("delivered without a code of success: %q", r.Raw)
			}
			checkMasked(t, r)
			checkJSON(t, r)
		}
		// Decoding its own Raw again gives the same report.
		for _, r := range got {
			if again, err := report.Decode(r.Raw); err == nil && len(again) == 1 && r.Raw[0] == '{' && diff(r, again[0]) != "" && r.MessageID != "" {
				t.Fatalf("Decode(Raw) differs:\n%s", diff(r, again[0]))
			}
		}
	})
}

func BenchmarkDecode_Push(b *testing.B) {
	body := []byte(`{"DEVICE":"SMS","CMSGID":"260429185700123#sms027420abcdefgh","MSGID":"0429se_SL46760273836abcdefgh","PHONE":"01000000000","MEDIA":"SMS","UNIXTIME":"1777456620","RESULT":"4100","USERDATA":"dept1","WAPINFO":"SKT","REFKEY":"order-0001"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := report.Decode(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode_Batch1000(b *testing.B) {
	body := fullBatch()
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := report.Decode(body); err != nil {
			b.Fatal(err)
		}
	}
}
