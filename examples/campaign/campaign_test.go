//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
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
	if signal.Ignored(syscall.SIGHUP) { // these tests run under nohup, their programs do not
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
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

// command is the program, not started.
func (s *stage) command(args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], append([]string{"-template", "template.json", "-parallel", "8"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "CAMPAIGN_TEST_RUN=1", "BIZPPURIO_ACCOUNT="+s.vendor.Account(),
		"BIZPPURIO_PASSWORD="+s.vendor.Password(), "BIZPPURIO_BASE_URL="+s.vendor.URL(), "BIZPPURIO_FROM=0212345678")
	return cmd
}

// program starts the program.
func (s *stage) program(args ...string) (*exec.Cmd, *bytes.Buffer) {
	s.t.Helper()
	cmd := s.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd, &out
}

// run runs the program to its end, which must be that exit code, and returns
// what it says.
func (s *stage) run(code int, args ...string) string {
	s.t.Helper()
	cmd, out := s.program(args...)
	s.ends(cmd, code, out)
	return out.String()
}

func (s *stage) ends(cmd *exec.Cmd, code int, out *bytes.Buffer) {
	s.t.Helper()
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("%v: exit code = %d, want %d; it says:\n%s", cmd.Args[1:], got, code, out)
	}
}

// stop runs the program until the vendor has accepted n messages, and sends it
// a signal.
func (s *stage) stop(n int, sig os.Signal, args ...string) {
	s.t.Helper()
	cmd, out := s.program(args...)
	s.accepted(n)
	if err := cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("signal = %v; it says:\n%s", err, out)
	}
	code := 130
	if sig == syscall.SIGKILL {
		code = -1
	}
	s.ends(cmd, code, out)
}

func (s *stage) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// exists says whether a file is there.
func (s *stage) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// accepted waits until the vendor has accepted n messages.
func (s *stage) accepted(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("the vendor has accepted %d", n), func() bool { return s.vendor.TotalAccepted() >= n })
}

// until waits for what the program does.
func (s *stage) until(what string, done func() bool) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !done(); <-tick.C {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s", what)
		}
	}
}

// results reads a result file: a map for each row, without the prefix of our
// columns.
func (s *stage) results(name string) (rows []map[string]string) {
	s.t.Helper()
	records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(s.read(name), bom))).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := make(map[string]string)
		for i, field := range record {
			row[strings.TrimPrefix(records[0][i], ours)] = field
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

// TestCampaign_stopped: Ctrl-C, kill and a terminal that closes lose no
// outcome, and the same command goes on later.
func TestCampaign_stopped(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, people(200), bizppuriotest.WithLatency(0, 20*time.Millisecond))
			s.stop(40, sig, "-in", "list.csv")
			rows := s.results("list.csv.result.csv")
			tally := s.truth(rows)
			if len(rows) != 200 || tally["unknown"] != 0 || tally["accepted"] != s.vendor.TotalAccepted() || tally["accepted"]+tally["not_sent"] != 200 || tally["not_sent"] == 0 {
				t.Errorf("%d results: %v, the vendor accepted %d, want 200, none unknown", len(rows), tally, s.vendor.TotalAccepted())
			}
			s.run(0, "-in", "list.csv")
			if tally := s.truth(s.results("list.csv.result.csv")); tally["accepted"] != 200 {
				t.Errorf("after going on: %v, want 200 accepted", tally)
			}
		})
	}
}

// TestCampaign_noReader: Ctrl-C ends the tee that the program writes to, too,
// and the signal of a terminal that closes may come twice.
func TestCampaign_noReader(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, people(200), bizppuriotest.WithLatency(0, 50*time.Millisecond))
			tee, pipe, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := s.command("-in", "list.csv")
			cmd.Stdout, cmd.Stderr = pipe, pipe
			if err := errors.Join(cmd.Start(), pipe.Close()); err != nil {
				t.Fatal(err)
			}
			s.accepted(40)
			if sig == os.Interrupt {
				_ = tee.Close()
			}
			_ = cmd.Process.Signal(sig)
			if sig == syscall.SIGHUP {
				for in := bufio.NewScanner(tee); in.Scan() && !strings.HasPrefix(in.Text(), "stopping"); {
				}
				_ = cmd.Process.Signal(sig)
				_ = tee.Close()
			}
			s.ends(cmd, 130, new(bytes.Buffer))
			if tally := s.truth(s.results("list.csv.result.csv")); tally["unknown"] != 0 || tally["accepted"] != s.vendor.TotalAccepted() {
				t.Errorf("results: %v, the vendor accepted %d, want none unknown", tally, s.vendor.TotalAccepted())
			}
		})
	}
}

