//go:build linux || darwin || freebsd || openbsd || netbsd

package clock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A clockID is a clock of clock_gettime(2). Those of a system are a table, clockIDs, in
// the clockids_*.go file of the system.
type clockID struct {
	name string
	id   int32
	kind Kind
	// kernelOnly says that no vDSO answers for the clock: it has no clock @vdso, which
	// would be the same system call, and no fault of the machine.
	kernelOnly bool
	// needs is what the kernel lacks where it knows the clock and answers EINVAL; ""
	// where it lacks nothing.
	needs string
}

// because returns why the clock cannot be had, for the error of a read: in words where
// the errno alone does not tell.
func (c clockID) because(err error) error {
	if c.needs != "" && errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("there is no %s: %w", c.needs, err)
	}
	return err
}
