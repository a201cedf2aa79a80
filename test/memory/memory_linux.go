// Package memory measures the peak memory of the programs that a test runs.
package memory

import (
	"fmt"
	"os/exec"
	"time"

	"github.com/timebench/timebench/internal/system/procfile"
)

// PeakBytes returns the most memory that a running process has held, in bytes: VmHWM of proc_pid_status(5). ok is false
// if the process has ended.
//
// The resource usage of an ended process (ru_maxrss of getrusage(2)) is no substitute: Go starts a program with
// vfork(2), and at execve(2) the kernel takes the memory of the process that started it for the program's (exec_mmap in
// fs/exec.c).
func PeakBytes(pid int) (peak int64, ok bool) {
	var kibibytes int64
	_, err := fmt.Sscan(procfile.Field(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:"), &kibibytes)
	return kibibytes << 10, err == nil
}

// Wait waits for the end of a started program, and returns its peak memory in bytes, as of some milliseconds before its
// end. The error is from [exec.Cmd.Wait].
func Wait(command *exec.Cmd) (peak int64, err error) {
	const pause = 5 * time.Millisecond
	ended := make(chan error, 1)
	// The PID belongs to this program until Wait has returned.
	go func() { ended <- command.Wait() }()
	for {
		if now, ok := PeakBytes(command.Process.Pid); ok {
			peak = max(peak, now)
		}
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(pause):
		}
	}
}
