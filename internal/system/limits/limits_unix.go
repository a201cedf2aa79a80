//go:build unix

package limits

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// spareFiles is how many files the program must be able to open: two for the poller of the Go runtime, and
// two of its own, since a file that is named is found and then opened. Commands that need more report it themselves.
const spareFiles = 4

// fewestFiles covers three inherited files, and two that the Go runtime keeps open for the cgroup CPU limit.
const fewestFiles = 9

// checkFiles returns an error if the limit of open files is too low. It opens as many as are
// needed, since a process may inherit any number of open files.
func checkFiles() error {
	var files [spareFiles]int
	for i := range files {
		file, err := unix.Open("/", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == unix.EMFILE {
			var limit unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
				return err
			}
			return fmt.Errorf("the limit of open files is %d (ulimit -n); timebench needs at least %d",
				limit.Cur, max(fewestFiles, int(limit.Cur)+spareFiles-i))
		}
		if err == nil {
			defer func() { _ = unix.Close(file) }()
		}
	}
	return nil
}
