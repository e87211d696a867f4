package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func open(t *testing.T, name, list string) *journal {
	t.Helper()
	j, err := openJournal(options{journal: name, fsync: true}, list)
	if err != nil {
		t.Fatalf("openJournal() = %v", err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func key(line int) string { return "k" + strconv.Itoa(line) }

// TestJournal: what one run wrote the next one knows, whatever cut it off.
func TestJournal(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name, "list")
	for line := 2; line <= 7; line++ {
		if err := j.begin(line, key(line)); err != nil {
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
		if _, err := j.end(key(line), send.Receipt{RefKey: key(line)}, err); err != nil {
			t.Fatal(err)
		}
	}
	want := map[int]string{2: "accepted", 3: "not_sent", 4: "unknown", 5: "rejected", 6: "not_sent", 7: "unknown", 8: "not_sent"}
	may := map[int]bool{3: true, 6: true, 8: true}
	check := func(what string, j *journal) {
		t.Helper()
		for line, outcome := range want {
			if got := j.of(line).Outcome; got != outcome || j.may(line) != may[line] {
				t.Errorf("%s: row %d is %s, may be sent %t, want %s, %t", what, line, got, j.may(line), outcome, may[line])
			}
		}
	}
	check("written", j)
	if _, err := j.file.WriteAt([]byte(`{"row":8,"refk`), j.size); err != nil { // the crash came before the send
		t.Fatal(err)
	}
	if _, err := openJournal(options{journal: name}, "list"); err == nil {
		t.Error("openJournal() = nil while another has it, want an error")
	}
	_ = j.Close()
	j = open(t, name, "list")
	check("read", j)
	if got := j.of(2).RefKey; got != "k2" {
		t.Errorf("RefKey = %q, want k2", got)
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
		"another list": `{"campaign":"other"}` + "\n",
		"damaged":      `{"campaign":"list"}` + "\n{\"row\":2,\n{\"row\":3}\n",
		"no journal":   "to,name\n",
		"no line":      "to,name",
	} {
		file := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(options{journal: file}, "list")
		if err == nil {
			_ = j.Close()
			t.Errorf("%s: openJournal() = nil, want an error", name)
		}
		if b, _ := os.ReadFile(file); string(b) != content {
			t.Errorf("%s: the file is now %q", name, b)
		}
	}
}

// TestJournal_full: a line for which there was no room does no harm to those
// behind it, and its row was not begun.
func TestJournal_full(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "j")
	j := open(t, name, "list")
	if err := j.begin(2, "k2"); err != nil {
		t.Fatal(err)
	}
	whole := j.file
	j.file = readOnly(t, name)
	if err := j.begin(3, "k3"); err == nil {
		t.Fatal("begin() = nil on a file that cannot be written, want an error")
	}
	if _, err := j.end("k2", send.Receipt{}, nil); err == nil {
		t.Fatal("end() = nil on a file that cannot be written, want an error")
	}
	j.file = whole
	if _, err := whole.WriteAt([]byte(`{"row":3,"refkey":"a long line that was cut`), j.size); err != nil {
		t.Fatal(err)
	}
	if !j.may(3) || j.of(2).Outcome != "accepted" {
		t.Errorf("row 3 is %s, row 2 is %s, want not_sent, accepted", j.of(3).Outcome, j.of(2).Outcome)
	}
	if err := j.begin(4, "k4"); err != nil { // there is room again
		t.Fatal(err)
	}
	_ = j.Close()
	j = open(t, name, "list")
	for line, want := range map[int]string{2: "unknown", 3: "not_sent", 4: "unknown"} {
		if got := j.of(line).Outcome; got != want {
			t.Errorf("row %d is %s, want %s", line, got, want)
		}
	}
}

func readOnly(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestJournal_feedBack: a result file asks the journal of its campaign, and
// makes none.
func TestJournal_feedBack(t *testing.T) {
	t.Parallel()
	o := options{journal: filepath.Join(t.TempDir(), "j"), only: "not_sent"}
	refuses := func(what, campaign, want string) {
		t.Helper()
		if _, err := openJournal(o, campaign); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: openJournal() = %v, want %q in it", what, err, want)
		}
	}
	refuses("no journal", "list", "name it with -journal")
	_ = open(t, o.journal, "list").Close()
	refuses("another one's", "other", "not the journal of the campaign")
	j, err := openJournal(o, "list")
	if err != nil {
		t.Fatalf("openJournal() = %v, want nil", err)
	}
	_ = j.Close()
}
