package fasthttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// settings are the frames with which a server of HTTP/2 begins.
const settings = "\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04\x00\x10\x00\x00\x00\x06\x00\x10\x01\x40" +
	"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x0f\x00\x01"

// cork holds back what is written while it is in.
type cork struct {
	net.Conn
	in   bool
	held []byte
}

func (c *cork) Write(b []byte) (int, error) {
	if c.in {
		c.held = append(c.held, b...)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// endings are what a server does after it has said something.
func endings() map[string]func(p *peer, say string) {
	return map[string]func(*peer, string){
		"stay": func(p *peer, say string) {
			p.say(say)
			_, _ = io.Copy(io.Discard, p)
		},
		"close": func(p *peer, say string) { p.say(say) },
		// TLS reports the end of the connection together with these bytes.
		"close at once": func(p *peer, say string) {
			secure, _ := p.Conn.(*tls.Conn)
			c, _ := secure.NetConn().(*cork)
			c.in = true
			p.say(say)
			_ = secure.CloseWrite()
			_ = c.SetWriteDeadline(time.Time{}) // CloseWrite lets no later write pass
			_, _ = c.Conn.Write(c.held)
		},
		"close without a word": func(p *peer, say string) {
			p.say(say)
			_ = p.raw.Close()
		},
	}
}

// verdict is what the error of an exchange says.
func verdict(err error) string {
	var failed *engine.Error
	switch {
	case err == nil:
		return "answered"
	case !errors.As(err, &failed), failed.Unsent:
		return "not what an engine may say"
	case failed.Phase == engine.Read:
		return "body cut"
	case failed.Phase != engine.Wait, errors.Is(err, context.DeadlineExceeded):
		return "not what an engine should say"
	case errors.Is(err, engine.ErrMalformed):
		return "malformed"
	default:
		return "lost"
	}
}

// What an answer is taken for depends on its bytes, not on when the connection
// ends, and is the same with both engines, but for what the README tells.
func TestEngine_malformed(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for _, row := range []struct {
		name, answer string
		want         string
		pooled       string // of engine.New, where that differs
	}{
		{"garbage", "canary\r\n\r\n", "malformed", ""},
		{"garbage without a line's end", "canary", "malformed", ""},
		{"TLS inside TLS", "\x16\x03\x01 what is this\r\n\r\n", "malformed", ""},
		{"frames of HTTP/2", settings, "malformed", ""},
		{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed", ""},
		{"a page", "<html>canary</html>", "malformed", ""},
		{"an empty line first", "\r\n" + ok, "malformed", ""},
		{"another version", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "malformed", ""},
		{"no version", "HTTP/1 200 OK\r\nContent-Length: 2\r\n\r\nok", "malformed", ""},
		{"lower case", "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "malformed", ""},
		{"no status", "HTTP/1.1\r\n\r\n", "malformed", ""},
		{"short status", "HTTP/1.1 20 OK\r\n\r\n", "malformed", ""},
		{"short status, header cut", "HTTP/1.1 20 OK\r\nX: y", "malformed", ""},
		{"long status", "HTTP/1.1 2000 OK\r\n\r\n", "malformed", ""},
		{"status in letters", "HTTP/1.1 abc OK\r\n\r\n", "malformed", ""},
		{"no colon", "HTTP/1.1 200 OK\r\ncanary\r\n\r\n", "malformed", ""},
		{"no name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "malformed", ""},
		{"space before the first name", "HTTP/1.1 200 OK\r\n X: y\r\n\r\n", "malformed", ""},
		{"space in a name", "HTTP/1.1 200 OK\r\nX Y: z\r\nContent-Length: 2\r\n\r\nok", "answered", ""},
		{"space after a name", "HTTP/1.1 200 OK\r\nX : z\r\nContent-Length: 2\r\n\r\nok", "answered", ""},
		{"control in a value", "HTTP/1.1 200 OK\r\nX: \x01\r\nContent-Length: 2\r\n\r\nok", "malformed", ""},
		{"length in letters", "HTTP/1.1 200 OK\r\nContent-Length: canary\r\n\r\n", "malformed", ""},
		{"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "malformed", ""},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok", "malformed", ""},
		{"the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "malformed", "answered"},
		{"unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: canary\r\n\r\n", "malformed", ""},
		{"coding twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "malformed", ""},
		{"large header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "malformed", ""},
		{"many lines", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20<<10) + "\r\n", "malformed", ""},
		{"long status line", "HTTP/1.1 200 " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "malformed", ""},
		{"line feeds", strings.Repeat("\r\n", 50<<10), "malformed", ""},
		{"informational flood", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </canary>\r\n\r\n", 3000), "malformed", ""},
		{"40 informational answers", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 40) + ok, "malformed", "answered"},
		{"garbage after 103", "HTTP/1.1 103 Early Hints\r\n\r\ncanary\r\n\r\n", "malformed", ""},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "answered", ""},
		{"HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok", "answered", ""},
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "answered", ""},
		{"status 099", "HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\nok", "malformed", "answered"},
		{"medium header", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: " + strings.Repeat("x", 30<<10) + "\r\n\r\nok", "malformed", "answered"},
	} {
		for ending, end := range endings() {
			for name, e := range bothEngines(t) {
				t.Run(row.name+"/"+ending+"/"+name, func(t *testing.T) {
					t.Parallel()
					want := row.want
					if name == "pooled" && row.pooled != "" {
						want = row.pooled
					}
					checkAnswer(t, e, row.answer, end, want)
				})
			}
		}
	}
}

// Where the end of the connection cut off the header, the answer is lost.
func TestEngine_cutHeader(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: 2\r\n\r\n"
	for n := range ok {
		for ending, end := range endings() {
			if ending == "stay" {
				continue
			}
			for name, e := range bothEngines(t) {
				t.Run(ok[:n]+"/"+ending+"/"+name, func(t *testing.T) {
					t.Parallel()
					checkAnswer(t, e, ok[:n], end, "lost")
				})
			}
		}
	}
}

// bothEngines returns this engine and that of package engine.
func bothEngines(t *testing.T) map[string]engine.Engine {
	t.Helper()
	_, pool := identity()
	pooled := engine.New(engine.Config{TLS: &tls.Config{RootCAs: pool}})
	t.Cleanup(func() { pooled.Close() })
	return map[string]engine.Engine{"fasthttp": newEngine(t, engine.Config{}), "pooled": pooled}
}

// checkAnswer checks what an engine takes an answer for.
func checkAnswer(t *testing.T, e engine.Engine, answer string, end func(*peer, string), want string) {
	t.Helper()
	s := serve(t, nil, func(p *peer) {
		cfg := serverTLS()
		cfg.MaxVersion = tls.VersionTLS12 // see "close at once"
		p.Conn = tls.Server(&cork{Conn: p.raw}, cfg)
		if _, err := p.next(); err == nil {
			end(p, answer)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := exchange(e, post(t, "https://"+s.addr+"/a").WithContext(ctx))
	if got := verdict(err); got != want {
		t.Errorf("exchange = %v: %s, want %s", err, got, want)
	}
	if err != nil && strings.Contains(err.Error(), "anary") {
		t.Errorf("the error is shown as %q, which quotes the answer", err)
	}
}
