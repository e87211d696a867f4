package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// journal is the memory of a campaign that outlives the program: a file to
// which a line is added before a row is sent, and one when its outcome is
// known. A row that was begun and has no outcome may have been sent.
type journal struct {
	file  *os.File
	fsync bool
	rows  map[int]entry // by line of the list
}

// entry is one line of the journal, and what is known of a row.
type entry struct {
	List       string    `json:"list,omitempty"` // digest of the list: the first line
	Row        int       `json:"row,omitempty"`
	RefKey     string    `json:"refkey,omitempty"`
	Outcome    string    `json:"outcome,omitempty"` // "": begun
	Reason     string    `json:"reason,omitempty"`
	Code       int       `json:"code,omitempty"`
	MessageKey string    `json:"messagekey,omitempty"`
	Attempts   int       `json:"attempts,omitempty"`
	RetryAfter time.Time `json:"retry_after,omitzero"` // not before
}

// openJournal opens or makes the journal of a list. Nobody else can open it
// until it is closed.
func openJournal(name, list string, fsync bool) (*journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, fsync: fsync, rows: make(map[int]entry)}
	if err := errors.Join(lock(file), j.load(list)); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return j, nil
}

func (j *journal) Close() error { return errors.Join(unlock(j.file), j.file.Close()) }

// load reads what earlier runs wrote.
func (j *journal) load(list string) error {
	b, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	// A line that was cut off by a crash was not acted upon.
	whole := bytes.LastIndexByte(b, '\n') + 1
	if whole == 0 && len(b) > 0 && !bytes.HasPrefix(b, []byte(`{"list":`)) {
		return errors.New("not a journal")
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(b[:whole], []byte("\n")), []byte("\n")) {
		if whole == 0 {
			break
		}
		var e entry
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			return fmt.Errorf("line %d is damaged: %w", i+1, err)
		case i == 0 && e.List != list:
			return errors.New("this is the journal of another list: the list has changed, or -only has; name another -out or -journal")
		case i == 0:
			continue
		case e.RefKey == "":
			e.RefKey = j.rows[e.Row].RefKey
		}
		j.rows[e.Row] = e
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return err
	}
	if _, err := j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return err
	}
	if whole == 0 {
		return j.add(entry{List: list})
	}
	return nil
}

// add appends a line. It is with the operating system when add returns.
func (j *journal) add(e entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(b, '\n')); err != nil {
		return err
	}
	if j.fsync {
		return j.file.Sync()
	}
	return nil
}

// begin notes that a row is going to be sent.
func (j *journal) begin(row int, refKey string) error {
	e := entry{Row: row, RefKey: refKey}
	j.rows[row] = e
	return j.add(e)
}

// end notes what became of it. What was refused because of the account is as
// good as not sent: it may go when the account is in order.
func (j *journal) end(row int, r send.Receipt, err error) error {
	outcome := send.OutcomeOf(err)
	if outcome == send.Rejected && send.AccountRefused(err) {
		outcome = send.NotSent
	}
	e := entry{Row: row, Outcome: outcome.String(), MessageKey: r.MessageKey, Attempts: r.Attempts}
	if failed, ok := errors.AsType[*send.Error](err); ok {
		e.Reason, e.Code = string(failed.Reason), int(failed.Code)
		if failed.RetryAfter > 0 {
			e.RetryAfter = time.Now().Add(failed.RetryAfter).Round(time.Second)
		}
	}
	stored := e
	stored.RefKey = r.RefKey
	j.rows[row] = stored
	return j.add(e)
}

// may says whether a row may be sent: it was not begun, or provably not sent.
func (j *journal) may(row int) bool {
	e, begun := j.rows[row]
	return !begun || e.Outcome == send.NotSent.String()
}
