package ptrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// Usable returns why programs cannot be traced here, and nil if they can. It tries, once in the
// life of the process.
func Usable() error { return usable() }

var usable = sync.OnceValue(func() error {
	err := errors.New("not tried")
	onOwnThread(func() { err = try() })
	if err == nil {
		return nil
	}
	debuglog.Printf("ptrace", "%v", err)
	return errors.New(reason(err, procfile.Field))
})

// try traces a process of this program itself up to its first instruction, and kills it there.
func try() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	t := &tracer{hide: true}
	program := exec.Command(self)
	if err := t.start(program); err != nil {
		return err
	}
	fault := t.prepare(program)
	t.kill()
	t.follow(context.Background())
	_ = program.Process.Release()
	return fault
}

// reason returns in one line why tracing failed. read is [procfile.Field].
func reason(err error, read func(file, key string) string) string {
	const forbidden = "ptrace is not permitted here"
	switch {
	case errors.Is(err, unix.ENOSYS):
		return "ptrace does not work here: this system does not have the call, as an emulator such as qemu-user does not"
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
