package profile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// paranoidFile has the setting that says who may sample: Documentation/admin-guide/perf-security.rst
// and sysctl/kernel.rst of the kernel. Debian's and Android's kernels know 3 and 4: only
// with the capability.
const paranoidFile = "/proc/sys/kernel/perf_event_paranoid"

func paranoid() string {
	text, err := procfile.Read(paranoidFile)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// needed returns who may sample the whole machine (level 0) or what a read does in the kernel (1), or the highest
// setting that allows it.
func needed(level int) string {
	user := "root (use sudo)"
	if os.Geteuid() == 0 && inUserNamespace() {
		user = "root outside of this user namespace"
	}
	return fmt.Sprintf("that needs %s, CAP_PERFMON (Linux 5.8), or kernel.perf_event_paranoid %d or below (it is %s)",
		user, level, paranoid())
}

// descriptorsNeeded returns how many open files are needed, beside the few of the program itself.
func descriptorsNeeded(number int) string {
	return fmt.Sprintf("too many open files; the limit is %d (ulimit -n), and sampling needs %d beside those in use",
		openFiles(), number)
}

// openFiles returns the limit of open files; 0 if that is unknown.
func openFiles() int {
	var limit unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return int(min(limit.Cur, math.MaxInt32)) //nolint:gosec // below the limit
}

// explained returns an error of perf_event_open(2) with its remedy.
func explained(err error) error {
	switch {
	case forbidden(err) && os.Geteuid() == 0 && inUserNamespace():
		return fmt.Errorf("%w: root of a user namespace, as of a container without root, may sample no more than an ordinary user (kernel.perf_event_paranoid is %s); run timebench as root outside of it", err, paranoid())
	case errors.Is(err, unix.EPERM) && os.Geteuid() == 0:
		return fmt.Errorf("%w: the container or a security module forbids it to root; allow perf_event_open (docker run --cap-add PERFMON, or --security-opt seccomp=unconfined)", err)
	case forbidden(err):
		return fmt.Errorf("%w: sampling needs root (use sudo) or CAP_PERFMON; own processes need only kernel.perf_event_paranoid 2 or below (it is %s)", err, paranoid())
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w: this kernel has no perf events (CONFIG_PERF_EVENTS), or the sandbox hides them", err)
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return fmt.Errorf("%w: raise the limit of open files (ulimit -n)", err)
	default:
		return err
	}
}

// inUserNamespace returns whether this process is in another user namespace than the first one, which has all users:
// user_namespaces(7).
func inUserNamespace() bool {
	users, err := procfile.Read("/proc/self/uid_map")
	const all = "0 0 4294967295"
	return err == nil && strings.Join(strings.Fields(string(users)), " ") != all
}

// protection returns why a process may be protected from this user.
func protection(pid int) string {
	var of unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &of); err == nil && int(of.Uid) == os.Geteuid() {
		return "may have other rights (set-user-ID, capabilities)"
	}
	// The files in /proc of a process that is not dumpable belong to root: proc(5).
	return "belongs to another user or is not dumpable"
}
