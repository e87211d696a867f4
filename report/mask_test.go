package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

const (
	canaryNumber = "01098765432"
	canaryName   = "홍길동"
	canaryRefKey = "order-canary-77"
	canaryUser   = "dept-canary-78"
	canarySecret = "hunter2hunter2"
)

func canaryReport() report.Report {
	raw := fmt.Sprintf(`{"MSGID":"m-1","CMSGID":"key#1","PHONE":%q,"TO_NAME":%q,"REFKEY":%q,"USERDATA":%q,"MEDIA":%q,"RESULT":"7204"}`,
		canaryNumber, canaryName, canaryRefKey, canaryUser, canaryNumber)
	return report.Report{
		RefKey: canaryRefKey, MessageKey: "key#1", MessageID: "m-1", To: canaryNumber, ToName: canaryName, UserInfo: canaryUser,
		Medium: canaryNumber, Carrier: canaryNumber, Device: canaryNumber,
		Result: report.Result{Family: report.Kakao, Code: 7204}, Time: time.Unix(1777456620, 0).UTC(), Raw: json.RawMessage(raw),
	}
}

// Canaries: no way of printing shows a number or a name (case 71).
func TestReport_Masked(t *testing.T) {
	t.Parallel()
	r := canaryReport()
	checkMasked(t, r)
	printed := prints(r)
	printed = append(printed, prints(&r)...)
	printed = append(printed, prints([]report.Report{r})...)
	printed = append(printed, fmt.Sprintf("%s %x %d", r, r, r), r.String(), r.GoString())
	for _, p := range printed {
		for _, canary := range []string{canaryNumber, canaryName, canaryRefKey, canaryUser} {
			if strings.Contains(p, canary) {
				t.Errorf("printed %q: holds %q", p, canary)
			}
		}
	}
	for _, want := range []string{"key#1", "m-1", "kakao/7204", "failed", "REDACTED"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("String() = %q, want %q in it", r, want)
		}
	}
}

func TestConfig_Masked(t *testing.T) {
	t.Parallel()
	c := report.Config{Secret: canarySecret}
	printed := prints(c)
	printed = append(printed, prints(&c)...)
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	printed = append(printed, string(b), c.String(), c.GoString())
	for _, p := range printed {
		if strings.Contains(p, canarySecret) {
			t.Errorf("printed %q: holds the secret", p)
		}
	}
}

// prints returns v as fmt and both slog handlers show it.
func prints(v any) []string {
	var text, js bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("x", "v", v)
	if _, slice := v.([]report.Report); !slice { // documented as out of reach
		slog.New(slog.NewJSONHandler(&js, nil)).Info("x", "v", v)
	}
	return []string{fmt.Sprint(v), fmt.Sprintf("%v %+v %#v", v, v, v), fmt.Sprintf("%s %q", v, v), text.String(), js.String()}
}

func checkMasked(t *testing.T, r report.Report) {
	t.Helper()
	r.To = canaryNumber
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "report", r)
	for _, p := range []string{fmt.Sprintf("%v %+v %#v", r, r, r), log.String()} {
		if strings.Contains(p, canaryNumber) && !strings.Contains(r.MessageID+r.MessageKey, canaryNumber) {
			t.Errorf("printed %q: holds the number", p)
		}
	}
}

// JSON tells everything and goes back.
func TestReport_JSON(t *testing.T) {
	t.Parallel()
	for _, r := range []report.Report{{}, canaryReport(), {
		Fallback: report.Fallback{TelRes: "1", TelTime: "2", KaoRes: "3", KaoTime: "4", RCSRes: "5", RCSTime: "6", RetryFlag: "7", ResendFlag: "8"},
	}} {
		checkJSON(t, r)
	}
	b, err := json.Marshal(canaryReport())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{canaryNumber, canaryName, canaryRefKey, canaryUser} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("Marshal = %s, want %q in it", b, want)
		}
	}
}

// Raw comes back as the same value, in JSON's own spelling of it.
func TestReport_JSON_Raw(t *testing.T) {
	t.Parallel()
	r := decodeOne(t, "{ \"MSGID\":\t\"m\", \"USERDATA\":\"R&D <x>\u2028\" ,\"RESULT\":4100.0}")
	checkJSON(t, r)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back report.Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.UserInfo != r.UserInfo || bytes.Equal(back.Raw, r.Raw) {
		t.Errorf("UserInfo %q, Raw %s: want the first unchanged and the other not", back.UserInfo, back.Raw)
	}
	if again := decodeOne(t, string(back.Raw)); again.UserInfo != r.UserInfo || again.MessageID != r.MessageID || again.Result != r.Result {
		t.Errorf("Decode(Raw) = %s, want the same report", back.Raw)
	}
}

func checkJSON(t *testing.T, r report.Report) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	var back report.Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatalf("Unmarshal: %v", err)
	}
	if diff := diff(r, back); diff != "" {
		t.Fatalf("through JSON (-want +got):\n%s", diff)
	}
	if back.Status() != r.Status() || !back.Time.Equal(r.Time) {
		t.Fatalf("through JSON: %s at %v, want %s at %v", back.Status(), back.Time, r.Status(), r.Time)
	}
}
