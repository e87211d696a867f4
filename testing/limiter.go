package bizppuriotest

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

// limiter allows a number of calls in each window of time (spec 5).
type limiter struct {
	most   int // 0: no limit
	window time.Duration

	mu    sync.Mutex
	since time.Time // start of the window
	used  int
}

func (l *limiter) take() bool {
	if l.most <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) >= l.window {
		l.since, l.used = now, 0
	}
	l.used++
	return l.used <= l.most
}

// headers returns the RateLimit headers, nil if there is no limit. The reset
// is in seconds, as in the vendor's example (spec 8, A4).
func (l *limiter) headers() map[string]string {
	if l.most <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left := max(l.window-time.Since(l.since), 0)
	return map[string]string{
		"RateLimit-Limit":     strconv.Itoa(l.most),
		"RateLimit-Remaining": strconv.Itoa(max(l.most-l.used, 0)),
		"RateLimit-Reset":     fmt.Sprintf("%.3f", left.Seconds()),
	}
}
