package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A person sends a message, its outcome appears, and then its report, all
// without a reload.
func TestPageSend(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	page := browse(t, p.url, look{})
	page.until(`!document.querySelector('#empty').hidden`)
	page.send("alimtalk_lms", "010-0000-1006") // no report ever comes
	page.until(rows("[data-outcome=accepted][data-delivery=waiting]") + " === 1")
	page.send("alimtalk_lms", "010-0000-1002")
	page.until(rows("[data-outcome=accepted][data-delivery=delivered][data-reports='2']") + " === 1")
	page.until(`document.querySelector('.tile[data-filter=accepted] strong').textContent === '2'`)
	page.until(`document.querySelector('#deliveries [data-delivery=delivered] strong').textContent === '1'`)
	page.until(`document.querySelectorAll('#latency .took.accepted').length === 2`)
	page.counted(t, p)
	page.until(`document.querySelector('#news').textContent.includes('010-****-1002')`)

	// The row opens by keyboard and tells the rest.
	page.do(chromedp.Focus(chromedp.CSS("#messages summary")), chromedp.KeyEvent("\r"))
	page.until(`document.querySelector('#messages details').open`)
	text := page.value(`document.querySelector('#messages .more').innerText`)
	for _, want := range []string{"at → lms", "KAT · 7103", "LMS · 6600"} {
		page.contains(text, want)
	}

	// Enter in a field sends as well, and what was wrong is said.
	page.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#to').value = ''`), chromedp.SendKeys(chromedp.ID("to"), "\r"))
	page.until(`document.querySelector('#problem').textContent !== '' && document.activeElement.id === 'to'`)
	page.do(chromedp.SendKeys(chromedp.ID("to"), "01012345678\r"))
	page.until(rows("[data-delivery=delivered]") + " === 2")
	page.until(`document.querySelector('#problem').textContent === ''`)

	// A number that is none is the SDK's to refuse, and says why.
	page.send("sms", "12")
	page.until(rows("[data-outcome=rejected][data-delivery=none]") + " === 1")
	page.contains(page.value(`document.querySelector('#messages .more').textContent`), "invalid")
}

