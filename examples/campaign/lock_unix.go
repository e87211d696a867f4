//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps a second program from sending the same list. It ends with the
// program, however that ends.
func lock(f *os.File) error {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return errors.New("another campaign is at work with this journal")
	}
	return nil
}

// unlock lets the next one in. Closing the file alone may be too late: a
// process that is being started has a copy of it until it runs.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
