package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

// progress shows how far a campaign is: two lines that are drawn over and over
// on a terminal, else a plain line now and then.
type progress struct {
	w        io.Writer
	terminal bool
	plan     func() (perSecond float64, room int) // room -1: no matter
	begun    time.Time
	stop     chan struct{}
	stopped  sync.WaitGroup

	mu     sync.Mutex
	total  int
	counts map[string]int // by outcome
	before int            // settled by earlier runs
	drawn  bool
}

const (
	redraw  = 100 * time.Millisecond
	restate = 5 * time.Second
	width   = 20 // of the bar: the line fits into 80 columns
)

func newProgress(w io.Writer, plan func() (float64, int)) *progress {
	return &progress{
		w: w, terminal: isTerminal(w), plan: plan,
		begun: time.Now(), stop: make(chan struct{}), counts: make(map[string]int),
	}
}

// isTerminal says whether w is a character device, which draws.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// expect counts a row of the list, and what earlier runs know of it.
func (p *progress) expect(book *journal, row int) {
	p.total++
	if !book.may(row) {
		p.before++
		p.counts[book.of(row).Outcome]++
	}
}

// start shows the progress until finish.
func (p *progress) start() {
	if p.before > 0 {
		p.printf("going on: %s of %s were settled before\n", grouped(p.before), grouped(p.total))
	}
	every := restate
	if p.terminal {
		every = redraw
	}
	p.stopped.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.show()
			case <-p.stop:
				return
			}
		}
	})
}

// add counts an outcome.
func (p *progress) add(outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[outcome]++
}

// say prints a line above the progress.
func (p *progress) say(text string) {
	p.mu.Lock()
	if p.drawn {
		p.printf("\r\x1b[2A\x1b[J") // over the ^C that the terminal shows, too
		p.drawn = false
	}
	p.printf("%s\n", text)
	p.mu.Unlock()
	if p.terminal {
		p.show()
	}
}

// finish shows the end of it.
func (p *progress) finish() {
	close(p.stop)
	p.stopped.Wait()
	p.show()
}

func (p *progress) show() {
	perSecond, room := p.plan()
	p.mu.Lock()
	defer p.mu.Unlock()
	settled := 0
	for _, n := range p.counts {
		settled += n
	}
	share := 1.0
	if p.total > 0 {
		share = float64(settled) / float64(p.total)
	}
	pace := grouped(int(perSecond)) + "/s"
	left := p.total - settled
	switch {
	case left == 0:
		pace += "   took " + clock(time.Since(p.begun))
	case room >= 0 && room < left: // before the ad window closes
		pace += "   ad room " + grouped(room)
	case perSecond > 0:
		pace += "   ETA " + clock(time.Duration(float64(left)/perSecond*float64(time.Second)))
	}
	tally := fmt.Sprintf("accepted %s   rejected %s   not sent %s   unknown %s",
		p.count(send.Accepted), p.count(send.Rejected), p.count(send.NotSent), p.count(send.Unknown))
	if !p.terminal {
		p.printf("%3.0f%%  %s of %s   %s   %s\n", share*100, grouped(settled), grouped(p.total), pace, tally)
		return
	}
	if p.drawn {
		p.printf("\x1b[2A")
	}
	p.drawn = true
	full := int(share * width)
	bar := strings.Repeat("=", full) + strings.Repeat(" ", width-full)
	if full > 0 && full < width {
		bar = bar[:full-1] + ">" + bar[full:]
	}
	p.printf("\r\x1b[K[%s] %3.0f%%  %s of %s   %s\n\r\x1b[K%s\n", bar, share*100, grouped(settled), grouped(p.total), pace, tally)
}

func (p *progress) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

// count is a number, in the colour of the outcome where there is one.
func (p *progress) count(o send.Outcome) string {
	n := p.counts[o.String()]
	text := grouped(n)
	if !p.terminal || n == 0 || os.Getenv("NO_COLOR") != "" {
		return text
	}
	colour := "32" // green
	switch o {
	case send.Accepted:
	case send.Rejected:
		colour = "31" // red
	case send.NotSent:
		colour = "33" // yellow
	case send.Unknown:
		colour = "35" // magenta
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// grouped writes 12345 as 12,345.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// clock writes a duration as 1:02:03 or 2:03.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
