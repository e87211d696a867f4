package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// visitor returns one with the page's own session, who does not go through the
// cable.
func (p *tab) visitor(program string) *visitor {
	p.t.Helper()
	got, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(got.Cookies) != 1 {
		p.t.Fatalf("cookies = %v, %v, want the session's one", got, err)
	}
	return &visitor{t: p.t, url: program, cookie: &http.Cookie{Name: cookieName, Value: got.Cookies[0].Value}}
}

func (p *tab) linked(word string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector('#link').dataset.state === %q`, word))
}

// What happens while the connection is cut arrives when it is back, each change
// once. Nothing is loaded again: the hub replays it.
func TestReconnectReplays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answer string }{
		{"the network is gone", ""},
		{"a proxy answers 503", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, // EventSource gives up
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startProgram(t, settings{})
			c := lay(t, strings.TrimPrefix(p.url, "http://"))
			page := browse(t, c.url(), look{})
			v := page.visitor(p.url)
			page.send("sms", "010-0000-0000")
			page.until(rows("[data-delivery=delivered]") + " === 1")
			page.allowLoss()

			total := 1
			for round := range 2 {
				e := v.listen()
				c.cut(tt.answer)
				page.linked("lost")
				v.post(order{Kind: "alimtalk_lms", To: "010-0000-1002", Text: "hi", Count: 25})
				total += 25
				e.until(settled(25))
				if shown := evaluate[int](page, rows("")); shown != total-25 {
					t.Fatalf("the page shows %d rows although it is cut off, want %d", shown, total-25)
				}
				c.mend()
				page.until(fmt.Sprintf(`document.querySelector('#reconnects').textContent === '%d'`, round+1))
				page.until(fmt.Sprintf("%s === %d", rows("[data-delivery=delivered]"), total))
			}

			// And in the middle of a burst.
			e := v.listen()
			v.post(order{Kind: "alimtalk_lms", To: "010-0000-1002", Text: "hi", Count: 50})
			c.cut(tt.answer)
			page.linked("lost")
			c.mend()
			e.until(settled(50))
			total += 50
			page.until(fmt.Sprintf("%s === %d", rows("[data-delivery=delivered]"), total))
			if shown := evaluate[int](page, rows("")); shown != total {
				t.Errorf("the page shows %d rows, want %d", shown, total)
			}
			page.counted(t, p)
			page.until(`document.querySelector('#notice').hidden`)
		})
	}
}

// A page that was cut off before it saw any event has no id to replay from, so
// it asks for the state.
func TestReconnectWithoutAnEvent(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	c := lay(t, strings.TrimPrefix(p.url, "http://"))
	page := browse(t, c.url(), look{})
	v := page.visitor(p.url)
	e := v.listen()
	page.allowLoss()
	c.cut("")
	page.linked("lost")
	v.post(order{Kind: "sms", To: "010-0000-0000", Text: "hi", Count: 5})
	e.until(settled(5))
	c.mend()
	page.until(rows("[data-delivery=delivered]") + " === 5")
}

// More than the hub replays: the page is told of the gap and loads the state.
func TestReconnectAfterAGap(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	c := lay(t, strings.TrimPrefix(p.url, "http://"))
	page := browse(t, c.url(), look{})
	v := page.visitor(p.url)
	e := v.listen()
	page.send("sms", "010-0000-0000")
	page.until(rows("[data-delivery=delivered]") + " === 1")
	page.allowLoss()
	c.cut("")
	page.linked("lost")
	n := 1
	for n*3 < 4*maxRows+100 { // three changes each
		if ids := v.post(order{Kind: "sms", To: "010-0000-0000", Text: "hi", Count: 50}); len(ids) == 50 {
			n += 50
			e.until(settled(n))
		}
	}
	c.mend()
	page.until(fmt.Sprintf("%s === %d", rows("[data-delivery=delivered]"), maxRows))
	page.until(`document.querySelector('#notice').textContent.includes('다시 불러왔습니다')`)
	page.send("sms", "010-0000-1001") // the page follows again, and the oldest makes room
	page.until(rows("[data-delivery=failed]") + " === 1")
	page.until(fmt.Sprintf("%s === %d", rows(""), maxRows))
	page.until(`document.querySelector('#lost').textContent === '0' && document.querySelector('#doubled').textContent === '0'`)
}

// The program is killed and started anew on its port: the page comes back by
// itself, hears of the gap, and shows the new state.
func TestRestart(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	first := launch(t, addr)
	page := browse(t, "http://"+addr, look{})
	page.send("sms", "010-0000-0000")
	page.until(rows("[data-delivery=delivered]") + " === 1")
	page.allowLoss()

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	page.linked("lost")
	second := launch(t, addr)
	page.linked("live")
	page.until(rows("") + " === 0")
	page.until(`document.querySelector('#notice').textContent.includes('다시 시작')`)
	page.send("alimtalk_lms", "010-0000-1002")
	page.until(rows("[data-delivery=delivered]") + " === 1")
	page.until(`document.querySelector('#notice').hidden`)
	page.until(`document.querySelector('#lost').textContent === '0' && document.querySelector('#doubled').textContent === '0'`)

	// An interrupt ends the program in order, also while a page listens.
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Errorf("the program ended with %v, want no error", err)
	}
}

// launch runs the program as a process and waits until it is there.
func launch(t *testing.T, addr string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-addr", addr, "-report-delay", "0")
	cmd.Env = []string{"CONSOLE_AS_PROGRAM=1"} // and no account
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the program says %q, %v", line, err)
	}
	return cmd
}

// freeAddr is an address below those that systems give away by themselves, so
// that nobody takes it between two runs.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", addr)
		if err == nil {
			listener.Close()
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}
