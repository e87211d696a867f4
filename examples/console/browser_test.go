package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is what a page gets for anything, on a machine that may be busy.
const patience = 40 * time.Second

// tab is a page in a browser of its own.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	hosts    map[string]bool // that requests went to
	errors   []string        // of the console
	mayLose  bool            // connections, which the console notes
	requests int
}

// look is how a page is looked at.
type look struct {
	language      string // "" means ko-KR
	width, height int64  // 0 means 1280 × 900
	scheme        string // "" means light
}

// browse starts a browser and opens the address. When the test ends, the page
// must have been silent and have spoken to nobody else.
func browse(t *testing.T, address string, l look) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is missing: this test is what shows that the page works (apt-get install chromium)")
		}
		t.Skip("chromium is missing: install it to test the page in a browser (apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true), chromedp.Flag("hide-scrollbars", true),
	)
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)

	p := &tab{t: t, ctx: ctx, hosts: map[string]bool{}}
	p.do(chromedp.Func(func(context.Context, *chromedp.Target) error { return nil })) // the first Run has no timeout
	if err := chromedp.Listen(ctx, p.note); err != nil {
		t.Fatal(err)
	}
	p.enable(l)
	p.do(chromedp.Navigate(address))
	t.Cleanup(func() { p.check(address) })
	p.until(`document.querySelector('#link').dataset.state === 'live' && document.querySelector('#kind').options.length > 0`)
	return p
}

// enable asks for the events that note reads, and sets the look.
func (p *tab) enable(l look) {
	p.t.Helper()
	if l.language == "" {
		l.language = "ko-KR"
	}
	if l.width == 0 {
		l.width, l.height = 1280, 900
	}
	if l.scheme == "" {
		l.scheme = "light"
	}
	agent := p.value(`navigator.userAgent`)
	_, err1 := chromedp.Call(p.ctx, log.Enable, cdp.Empty{})
	_, err2 := chromedp.Call(p.ctx, network.Enable, network.EnableParams{})
	_, err3 := chromedp.Call(p.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: l.language})
	_, err4 := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}},
	})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(l.width, l.height))
}

// note keeps what the page should not do. It runs in the loop that reads from
// the browser.
func (p *tab) note(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests++
		if u, err := url.Parse(ev.Request.URL); err == nil {
			p.hosts[u.Scheme+"://"+u.Host] = true
		}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, fmt.Sprintf("exception: %s %v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprintf("console.%s", ev.Type))
	case *log.EventEntryAdded:
		if !p.mayLose || ev.Entry.Source != "network" {
			p.errors = append(p.errors, fmt.Sprintf("%s %s: %s (%s)", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text, ev.Entry.URL))
		}
	}
}

func (p *tab) check(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.errors {
		p.t.Errorf("the console says: %s", line)
	}
	if p.requests == 0 {
		p.t.Error("no request was seen: the check of the hosts is blind")
	}
	for host := range p.hosts {
		if host != strings.TrimSuffix(address, "/") {
			p.t.Errorf("the page spoke to %s", host)
		}
	}
}

// allowLoss lets connections fail from here on.
func (p *tab) allowLoss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mayLose = true
}

// do runs steps within patience.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx := p.ctx
	if chromedp.FromContext(ctx).Target != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// evaluate returns what an expression of the page is.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (p *tab) value(expression string) string {
	p.t.Helper()
	return evaluate[string](p, expression)
}

func (p *tab) number(selector string) int {
	p.t.Helper()
	return evaluate[int](p, fmt.Sprintf(`Number(document.querySelector(%q).textContent)`, selector))
}

// until waits for an expression to become true. The page looks itself: there is
// no policy against what the debugger evaluates.
func (p *tab) until(condition string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(`new Promise((resolve) => {
		const look = () => (%s) ? resolve(true) : setTimeout(look, 15)
		look()
	})`, condition), chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("never true: %s: %v\n%s", condition, err, p.dump())
	}
}

// dump is what the page shows, for a failure.
func (p *tab) dump() string {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[
		document.querySelector('.tiles').innerText, document.querySelector('#deliveries').innerText,
		document.querySelector('#messages').innerText.slice(0, 300), document.querySelector('#stream').innerText,
		document.querySelector('#notice').innerText, document.querySelector('#link').innerText].join('\n').replaceAll('\n', ' | ')`))
	if err != nil {
		return err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return text + "\n" + strings.Join(p.errors, "\n")
}

// send fills the form as a person does and presses the button.
func (p *tab) send(kind, to string) {
	p.t.Helper()
	p.do(
		chromedp.SetValue(chromedp.ID("kind"), kind),
		chromedp.SetValue(chromedp.ID("to"), to),
		chromedp.Click(chromedp.CSS("#order button[type=submit]")),
	)
}

// rows counts the rows of the list that match a selector, such as
// "[data-outcome=accepted]".
func rows(selector string) string {
	return fmt.Sprintf(`document.querySelectorAll(%q).length`, "#messages > li"+selector)
}

// picture takes a PNG of the upper part of the page.
func (p *tab) picture(height int64) []byte {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(1280, height))
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	return png
}

func (p *tab) contains(text, want string) {
	p.t.Helper()
	if !strings.Contains(text, want) {
		p.t.Errorf("the page says %q, want %q in it", text, want)
	}
}

// counted checks that the page has seen every change of its session, each once.
func (p *tab) counted(t *testing.T, prog *program) {
	t.Helper()
	changes := 0
	prog.console.board.mu.Lock()
	for _, h := range prog.console.board.sessions {
		changes += h.rev
	}
	prog.console.board.mu.Unlock()
	p.until(fmt.Sprintf(`Number(document.querySelector('#events').textContent) >= %d`, changes))
	if events, lost, doubled := p.number("#events"), p.number("#lost"), p.number("#doubled"); events != changes || lost != 0 || doubled != 0 {
		t.Errorf("the page has seen %d events of %d, %d lost, %d doubled, want all of them once", events, changes, lost, doubled)
	}
}
