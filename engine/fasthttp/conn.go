package fasthttp

import (
	"bufio"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// readBuffer is the size of a connection's buffer, and so the most that the
// header of an answer may have. The vendor's have a few hundred bytes.
const readBuffer = 16 << 10

// conn is a connection. Above TLS, where its methods stand, bytes are the
// request's or the answer's and nothing else.
type conn struct {
	e      *Engine
	target target
	top    net.Conn             // above TLS
	socket *socket              // below it
	state  *tls.ConnectionState // nil without TLS
	r      *bufio.Reader
	header fasthttp.ResponseHeader // of the latest answer
	broken error                   // what Read failed with
	since  time.Time               // when it was established
	once   sync.Once               // for close

	// Guarded by e.mu while the connection is idle or discarded.
	used    bool          // it carried a request before
	retired bool          // it carries no further one
	last    time.Time     // when it became idle
	keep    time.Duration // idle longer than this, it is stale
}

// newConn makes a connection of what the dial produced.
func (e *Engine) newConn(t target, top net.Conn, s *socket, state *tls.ConnectionState) *conn {
	c := &conn{e: e, target: t, top: top, socket: s, state: state, since: time.Now(), keep: e.cfg.IdleTimeout}
	c.r = bufio.NewReaderSize(c, readBuffer)
	c.header.SetNoDefaultContentType(true)
	return c
}

// Read is for the bufio.Reader. TLS tells the end of the connection together
// with its last bytes, and again with the next read: broken is set only when
// more is asked for than came.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.top.Read(b)
	if n > 0 {
		return n, nil
	}
	if err != nil {
		c.broken = err
	}
	return 0, err
}

// alive looks whether the server has closed the connection or sent anything
// since the last answer. It does not wait.
//
// The look goes through TLS, which may have read bytes of an answer too many
// from the socket already. Session tickets are no answer: they follow the
// handshake, and so are expected on a connection that was not used yet.
func (c *conn) alive(now time.Time) bool {
	if c.r.Buffered() > 0 {
		return false
	}
	var b [1]byte
	c.socket.probe(now.Sub(c.last))
	n, err := c.top.Read(b[:])
	c.socket.probed()
	return n == 0 && isNothing(err) && (!c.used || !c.socket.found)
}

// close closes the connection, once.
func (c *conn) close() {
	c.once.Do(func() {
		c.top.Close() //nolint:gosec // whatever was of use was read
		c.e.mu.Lock()
		delete(c.e.conns, c)
		c.e.mu.Unlock()
		c.gone()
	})
}

// abort closes the connection without TLS's farewell, for which a server that
// does not read would make it wait up to 5 s.
func (c *conn) abort() {
	c.socket.Close() //nolint:gosec // it is given up
	c.close()
}

// retire makes the connection carry no further request.
func (c *conn) retire() {
	c.e.mu.Lock()
	c.retired = true
	c.e.mu.Unlock()
}
