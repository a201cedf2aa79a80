package ptrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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

// onOwnThread calls fn on a locked thread that has no children, and returns when fn has returned.
// Then the thread ends. It must have no children, because fn waits for each child of the thread,
// and would take the exit status of a child that another goroutine started here and waits for.
//
// No such child can come later: other goroutines do not run on a locked thread, and orphans go to
// the main thread (find_new_reaper in kernel/exit.c), on which fn does not run. A thread that does
// not fit is kept until fn has returned, so that the next goroutine is on another one.
//
// If fn left a process behind, the kernel would kill it at the end of the thread (PTRACE_O_EXITKILL).
// thread.Run is not for this: it blocks signals, and a program that starts there would inherit that.
func onOwnThread(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() || hasChildren() {
			onOwnThread(fn)
			runtime.UnlockOSThread()
			return
		}
		fn()
	}()
	<-done
}

// hasChildren reports whether the calling thread has children or tracees. WNOWAIT leaves the exit
// status of a child to those who wait for it.
func hasChildren() bool {
	const options = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT | unix.WALL | unix.WNOTHREAD
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, options, nil)
		if !errors.Is(err, unix.EINTR) {
			return !errors.Is(err, unix.ECHILD)
		}
	}
}