// Each documented number does on the page what the page says it does.
func TestPageRecipients(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{attemptTimeout: 3 * time.Second})
	page := browse(t, p.url, look{language: "en-US"})
	all := scenarios(t)
	for i, s := range all {
		page.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const scenario = document.querySelector('#scenario')
			scenario.value = %q
			scenario.dispatchEvent(new Event('change'))
			document.querySelector('#order').requestSubmit()
		}`, s.Number)))
		page.until(fmt.Sprintf("%s === %d && %s === 0", rows(""), i+1, rows("[data-outcome=pending]")))
	}
	want := map[string]int{}
	for _, s := range all {
		want[fmt.Sprintf("[data-outcome=%s][data-delivery=%s]", s.Outcome, s.Delivery)]++
	}
	for selector, n := range want {
		page.until(fmt.Sprintf("%s === %d", rows(selector), n))
	}
	page.until(fmt.Sprintf(`document.querySelectorAll('#latency .took').length === %d`, len(all)))
	page.counted(t, p)
}

func TestPageFilter(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	page := browse(t, p.url, look{})
	for i, to := range []string{"010-0000-0000", "010-0000-2000", "010-0000-5004", "010-0000-6004", "010-0000-0000"} {
		page.send("sms", to)
		page.until(fmt.Sprintf("%s === %d && %s === 0", rows(""), i+1, rows("[data-outcome=pending]")))
	}
	press := func(filter string) {
		t.Helper()
		page.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(".tile[data-filter=%q]", filter))))
		page.until(fmt.Sprintf(`document.querySelector('.tile[data-filter=%q]').ariaPressed === 'true'`, filter))
	}
	for _, tile := range []struct {
		filter string
		want   int
	}{{"accepted", 2}, {"rejected", 1}, {"not_sent", 1}, {"unknown", 1}} {
		press(tile.filter)
		page.until(fmt.Sprintf("%s === %d", rows(":not([hidden])"), tile.want))
		page.until(fmt.Sprintf("%s === %d", rows(":not([hidden])[data-outcome="+tile.filter+"]"), tile.want))
	}
	press("")
	page.until(rows(":not([hidden])") + " === 5")

	// What arrives while a filter holds is filtered too.
	press("rejected")
	page.send("sms", "010-0000-3001")
	page.until(rows(":not([hidden])[data-outcome=rejected]") + " === 2")
	page.send("sms", "010-0000-0000")
	page.until(rows("[data-outcome=accepted]") + " === 3")
	page.until(rows(":not([hidden])") + " === 2")
	page.until(`document.querySelector('#shown').textContent === '7건 중 2건'`)
	page.do(chromedp.Click(chromedp.CSS(`.tile[data-filter="rejected"]`))) // once more: off
	page.until(rows(":not([hidden])") + " === 7")
}

func TestPageLanguage(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	page := browse(t, p.url, look{language: "en-US"})
	is := func(language, title, outcome string) {
		t.Helper()
		page.until(fmt.Sprintf(`document.documentElement.lang === %q && document.querySelector('h1').textContent === %q`, language, title))
		page.until(fmt.Sprintf(`document.querySelector('#messages .badge.outcome b')?.textContent === %q`, outcome))
		page.until(fmt.Sprintf(`document.querySelector('[data-language=%q]').ariaPressed === 'true'`, language))
	}
	page.send("sms", "010-0000-0000")
	page.until(rows("[data-delivery=delivered]") + " === 1")
	is("en", "Bizppurio console", "Accepted")
	page.do(chromedp.Click(chromedp.CSS("[data-language=ko]")))
	is("ko", "비즈뿌리오 콘솔", "접수")
	page.do(chromedp.Reload())
	is("ko", "비즈뿌리오 콘솔", "접수") // chosen once, and the row comes from the state

	// Both languages have the same words, none is missing on the page.
	page.until(`document.querySelectorAll('[data-t]').length > 20 && [...document.querySelectorAll('[data-t]')].every((e) => e.textContent)`)
	missing := evaluate[[]string](page, `import('/words.js').then(({ words: { ko, en } }) => [
		...Object.keys(ko).filter((k) => !(k in en)), ...Object.keys(en).filter((k) => !(k in ko))])`)
	if len(missing) > 0 {
		t.Errorf("words in one language only: %v", missing)
	}

	// And the browser decides where nobody has chosen.
	browse(t, p.url, look{language: "ko-KR"}).until(`document.documentElement.lang === 'ko'`)
}

// Every control has a name, and nothing is wider than a narrow screen.
func TestPageAccessible(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{})
	page := browse(t, p.url, look{language: "en-US", width: 390, height: 844, scheme: "dark"})
	for i, to := range []string{"010-0000-0000", "010-0000-5004", "010-0000-6001"} {
		page.send("rcs_alimtalk_lms", to)
		page.until(fmt.Sprintf("%s === %d && %s === 0", rows(""), i+1, rows("[data-outcome=pending]")))
	}
	page.do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll('details')) d.open = true`))
	nameless := evaluate[[]string](page, `[...document.querySelectorAll('input, select, textarea, button, summary, [role=img], [role=group]')]
		.filter((e) => !(e.labels?.[0]?.textContent || e.ariaLabel || e.textContent).trim()).map((e) => e.outerHTML)`)
	if len(nameless) > 0 {
		t.Errorf("controls without a name: %v", nameless)
	}
	if width := evaluate[int](page, `document.documentElement.scrollWidth`); width > 390 {
		t.Errorf("the page is %d px wide on a screen of 390", width)
	}
	if ground := page.value(`getComputedStyle(document.body).backgroundColor`); ground != "rgb(19, 19, 17)" {
		t.Errorf("ground = %s, want the dark one", ground)
	}
}
