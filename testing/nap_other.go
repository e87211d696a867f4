//go:build !linux

package bizppuriotest

import "time"

func nap(d time.Duration) { time.Sleep(d) }
