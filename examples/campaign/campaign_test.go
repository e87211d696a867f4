//go:build unix

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestMain makes the test binary the program itself, for the tests below that
// run and kill it.
func TestMain(m *testing.M) {
	if os.Getenv("CAMPAIGN_TEST_RUN") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// stage is a folder with a list of recipients, and a vendor.
type stage struct {
	t      *testing.T
	dir    string
	vendor *bizppuriotest.Server
}

func newStage(t *testing.T, rows []string, opts ...bizppuriotest.Option) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), vendor: bizppuriotest.NewServer(t, append(opts, bizppuriotest.WithPlainHTTP())...)}
	s.write("list.csv", "to,이름,쿠폰\n"+strings.Join(rows, "\n")+"\n")
	s.write("template.json", `{"SenderKey":"K","Code":"C","Text":"#{이름}님, 쿠폰 #{쿠폰}"}`)
	return s
}

func (s *stage) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// program starts the program.
func (s *stage) program(args ...string) (*exec.Cmd, *bytes.Buffer) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], append([]string{"-template", "template.json", "-parallel", "8"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "CAMPAIGN_TEST_RUN=1", "BIZPPURIO_ACCOUNT="+s.vendor.Account(),
		"BIZPPURIO_PASSWORD="+s.vendor.Password(), "BIZPPURIO_BASE_URL="+s.vendor.URL(), "BIZPPURIO_FROM=0212345678")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd, &out
}

// accepted waits until the vendor has accepted n messages.
func (s *stage) accepted(n int) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); s.vendor.TotalAccepted() < n; <-tick.C {
		if time.Now().After(end) {
			s.t.Fatalf("the vendor accepted %d, want %d", s.vendor.TotalAccepted(), n)
		}
	}
}

// results reads a result file: a map for each row.
func (s *stage) results(name string) (rows []map[string]string) {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte(bom)))).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := make(map[string]string)
		for i, field := range record {
			row[records[0][i]] = field
		}
		rows = append(rows, row)
	}
	return rows
}

// truth fails the test when a result contradicts the vendor's books, or when
// somebody got two messages.
func (s *stage) truth(rows []map[string]string) (tally map[string]int) {
	s.t.Helper()
	tally = make(map[string]int)
	for i, row := range rows {
		tally[row["outcome"]]++
		least, most := 0, 0
		switch row["outcome"] {
		case "accepted":
			least, most = 1, 1
		case "unknown":
			most = 1
		}
		if got := s.vendor.Accepted(row["refkey"]); got < least || got > most {
			s.t.Errorf("row %d, %s: the vendor accepted it %d times", i, row["outcome"], got)
		}
	}
	got := make(map[string]int)
	for _, body := range s.vendor.Messages() {
		var m struct{ To string }
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Fatal(err)
		}
		if got[m.To]++; got[m.To] > 1 {
			s.t.Errorf("%s got %d messages", m.To, got[m.To])
		}
	}
	return tally
}

func people(n int) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf("010-1234-%04d,하늘,A%d", i, i))
	}
	return rows
}

// TestCampaign_interrupt: Ctrl-C loses no outcome, and the same command goes
// on later.
func TestCampaign_interrupt(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(200), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	cmd, out := s.program("-in", "list.csv")
	s.accepted(40)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code = %d, want 130; it says:\n%s", code, out)
	}
	rows := s.results("list.csv.result.csv")
	tally := s.truth(rows)
	if len(rows) != 200 || tally["unknown"] != 0 || tally["accepted"] != s.vendor.TotalAccepted() || tally["accepted"]+tally["not_sent"] != 200 || tally["not_sent"] == 0 {
		t.Errorf("%d results: %v, the vendor accepted %d, want 200, none unknown", len(rows), tally, s.vendor.TotalAccepted())
	}

	cmd, out = s.program("-in", "list.csv")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("going on = %v; it says:\n%s", err, out)
	}
	if tally := s.truth(s.results("list.csv.result.csv")); tally["accepted"] != 200 {
		t.Errorf("after going on: %v, want 200 accepted", tally)
	}
}

