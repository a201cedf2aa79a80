//go:build freebsd || netbsd || openbsd

package host

import "golang.org/x/sys/unix"

// cpuCounts returns the numbers of logical CPUs and of cores; 0 cores if unknown.
func cpuCounts() (logical, cores int) { return countsBy(unix.SysctlUint32) }
