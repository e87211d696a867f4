package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func open(t *testing.T, name, list string) *journal {
	t.Helper()
	j, err := openJournal(name, list, true)
	if err != nil {
		t.Fatalf("openJournal() = %v", err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// TestJournal: what one run wrote the next one knows, whatever cut it off.
func TestJournal(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name, "list")
	for line := 2; line <= 7; line++ {
		if err := j.begin(line, "k"); err != nil {
			t.Fatal(err)
		}
	}
	for line, err := range map[int]error{
		2: nil,
		3: &send.Error{Outcome: send.NotSent, Reason: send.Busy},
		4: &send.Error{Outcome: send.Unknown, Reason: send.Timeout},
		5: &send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: 2000},
		6: &send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: 3004}, // the account
	} {
		if err := j.end(line, send.Receipt{RefKey: "k"}, err); err != nil {
			t.Fatal(err)
		}
	}
	want := map[int]string{2: "accepted", 3: "not_sent", 4: "unknown", 5: "rejected", 6: "not_sent", 7: "unknown", 8: "not_sent"}
	may := map[int]bool{3: true, 6: true, 8: true}
	check := func(what string, j *journal) {
		t.Helper()
		for line, outcome := range want {
			if got := outcomeOf(j, line); got != outcome || j.may(line) != may[line] {
				t.Errorf("%s: row %d is %s, may be sent %t, want %s, %t", what, line, got, j.may(line), outcome, may[line])
			}
		}
	}
	check("written", j)
	if _, err := j.file.WriteString(`{"row":8,"refk`); err != nil { // the crash came before the send
		t.Fatal(err)
	}
	if _, err := openJournal(name, "list", false); err == nil {
		t.Error("openJournal() = nil while another has it, want an error")
	}
	_ = j.Close()
	j = open(t, name, "list")
	check("read", j)
	if got := j.rows[2].RefKey; got != "k" {
		t.Errorf("RefKey = %q, want k", got)
	}
	if err := j.begin(8, "k8"); err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	want[8], may[8] = "unknown", false
	check("read again", open(t, name, "list"))
}

func TestJournal_refuses(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"another list": `{"list":"other"}` + "\n",
		"damaged":      `{"list":"list"}` + "\n{\"row\":2,\n{\"row\":3}\n",
		"no journal":   "to,name\n",
		"no line":      "to,name",
	} {
		file := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(file, "list", false)
		if err == nil {
			_ = j.Close()
			t.Errorf("%s: openJournal() = nil, want an error", name)
		}
		if b, _ := os.ReadFile(file); string(b) != content {
			t.Errorf("%s: the file is now %q", name, b)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-in a -template b -only unknown":  "never sent again",
		"-in a -template b -only accepted": "never sent again",
		"-in a -template b -out a":         "overwrite",
		"-in a -template b more":           "more",
		"-in a -template b -encoding x":    "utf-8 or euc-kr",
		"-in a -template b -parallel 0":    "at least 1",
		"-in a":                            "required",
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%s) = %v, want %q in it", args, err, want)
		}
	}
}
