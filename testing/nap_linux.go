package bizppuriotest

import (
	"syscall"
	"time"
)

// nap sleeps for a short time in the kernel, which is exact to some 0.1 ms. It
// takes a thread for that long.
func nap(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // woken early by a signal is near enough
}
