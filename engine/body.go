package engine

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// keepMargin is how long before the limit that a server announced its
// connection counts as stale: a round trip, a late timer, and the seconds in
// which it is announced.
const keepMargin = 500 * time.Millisecond

// deliver makes the answer ready for the caller.
func (a *attempt) deliver(resp *http.Response) {
	c := a.conn
	resp.TLS = c.state
	if d, ok := keepAlive(resp.Header.Values("Keep-Alive")); ok {
		a.pool.mu.Lock()
		c.keep = min(c.keep, max(d-keepMargin, 0))
		a.pool.mu.Unlock()
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// No context bounds what follows, and nobody asked for it.
		resp.Body.Close() //nolint:gosec // closes the connection
		resp.Body = http.NoBody
	}
	if resp.Body == http.NoBody {
		a.finish()
	}
	resp.Body = &body{inner: resp.Body, attempt: a}
}

// body is the body of an answer. Its Close may be called more than once.
type body struct {
	inner   io.ReadCloser
	attempt *attempt
}

// Read returns [io.EOF] or an [*Error] of the phase [Read].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		b.attempt.finish()
		return n, err
	}
	e := &Error{Phase: Read, Err: err}
	if b.attempt.Err() != nil {
		e.Err = ctxError(b.attempt.Context)
	} else {
		e.Err = notTheirs(err)
	}
	return n, e
}

func (b *body) Close() error {
	err := b.inner.Close()
	b.attempt.finish()
	if err != nil {
		return &Error{Phase: Read, Err: err}
	}
	return nil
}

// Discard makes the connection that brought this answer refuse the next
// request, which then moves to another one.
func (b *body) Discard() { b.attempt.conn.retire() }

// keepAlive reads the timeout of Keep-Alive header lines, as in "timeout=5, max=100".
func keepAlive(lines []string) (time.Duration, bool) {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(part, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
				continue
			}
			s, err := strconv.ParseUint(strings.Trim(value, " \t\""), 10, 32)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				continue
			}
			return time.Duration(min(s, 1<<31)) * time.Second, true
		}
	}
	return 0, false
}
