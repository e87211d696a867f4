package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// journal is the memory of a campaign that outlives the program: a file to
// which a line is added before a row is sent, and one when its outcome is
// known. A row that was begun and has no outcome may have been sent. Whoever
// sends rows of the campaign, from its list or from a result file, asks the
// one journal. It may be used by many at once.
type journal struct {
	file  *os.File
	fsync bool

	mu   sync.Mutex
	size int64          // of the lines that are whole
	rows map[int]entry  // by line of the list
	sent map[string]int // the row of each RefKey that was begun
}

// entry is one line of the journal, and what is known of a row.
type entry struct {
	Campaign   string    `json:"campaign,omitempty"` // the first line
	Row        int       `json:"row,omitempty"`
	RefKey     string    `json:"refkey,omitempty"`
	Outcome    string    `json:"outcome,omitempty"` // "": begun
	Reason     string    `json:"reason,omitempty"`
	Code       int       `json:"code,omitempty"`
	MessageKey string    `json:"messagekey,omitempty"`
	Attempts   int       `json:"attempts,omitempty"`
	RetryAfter time.Time `json:"retry_after,omitzero"` // not before
}

// openJournal opens the journal of a campaign, or makes it. Nobody else can
// open it until it is closed.
func openJournal(o options, campaign string) (*journal, error) {
	create := os.O_CREATE
	if o.only != "" {
		create = 0
	}
	file, err := os.OpenFile(o.journal, os.O_RDWR|create, 0o600)
	if o.only != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: the campaign's journal knows what was sent since the results were written; name it with -journal", err)
	}
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, fsync: o.fsync, rows: make(map[int]entry), sent: make(map[string]int)}
	if err := errors.Join(lock(file), j.load(campaign, o.only)); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", o.journal, err)
	}
	return j, nil
}

func (j *journal) Close() error { return errors.Join(unlock(j.file), j.file.Close()) }

var (
	errOtherCampaign = errors.New("the list, the template, -ad or the account has changed since this campaign began. " +
		"Undo that to go on. To send the rest with another template or -ad, give the result file back with -only not_sent; " +
		"rows that you added or mended go into a list of their own. " +
		"Another -journal or -out would begin a campaign of its own, which sends to everybody again")
	errOtherResults = errors.New("this is not the journal of the campaign that -in has results of: name that one with -journal")
)

// load reads what earlier runs wrote.
func (j *journal) load(campaign, only string) error {
	b, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	// A line that was cut off by a crash was not acted upon.
	whole := bytes.LastIndexByte(b, '\n') + 1
	if whole == 0 && len(b) > 0 && !bytes.HasPrefix(b, []byte(`{"campaign":`)) {
		return errors.New("not a journal")
	}
	if whole == 0 && only == "" {
		return j.add(entry{Campaign: campaign})
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(b[:whole], []byte("\n")), []byte("\n")) {
		var e entry
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			return fmt.Errorf("line %d is damaged: %w", i+1, err)
		case i == 0 && e.Campaign != campaign && only != "":
			return errOtherResults
		case i == 0 && e.Campaign != campaign:
			return errOtherCampaign
		case i == 0:
			continue
		case e.RefKey == "":
			e.RefKey = j.rows[e.Row].RefKey
		}
		j.rows[e.Row] = e
	}
	j.size = int64(whole)
	return j.file.Truncate(j.size)
}

// add writes a line behind those that are whole, so over what is left of one
// that failed. It is with the operating system when add returns.
func (j *journal) add(e entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.WriteAt(append(b, '\n'), j.size); err != nil {
		return err
	}
	j.size += int64(len(b)) + 1
	if j.fsync {
		return j.file.Sync()
	}
	return nil
}

// begin notes that a row is going to be sent.
func (j *journal) begin(row int, refKey string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := entry{Row: row, RefKey: refKey}
	if err := j.add(e); err != nil {
		return err // it is not sent
	}
	j.rows[row], j.sent[refKey] = e, row
	return nil
}

// end notes what became of it, and returns that. What was refused because of
// the account is as good as not sent: it may go when the account is in order.
func (j *journal) end(refKey string, r send.Receipt, err error) (string, error) {
	outcome := send.OutcomeOf(err)
	if outcome == send.Rejected && send.AccountRefused(err) {
		outcome = send.NotSent
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	row := j.sent[refKey]
	e := entry{Row: row, Outcome: outcome.String(), MessageKey: r.MessageKey, Attempts: r.Attempts}
	if failed, ok := errors.AsType[*send.Error](err); ok {
		e.Reason, e.Code = string(failed.Reason), int(failed.Code)
		if failed.RetryAfter > 0 {
			e.RetryAfter = time.Now().Add(failed.RetryAfter).Round(time.Second)
		}
	}
	failed := j.add(e)
	e.RefKey = refKey
	j.rows[row] = e // known to this run's results even if the line could not be written
	return e.Outcome, failed
}

// of is what is known of a row. One that was begun and has no outcome may have
// been sent.
func (j *journal) of(row int) entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, begun := j.rows[row]
	switch {
	case !begun:
		e.Outcome, e.Reason = send.NotSent.String(), "not_begun"
	case e.Outcome == "":
		e.Outcome, e.Reason = send.Unknown.String(), string(send.Interrupted)
	}
	return e
}

// may says whether a row may be sent: it was not begun, or provably not sent.
func (j *journal) may(row int) bool { return j.of(row).Outcome == send.NotSent.String() }
