package send_test

import (
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/go-bizppurio/sdk/send"
)

func TestWindow_Contains(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("KST", 9*60*60)
	at := func(h, m, s, ns int) time.Time { return time.Date(2026, 12, 1, h, m, s, ns, kst) }
	const h = time.Hour
	vendor := send.Window{Open: 8 * h, Close: 20*h + 50*time.Minute}
	night := send.Window{Open: 22 * h, Close: 6 * h}
	tests := []struct {
		name string
		w    send.Window
		t    time.Time
		want bool
	}{
		{"before Open", vendor, at(7, 59, 59, 999_999_999), false},
		{"Open", vendor, at(8, 0, 0, 0), true},
		{"before Close", vendor, at(20, 49, 59, 999_999_999), true},
		{"Close", vendor, at(20, 50, 0, 0), false},
		{"midnight", vendor, at(0, 0, 0, 0), false},
		{"in UTC", vendor, at(8, 0, 0, 0).UTC(), true},
		{"zero is the vendor's, before Open", send.Window{}, at(7, 59, 59, 999_999_999), false},
		{"zero is the vendor's, Open", send.Window{}, at(8, 0, 0, 0), true},
		{"zero is the vendor's, before Close", send.Window{}, at(20, 49, 59, 999_999_999), true},
		{"zero is the vendor's, Close", send.Window{}, at(20, 50, 0, 0), false},
		{"always, midnight", send.Window{Close: 24 * h}, at(0, 0, 0, 0), true},
		{"always, last moment", send.Window{Close: 24 * h}, at(23, 59, 59, 999_999_999), true},
		{"never", send.Window{Open: h, Close: h}, at(1, 0, 0, 0), false},
		{"over midnight, before", night, at(21, 59, 59, 999_999_999), false},
		{"over midnight, Open", night, at(22, 0, 0, 0), true},
		{"over midnight, midnight", night, at(0, 0, 0, 0), true},
		{"over midnight, before Close", night, at(5, 59, 59, 999_999_999), true},
		{"over midnight, Close", night, at(6, 0, 0, 0), false},
		{"over midnight, counted on", send.Window{Open: 22 * h, Close: 30 * h}, at(5, 0, 0, 0), true},
		{"until midnight", send.Window{Open: 22 * h}, at(23, 0, 0, 0), true},
		{"until midnight, over", send.Window{Open: 22 * h}, at(0, 0, 0, 0), false},
		{"another zone", send.Window{Open: 8 * h, Close: 9 * h, Zone: time.UTC}, at(17, 30, 0, 0), true},
		{"another zone, Korea's hour", send.Window{Open: 8 * h, Close: 9 * h, Zone: time.UTC}, at(8, 30, 0, 0), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.w.Contains(tt.t); got != tt.want {
				t.Errorf("Contains(%v) = %t, want %t", tt.t, got, tt.want)
			}
		})
	}
}

func TestWindow_Next(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("KST", 9*60*60)
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	const h, min = time.Hour, time.Minute
	tests := []struct {
		name    string
		w       send.Window
		t, want time.Time
	}{
		{"inside", send.Window{}, time.Date(2026, 12, 1, 12, 0, 0, 1, kst), time.Date(2026, 12, 1, 12, 0, 0, 1, kst)},
		{"same day", send.Window{}, time.Date(2026, 12, 1, 7, 59, 59, 0, kst), time.Date(2026, 12, 1, 8, 0, 0, 0, kst)},
		{"next day", send.Window{}, time.Date(2026, 12, 31, 20, 50, 0, 0, kst), time.Date(2027, 1, 1, 8, 0, 0, 0, kst)},
		{"from UTC", send.Window{}, time.Date(2026, 12, 1, 22, 0, 0, 0, time.UTC), time.Date(2026, 12, 2, 8, 0, 0, 0, kst)},
		{"over midnight", send.Window{Open: 22 * h, Close: 6 * h}, time.Date(2026, 12, 1, 6, 0, 0, 0, kst), time.Date(2026, 12, 1, 22, 0, 0, 0, kst)},
		{"never", send.Window{Open: h, Close: h}, time.Date(2026, 12, 1, 6, 0, 0, 0, kst), time.Time{}},
		{"Open on the day before", send.Window{Open: -h, Close: 10 * h}, time.Date(2026, 12, 1, 12, 0, 0, 0, kst), time.Date(2026, 12, 2, 0, 0, 0, 0, kst)},
		{"Close on the day before", send.Window{Open: 8 * h, Close: -h}, time.Date(2026, 12, 1, 23, 0, 0, 0, kst), time.Date(2026, 12, 2, 8, 0, 0, 0, kst)},
		{"on the day after", send.Window{Open: 25 * h, Close: 30 * h}, time.Date(2026, 12, 1, 12, 0, 0, 0, kst), time.Date(2026, 12, 2, 1, 0, 0, 0, kst)},
		// On 2026-03-08 the clock jumps from 02:00 to 03:00.
		{
			"opens in the hour that is left out",
			send.Window{Open: 2*h + 30*min, Close: 4 * h, Zone: newYork},
			time.Date(2026, 3, 8, 1, 0, 0, 0, newYork), time.Date(2026, 3, 8, 3, 0, 0, 0, newYork),
		},
		{
			"lies in the hour that is left out",
			send.Window{Open: 2 * h, Close: 3 * h, Zone: newYork},
			time.Date(2026, 3, 8, 1, 0, 0, 0, newYork), time.Date(2026, 3, 9, 2, 0, 0, 0, newYork),
		},
		// On 2026-11-01 it goes from 02:00 (EDT) back to 01:00 (EST).
		{
			"opens twice, first time",
			send.Window{Open: h + 30*min, Close: h + 40*min, Zone: newYork},
			time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC),
		},
		{
			"opens twice, second time",
			send.Window{Open: h + 30*min, Close: h + 40*min, Zone: newYork},
			time.Date(2026, 11, 1, 5, 40, 0, 0, time.UTC), time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.w.Next(tt.t); !got.Equal(tt.want) {
				t.Errorf("Next(%v) = %v, want %v", tt.t, got, tt.want)
			}
		})
	}
}

