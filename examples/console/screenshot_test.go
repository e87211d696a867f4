package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"os"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "take docs/console.png anew")

// The picture in the README is one of the page as it is. It is taken anew with
// -update; without, it has to be there in the size that was agreed.
func TestScreenshot(t *testing.T) {
	t.Parallel()
	const file, most = "docs/console.png", 300 << 10
	if *update {
		if err := os.WriteFile(file, takePicture(t), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if picture.Width != 1280 || len(data) > most {
		t.Errorf("%s is %d px wide and has %d bytes, want 1280 and at most %d", file, picture.Width, len(data), most)
	}
}

// takePicture sends one of each and some more.
func takePicture(t *testing.T) []byte {
	t.Helper()
	p := startProgram(t, settings{
		rtt: 2 * time.Millisecond, service: 15 * time.Millisecond, reportDelay: 400 * time.Millisecond, attemptTimeout: 2 * time.Second,
	})
	page := browse(t, p.url, look{})
	n := 0
	for _, m := range []struct{ kind, to string }{
		{"sms", "010-0000-0000"},
		{"lms", "010-0000-0000"},
		{"alimtalk", "010-0000-0000"},
		{"sms", "010-0000-1001"},
		{"brand_lms", "010-0000-0000"},
		{"alimtalk", "010-0000-3014"},
		{"alimtalk", "010-0000-6010"},
		{"sms", "010-0000-0000"},
		{"sms", "010-0000-5004"},
		{"alimtalk_lms", "010-0000-0000"},
		{"alimtalk", "010-0000-6012"},
		{"sms", "010-0000-6004"},
		{"rcs_alimtalk_lms", "010-0000-0000"},
		{"brand_lms", "010-0000-1003"},
		{"alimtalk_lms", "010-0000-1002"},
		{"alimtalk", "010-0000-1007"},
		{"alimtalk", "010-0000-2000"},
		{"alimtalk", "010-0000-6009"},
		{"alimtalk_lms", "010-0000-6001"},
	} {
		page.send(m.kind, m.to)
		n++
		page.until(fmt.Sprintf("%s === %d && %s === 0", rows(""), n, rows("[data-outcome=pending]")))
	}
	page.until(rows("[data-delivery=waiting]") + " === 1") // 6004, for ever
	page.send("alimtalk_lms", "010-0000-0000")
	page.until(fmt.Sprintf("%s === %d && %s === 0", rows(""), n+1, rows("[data-outcome=pending]")))
	page.until(`(document.querySelectorAll('#messages details')[1].open = true)`)
	return page.picture(900)
}