// TestCampaign_nohup: under nohup a terminal may close.
func TestCampaign_nohup(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(100), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	cmd := s.command("-in", "list.csv")
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`}, cmd.Args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.accepted(20)
	_ = cmd.Process.Signal(syscall.SIGHUP)
	s.ends(cmd, 0, new(bytes.Buffer))
}

// TestCampaign_killed covers case 13: killed at any moment and run again,
// nobody gets two messages, and what is in doubt is said to be unknown.
func TestCampaign_killed(t *testing.T) {
	t.Parallel()
	const n = 300
	s := newStage(t, people(n), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	for _, at := range []int{20, 90, 150} {
		s.stop(at, syscall.SIGKILL, "-in", "list.csv")
	}
	cmd, out := s.program("-in", "list.csv")
	_ = cmd.Wait()
	rows := s.results("list.csv.result.csv")
	tally := s.truth(rows)
	if len(rows) != n || tally["accepted"]+tally["unknown"] != n || tally["unknown"] > 3*8 {
		t.Errorf("%d results: %v, want %d, accepted but for 8 of each kill; it says:\n%s", len(rows), tally, n, out)
	}
	code := 0
	if tally["unknown"] > 0 {
		code = 3
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code = %d, want %d; it says:\n%s", got, code, out)
	}
	before := s.vendor.Requests(bizppuriotest.PathMessage)
	s.run(code, "-in", "list.csv")
	if got := s.vendor.Requests(bizppuriotest.PathMessage) - before; got != 0 {
		t.Errorf("one more run: %d requests, want none", got)
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
	out := s.run(3, "-in", "list.csv")
	for _, want := range []string{"line 26: skipped: To", "rows are left: 1 bad, 1 not sent, 2 unknown"} {
		if !strings.Contains(out, want) {
			t.Errorf("it says:\n%s\nwant %q in it", out, want)
		}
	}
	rows := s.results("list.csv.result.csv")
	tally := s.truth(rows)
	if tally["accepted"] != 20 || tally["not_sent"] != 1 || tally["unknown"] != 2 || tally["rejected"] != 2 {
		t.Errorf("results: %v, want 20 accepted, 1 not sent, 2 unknown, 2 rejected", tally)
	}
	if last := rows[24]; last["row"] != "26" || last["이름"] != "비, 눈" || last["to"] != "10-12" || last["reason"] != "invalid" || last["bad_row"] != `10-12,"비, 눈",X1` {
		t.Errorf("the bad row is %v, want it as it was", last)
	}
	if out := s.run(1, "-in", "list.csv.result.csv", "-out", "again.csv"); !strings.Contains(out, "-only not_sent") {
		t.Errorf("a result file without -only: it says:\n%s", out)
	}

	busy := rows[20]["refkey"]
	s.write("list.csv.result.csv", strings.Replace(s.read("list.csv.result.csv"), "010-0000-5004", "010-7777-7777", 1)) // the vendor is no longer busy
	s.write("template.json", `{"SenderKey":"K","Code":"C2","Text":"#{이름}님, 늦은 쿠폰 #{쿠폰}"}`)
	before := s.vendor.Requests(bizppuriotest.PathMessage)
	s.run(0, "-in", "list.csv.result.csv", "-only", "not_sent", "-out", "again.csv")
	if sent := s.vendor.Messages(); !strings.Contains(string(sent[len(sent)-1]), "바쁨님, 늦은 쿠폰 B1") {
		t.Errorf("sent %s, want the new template", sent[len(sent)-1])
	}
	again := s.results("again.csv")
	if len(again) != 1 || again[0]["outcome"] != "accepted" || again[0]["refkey"] != busy || again[0]["이름"] != "바쁨" || again[0]["row"] != "22" {
		t.Errorf("results = %v, want the one that was busy, accepted", again)
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage) - before; got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	s.truth(again)
}

// TestCampaign_feedBackOnce: however the ways to go on are mixed, nobody gets
// two messages, since all ask the one journal.
func TestCampaign_feedBackOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(200), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	s.stop(40, os.Interrupt, "-in", "list.csv")
	s.write("kept.csv", s.read("list.csv.result.csv")) // what it says will no longer be true
	s.stop(100, syscall.SIGKILL, "-in", "list.csv")
	if s.exists("list.csv.result.csv") {
		t.Error("the results of an earlier run are there after a kill, want none")
	}
	again := []string{"-in", "kept.csv", "-only", "not_sent", "-out", "again.csv"}
	if out := s.run(1, again...); !strings.Contains(out, "name it with -journal") {
		t.Errorf("without its journal: it says:\n%s", out)
	}
	again = append(again, "-journal", "list.csv.result.csv.journal")
	s.stop(150, os.Interrupt, again...)
	for _, args := range [][]string{{"-in", "list.csv"}, again} {
		cmd, _ := s.program(args...)
		_ = cmd.Wait()
	}
	tally := s.truth(s.results("list.csv.result.csv"))
	if tally["not_sent"] != 0 || tally["accepted"]+tally["unknown"] != 200 {
		t.Errorf("results: %v, want all sent", tally)
	}
}

// TestCampaign_columns: columns of the list that are named like those of a
// result file stay what they are, also when it is fed back.
func TestCampaign_columns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.write("list.csv", "to,code,row,refkey\n010-0000-5004,COUPON-77,A1,\n")
	s.write("template.json", `{"SenderKey":"K","Code":"C","Text":"쿠폰 #{code} #{row} (#{refkey})"}`)
	s.run(3, "-in", "list.csv")
	s.write("list.csv.result.csv", strings.Replace(s.read("list.csv.result.csv"), "010-0000-5004", "010-7777-7777", 1))
	s.run(0, "-in", "list.csv.result.csv", "-only", "not_sent")
	if got := s.vendor.Messages(); len(got) != 1 || !strings.Contains(string(got[0]), "쿠폰 COUPON-77 A1 ()") {
		t.Errorf("messages = %q, want one with the columns of the list", got)
	}
}

// TestCampaign_another: with what another campaign would send nothing is sent,
// and nothing is lost.
func TestCampaign_another(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(5))
	s.run(0, "-in", "list.csv")
	results, before := s.read("list.csv.result.csv"), s.vendor.Requests(bizppuriotest.PathMessage)
	refused := func(what string, args ...string) {
		t.Helper()
		if out := s.run(1, append([]string{"-in", "list.csv"}, args...)...); !strings.Contains(out, "sends to everybody again") {
			t.Errorf("%s: it says:\n%s", what, out)
		}
	}
	refused("an advertisement", "-ad")
	tried := s.command("-in", "list.csv") // on the simulation, before there was an account
	tried.Env = append(tried.Env, "BIZPPURIO_ACCOUNT=")
	if out, _ := tried.CombinedOutput(); tried.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "sends to everybody again") {
		t.Errorf("another account: it says:\n%s", out)
	}
	s.write("template.json", `{"SenderKey":"K","Code":"NEXTWEEK","Text":"다음 주 #{이름} #{쿠폰}"}`)
	refused("another template")
	s.write("list.csv", s.read("list.csv")+"010-9999-9999,비,X\n")
	refused("another list")
	if got := s.vendor.Requests(bizppuriotest.PathMessage); got != before || s.read("list.csv.result.csv") != results {
		t.Errorf("%d requests, want %d, and the results as they were", got, before)
	}
}

// TestCampaign_from: without a sender number nothing is sent, and nothing is
// spoilt.
func TestCampaign_from(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(5))
	cmd := s.command("-in", "list.csv")
	cmd.Env = append(cmd.Env, "BIZPPURIO_FROM=")
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "BIZPPURIO_FROM") {
		t.Errorf("exit code = %d, want 1; it says:\n%s", code, out)
	}
	s.run(0, "-in", "list.csv")
	if got := s.vendor.TotalAccepted(); got != 5 {
		t.Errorf("%d accepted, want 5", got)
	}
}

// TestCampaign_pause: while the vendor asks for a pause, what is known is in
// the journal.
func TestCampaign_pause(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(20))
	arrived, release := make(chan struct{}, 20), make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	s.vendor.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-first:
			for range 7 { // all are on the wire
				<-arrived
			}
			w.Header().Set("Retry-After", "240") // far longer than the test waits
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"code":5002}`)
		default:
			arrived <- struct{}{}
			<-release
			_, _ = io.WriteString(w, `{"code":1000}`)
		}
	})
	cmd, out := s.program("-in", "list.csv")
	outcomes := func(n int) func() bool {
		return func() bool {
			b, _ := os.ReadFile(filepath.Join(s.dir, "list.csv.result.csv.journal"))
			return strings.Count(string(b), `"outcome"`) == n
		}
	}
	s.until("the first outcome is in the journal", outcomes(1))
	close(release)
	s.until("all outcomes are in the journal", outcomes(8))
	_ = cmd.Process.Kill()
	s.ends(cmd, -1, out)
	if !strings.Contains(out.String(), "paused until ") {
		t.Errorf("it says:\n%s\nwant that it pauses", out)
	}
}

