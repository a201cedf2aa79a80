package ptrace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// Usable returns why programs cannot be traced here, and nil if they can. It tries, once in the life of the process: it
// traces a process of this program itself up to its first instruction, and kills it there.
func Usable() error { return usable() }

var usable = sync.OnceValue(func() error {
	ample := program.Limits{Time: time.Minute, OutputBytes: 1 << 10}
	_, err := traced(context.Background(), tryHidden, program.Role(Role), ample)
	return err
})

// reason returns in one line why tracing failed. read is [procfile.Field].
func reason(err error, read func(file, key string) string) string {
	const forbidden = "ptrace is not permitted here"
	switch {
	case errors.Is(err, unix.ENOSYS):
		return "ptrace does not work here: this system does not have the call; an emulator such as qemu-user lacks it"
	case errors.Is(err, errOldKernel):
		return err.Error()
	case !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES) && !errors.Is(err, errEarly):
		return fmt.Sprintf("ptrace does not work here: %v", err)
	}
	const status = "/proc/self/status"
	if tracer := read(status, "TracerPid:"); tracer != "" && tracer != "0" {
		return fmt.Sprintf("%s (process %s traces timebench itself)", forbidden, tracer)
	}
	switch scope := read("/proc/sys/kernel/yama/ptrace_scope", ""); scope {
	case "2":
		return forbidden + " (kernel.yama.ptrace_scope is 2, which requires CAP_SYS_PTRACE)"
	case "3":
		return forbidden + " (kernel.yama.ptrace_scope is 3)"
	}
	if read(status, "Seccomp:") == "2" {
		return forbidden + " (a seccomp filter of this container, perhaps)"
	}
	return fmt.Sprintf("%s (%v)", forbidden, err)
}
