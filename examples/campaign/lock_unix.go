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