// TestCampaign_killed covers case 13: killed at any moment and run again,
// nobody gets two messages, and what is in doubt is said to be unknown.
func TestCampaign_killed(t *testing.T) {
	t.Parallel()
	const n = 300
	s := newStage(t, people(n), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	for _, at := range []int{20, 90, 150} {
		cmd, out := s.program("-in", "list.csv")
		s.accepted(at)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatalf("kill = %v; it says:\n%s", err, out)
		}
		_ = cmd.Wait()
	}
	cmd, out := s.program("-in", "list.csv")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the last run = %v; it says:\n%s", err, out)
	}
	rows := s.results("list.csv.result.csv")
	tally := s.truth(rows)
	if len(rows) != n || tally["accepted"]+tally["unknown"] != n || tally["unknown"] > 3*8 {
		t.Errorf("%d results: %v, want %d, accepted but for 8 of each kill", len(rows), tally, n)
	}
	before := s.vendor.Requests(bizppuriotest.PathMessage)
	cmd, out = s.program("-in", "list.csv")
	if err := cmd.Wait(); err != nil || s.vendor.Requests(bizppuriotest.PathMessage) != before {
		t.Errorf("one more run = %v, %d requests, want none; it says:\n%s", err, s.vendor.Requests(bizppuriotest.PathMessage)-before, out)
	}
}

// TestCampaign_feedBack: the result file can be sent again, and only what was
// not sent is.
func TestCampaign_feedBack(t *testing.T) {
	t.Parallel()
	list := append(people(20),
		"010-0000-5004,바쁨,B1", // busy: not sent
		"010-0000-6001,별,U1",  // accepted, and the answer is lost: unknown
		"010-0000-6004,달,U2",  // not accepted, and the answer is lost: unknown
		"010-0000-2000,해,R1",  // refused
		"10-12,\"비, 눈\",X1",   // no number
	)
	s := newStage(t, list)
	cmd, out := s.program("-in", "list.csv")
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "line 26: skipped: To") {
		t.Fatalf("run = %v; it says:\n%s", err, out)
	}
	rows := s.results("list.csv.result.csv")
	tally := s.truth(rows)
	if tally["accepted"] != 20 || tally["not_sent"] != 1 || tally["unknown"] != 2 || tally["rejected"] != 2 {
		t.Errorf("results: %v, want 20 accepted, 1 not sent, 2 unknown, 2 rejected", tally)
	}
	if last := rows[24]; last["row"] != "26" || last["이름"] != "비, 눈" || last["to"] != "10-12" || last["reason"] != "invalid" {
		t.Errorf("the bad row is %v, want it as it was", last)
	}
	refused, _ := s.program("-in", "list.csv.result.csv", "-out", "again.csv")
	if err := refused.Wait(); err == nil {
		t.Error("a result file without -only = nil, want an error")
	}

	busy := rows[20]["refkey"]
	b, err := os.ReadFile(filepath.Join(s.dir, "list.csv.result.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("list.csv.result.csv", strings.Replace(string(b), "010-0000-5004", "010-7777-7777", 1)) // the vendor is no longer busy
	before := s.vendor.Requests(bizppuriotest.PathMessage)
	cmd, out = s.program("-in", "list.csv.result.csv", "-only", "not_sent", "-out", "again.csv")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("feeding back = %v; it says:\n%s", err, out)
	}
	again := s.results("again.csv")
	if len(again) != 1 || again[0]["outcome"] != "accepted" || again[0]["refkey"] != busy || again[0]["이름"] != "바쁨" {
		t.Errorf("results = %v, want the one that was busy, accepted", again)
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage) - before; got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	s.truth(again)
}

// TestCampaign_account: when the account is refused, the campaign stops, and
// what it could not send may be sent later.
func TestCampaign_account(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(100))
	s.vendor.Misbehave(bizppuriotest.Code(3007).Always())
	cmd, out := s.program("-in", "list.csv")
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), "account was refused") {
		t.Errorf("run = %v, want an error that names the account; it says:\n%s", err, out)
	}
	if tally := s.truth(s.results("list.csv.result.csv")); tally["not_sent"] != 100 {
		t.Errorf("results: %v, want 100 not sent", tally)
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage); got > 20 {
		t.Errorf("%d requests, want a few", got)
	}
	s.vendor.Behave()
	cmd, out = s.program("-in", "list.csv")
	if err := cmd.Wait(); err != nil || s.vendor.TotalAccepted() != 100 {
		t.Errorf("in order again: %v, %d accepted, want 100; it says:\n%s", err, s.vendor.TotalAccepted(), out)
	}
}
