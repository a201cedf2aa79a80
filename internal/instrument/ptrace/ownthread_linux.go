package ptrace

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

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
