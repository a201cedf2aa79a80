//go:build linux || darwin || freebsd || openbsd || netbsd

package clock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A clockID is a clock of clock_gettime(2). The table clockIDs of a system is in its
// clockids_*.go file.
type clockID struct {
	name string
	id   int32
	kind Kind
	// kernelOnly: no vDSO supports the clock, so it has no @vdso: that would be the same
	// system call on every machine.
	kernelOnly bool
	// needs is what the machine lacks if the kernel knows the clock but returns EINVAL.
	needs string
}

// refusal returns the error of a read, with the name of the errno if the call was refused, by a filter such as seccomp,
// or because the kernel lacks it.
func refusal(err error) error {
	if err == nil { // as nearly always: each read of the clocks of a BSD comes here, and the rest takes 9 ns
		return nil
	}
	for _, errno := range []unix.Errno{unix.EPERM, unix.ENOSYS} {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w (%s)", err, unix.ErrnoName(errno))
		}
	}
	return err
}

// because returns the reason for the error of a read, with what the machine lacks if the errno
// does not explain it.
func (c clockID) because(err error) error {
	if c.needs != "" && errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("there is no %s: %w", c.needs, err)
	}
	return err
}