// TestCampaign_longPause: a pause that nobody waits for ends the campaign.
func TestCampaign_longPause(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(100))
	s.vendor.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code":5002}`)
	})
	if out := s.run(1, "-in", "list.csv"); !strings.Contains(out, "rate_limited: nothing can be sent before ") {
		t.Errorf("it says:\n%s\nwant when to go on", out)
	}
	if tally := s.truth(s.results("list.csv.result.csv")); tally["not_sent"] != 100 {
		t.Errorf("results: %v, want 100 not sent", tally)
	}
	s.vendor.Behave()
	s.run(0, "-in", "list.csv")
}

// TestCampaign_out: where no results can be written nothing is sent, and what
// is no file stays what it is.
func TestCampaign_out(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(5))
	if err := os.Mkdir(filepath.Join(s.dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"nowhere/r.csv", "folder"} {
		s.run(1, "-in", "list.csv", "-out", out, "-journal", "j")
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage); got != 0 || !s.exists("folder") {
		t.Errorf("%d requests, want none, and the folder", got)
	}

	s = newStage(t, people(100), bizppuriotest.WithLatency(0, 20*time.Millisecond))
	cmd, out := s.program("-in", "list.csv", "-out", "r.csv")
	s.accepted(10)
	if err := os.Mkdir(filepath.Join(s.dir, "r.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	s.ends(cmd, 130, out)
	if !strings.Contains(out.String(), "the results could not be written") {
		t.Errorf("it says:\n%s\nwant that there are no results", out)
	}
}

// TestCampaign_check sends nothing, and says whether all is in order.
func TestCampaign_check(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(5))
	s.run(0, "-in", "list.csv", "-check")
	s.write("list.csv", s.read("list.csv")+"10-12,비,X\n")
	if out := s.run(3, "-in", "list.csv", "-check"); !strings.Contains(out, "line 7: skipped") {
		t.Errorf("it says:\n%s\nwant which line is bad", out)
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage); got != 0 || s.exists("list.csv.result.csv.journal") {
		t.Errorf("%d requests, want none and no journal", got)
	}
}

// TestCampaign_account: when the account is refused, the campaign stops, and
// what it could not send may be sent later.
func TestCampaign_account(t *testing.T) {
	t.Parallel()
	s := newStage(t, people(100))
	s.vendor.Misbehave(bizppuriotest.Code(3007).Always())
	if out := s.run(1, "-in", "list.csv"); !strings.Contains(out, "account was refused") {
		t.Errorf("it says:\n%s\nwant that it names the account", out)
	}
	if tally := s.truth(s.results("list.csv.result.csv")); tally["not_sent"] != 100 {
		t.Errorf("results: %v, want 100 not sent", tally)
	}
	if got := s.vendor.Requests(bizppuriotest.PathMessage); got > 20 {
		t.Errorf("%d requests, want a few", got)
	}
	s.vendor.Behave()
	s.run(0, "-in", "list.csv")
	if got := s.vendor.TotalAccepted(); got != 100 {
		t.Errorf("in order again: %d accepted, want 100", got)
	}
}