func TestWindow_Until(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("KST", 9*60*60)
	const h = time.Hour
	night := send.Window{Open: 22 * h, Close: 6 * h}
	tests := []struct {
		name    string
		w       send.Window
		t, want time.Time
	}{
		{"inside", send.Window{}, time.Date(2026, 12, 1, 12, 0, 0, 1, kst), time.Date(2026, 12, 1, 20, 50, 0, 0, kst)},
		{"last moment", send.Window{}, time.Date(2026, 12, 1, 20, 49, 59, 999_999_999, kst), time.Date(2026, 12, 1, 20, 50, 0, 0, kst)},
		{"outside", send.Window{}, time.Date(2026, 12, 1, 20, 50, 0, 0, kst), time.Date(2026, 12, 1, 20, 50, 0, 0, kst)},
		{"from UTC", send.Window{}, time.Date(2026, 12, 1, 23, 0, 0, 0, time.UTC), time.Date(2026, 12, 2, 20, 50, 0, 0, kst)},
		{"before midnight", night, time.Date(2026, 12, 31, 23, 0, 0, 0, kst), time.Date(2027, 1, 1, 6, 0, 0, 0, kst)},
		{"after midnight", night, time.Date(2026, 12, 1, 5, 0, 0, 0, kst), time.Date(2026, 12, 1, 6, 0, 0, 0, kst)},
		{"closes at midnight", send.Window{Open: 22 * h, Close: 24 * h}, time.Date(2026, 12, 1, 23, 0, 0, 0, kst), time.Date(2026, 12, 2, 0, 0, 0, 0, kst)},
		{"never closes", send.Window{Close: 24 * h}, time.Date(2026, 12, 1, 5, 0, 0, 0, kst), time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.w.Until(tt.t); !got.Equal(tt.want) {
				t.Errorf("Until(%v) = %v, want %v", tt.t, got, tt.want)
			}
		})
	}
}

// TestWindow_edgesAreFirst: what Next returns is inside, what Until returns is
// not, and a look at each minute before finds none that is or is not.
func TestWindow_edgesAreFirst(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{nil}
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Asia/Seoul", "America/Sao_Paulo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 600 {
		w := send.Window{
			Open:  time.Duration(random.IntN(24*60)) * time.Minute,
			Close: time.Duration(1+random.IntN(24*60)) * time.Minute,
			Zone:  zones[random.IntN(len(zones))],
		}
		if i%3 == 0 { // odd ones, too
			w.Open += time.Duration(random.IntN(7)-3) * 12 * time.Hour
			w.Close += time.Duration(random.IntN(7)-3) * 12 * time.Hour
		}
		from := start.Add(time.Duration(random.IntN(365*24*60)) * time.Minute)
		next, until := w.Next(from), w.Until(from)
		if next.IsZero() || until.IsZero() { // it never opens, or never closes
			for at := from; at.Before(from.Add(48 * time.Hour)); at = at.Add(time.Minute) {
				if w.Contains(at) != until.IsZero() {
					t.Fatalf("%v: Next(%v) = %v, Until = %v, but Contains(%v) = %t", w, from, next, until, at, w.Contains(at))
				}
			}
			continue
		}
		if until.Before(from) || w.Contains(until) {
			t.Fatalf("%v: Until(%v) = %v, which is inside or earlier", w, from, until)
		}
		for at := from; at.Before(until); at = at.Add(time.Minute) {
			if !w.Contains(at) {
				t.Fatalf("%v: Until(%v) = %v, want %v", w, from, until, at)
			}
		}
		if next.Before(from) || !w.Contains(next) {
			t.Fatalf("%v: Next(%v) = %v, which is not inside or earlier", w, from, next)
		}
		for at := from; at.Before(next); at = at.Add(time.Minute) {
			if w.Contains(at) {
				t.Fatalf("%v: Next(%v) = %v, want %v", w, from, next, at)
			}
		}
	}
}
