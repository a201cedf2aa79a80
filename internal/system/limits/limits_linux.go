package limits

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func check() error {
	if err := checkThreads(); err != nil {
		return err
	}
	return checkFiles()
}

// fewestThreads is the smallest limit of threads. With 2 CPUs, every command was seen to end without a trace of Go's
// runtime from 12 on, if the user has no other process. compare reports that it needs more; other commands do not.
const fewestThreads = 16

func checkThreads() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil || limit.Cur >= fewestThreads || isExempt() {
		return nil
	}
	return fmt.Errorf("the limit of processes is %d (ulimit -u), which counts the threads of all processes of the user; "+
		"timebench needs at least %d for itself", limit.Cur, fewestThreads)
}

// isExempt reports whether the limit does not apply. In the initial user namespace it applies neither
// to root nor to the two capabilities; in others it applies to all (copy_process in kernel/fork.c).
func isExempt() bool {
	const initial = 0xEFFFFFFD // PROC_USER_INIT_INO
	var namespace unix.Stat_t
	if unix.Stat("/proc/self/ns/user", &namespace) == nil && namespace.Ino != initial {
		return false
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // of 32 capabilities each
	const exempting = 1<<unix.CAP_SYS_RESOURCE | 1<<unix.CAP_SYS_ADMIN
	return unix.Getuid() == 0 || unix.Capget(&header, &sets[0]) == nil && sets[0].Effective&exempting != 0
}
