package send

import "time"

// Window is a daily stretch of time in which advertisements may be sent.
// Open and Close count since midnight, by the clock on the wall in Zone; Open
// is inside, Close is not. A Close before Open is on the next day; {0, 24h} is
// always open. Where both are zero, the window is the vendor's for brand
// messages: 08:00 to 20:50 (spec 2.7), which is stricter than the law's 08:00
// to 21:00.
type Window struct {
	Open, Close time.Duration
	Zone        *time.Location // nil: Korea time, a fixed +09:00
}

const day = 24 * time.Hour

// Contains reports whether t is inside the window.
func (w Window) Contains(t time.Time) bool {
	w = w.filled()
	t = t.In(w.Zone)
	d := clock(t)
	return w.Open <= d && d < w.Close || w.Open <= d+day && d+day < w.Close
}

// Next returns the first moment at or after t that is inside the window, and
// the zero time if the window never opens.
func (w Window) Next(t time.Time) time.Time { return w.seek(t, true) }

// Until returns the first moment at or after t that is outside the window:
// when it closes, if t is inside. It is the zero time if the window never
// closes.
func (w Window) Until(t time.Time) time.Time { return w.seek(t, false) }

// seek returns the first moment at or after t that is inside, or that is not.
func (w Window) seek(t time.Time, inside bool) time.Time {
	if w.Contains(t) == inside {
		return t
	}
	f := w.filled()
	t = t.In(f.Zone).Round(0)
	edge := f.Open
	if !inside {
		edge = f.Close
	}
	var first time.Time
	consider := func(c time.Time) {
		if c.After(t) && (first.IsZero() || c.Before(first)) && w.Contains(c) == inside {
			first = c
		}
	}
	// The edge is where the clock shows it, in whatever offset Zone then has,
	// or where a change of the offset moves the clock over it. Of a window that
	// is no stretch of one day, such as one with a negative Open, it may be
	// midnight.
	end := t.Add(3 * day)
	for at := t; ; {
		_, offset := at.Zone()
		for i := range 4 {
			midnight := time.Date(t.Year(), t.Month(), t.Day()+i, 0, 0, 0, 0, time.UTC).Add(-time.Duration(offset) * time.Second)
			consider(midnight.In(f.Zone))
			consider(midnight.Add(edge % day).In(f.Zone))
		}
		_, change := at.ZoneBounds()
		if change.IsZero() || change.After(end) {
			return first
		}
		consider(change)
		at = change
	}
}

// filled replaces the zero values, and moves Close behind Open.
func (w Window) filled() Window {
	if w.Zone == nil {
		w.Zone = time.FixedZone("KST", 9*60*60)
	}
	if w.Open == 0 && w.Close == 0 {
		w.Open, w.Close = 8*time.Hour, 20*time.Hour+50*time.Minute
	}
	if w.Close < w.Open {
		w.Close += day
	}
	return w
}

// clock returns what the clock on the wall shows at t.
func clock(t time.Time) time.Duration {
	h, m, s := t.Clock()
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(t.Nanosecond())
}
