package fasthttp

import (
	"bufio"
	"io"
	"net/http/httputil"
	"sync"
	"sync/atomic"

	"github.com/go-bizppurio/sdk/engine"
)

// body is the body of an answer. Close may be called at any time and more
// than once, also while another goroutine reads.
type body struct {
	attempt  *attempt
	conn     *conn
	reusable bool // the connection, after the body
	closed   atomic.Bool

	mu     sync.Mutex // held while reading
	err    error      // how it ended
	left   int64      // bytes to come; -1: to the end of the connection
	chunks io.Reader  // nil unless the body comes in chunks
}

// Read returns [io.EOF] or an [*engine.Error] of the phase Read.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && b.closed.Load() {
		b.err = &engine.Error{Phase: engine.Read, Err: errBodyClosed}
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.read(p)
	if err == io.EOF { //nolint:errorlint // io.Reader gives it bare
		b.end()
	} else if err != nil {
		b.err = &engine.Error{Phase: engine.Read, Err: b.attempt.explain(err)}
		b.attempt.finish(false)
	}
	return n, b.err
}

// read returns io.EOF at the end of a whole body and nowhere else.
func (b *body) read(p []byte) (int, error) {
	if b.chunks != nil {
		n, err := b.chunks.Read(p)
		if err == io.EOF { //nolint:errorlint // io.Reader gives it bare
			err = readTrailer(b.conn.r)
		}
		return n, err
	}
	if b.left < 0 {
		return b.conn.r.Read(p)
	}
	n, err := b.conn.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.left == 0:
		return n, io.EOF
	case err == io.EOF: // io.Reader gives it bare
		return n, io.ErrUnexpectedEOF
	default:
		return n, err
	}
}

// end gives the connection back: the answer is complete.
func (b *body) end() {
	b.err = io.EOF
	b.attempt.finish(b.reusable)
}

// Close gives the connection up if the body was not read to its end.
func (b *body) Close() error {
	b.closed.Store(true)
	if !b.mu.TryLock() {
		b.attempt.abort() // ends the Read that holds the lock
		b.mu.Lock()
	}
	defer b.mu.Unlock()
	b.attempt.finish(false)
	return nil
}

// Discard makes the connection that brought this answer carry no further
// request.
func (b *body) Discard() { b.conn.retire() }

// newChunks reads a body in chunks.
func newChunks(r *bufio.Reader) io.Reader { return httputil.NewChunkedReader(r) }

// maxTrailer is how many lines may follow the last chunk.
const maxTrailer = 64

// readTrailer reads what follows the last chunk, and returns io.EOF.
func readTrailer(r *bufio.Reader) error {
	for range maxTrailer {
		line, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF: // io.Reader gives it bare
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case len(line) == 1 || len(line) == 2 && line[0] == '\r':
			return io.EOF
		}
	}
	return errTrailerSize
}
