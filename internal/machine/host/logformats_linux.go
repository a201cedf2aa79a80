package host

import (
	"errors"
	"strings"

	"github.com/timebench/timebench/internal/machine/kernellog"
	"golang.org/x/sys/unix"
)

const (
	// maxRecord is more than the size in bytes of any record of /dev/kmsg.
	maxRecord = 16 << 10
	// maxRecords is more than the largest log buffer holds.
	maxRecords = 1 << 20
)

// readRecords reads /dev/kmsg, one record per call, and adds each of the kernel as dmesg prints it. EPIPE means that
// the next record was overwritten, EAGAIN that the log has no more.
func readRecords(read func([]byte) (int, error), add func(line string)) (lost bool, err error) {
	buffer := make([]byte, maxRecord)
	some := false
	for range maxRecords {
		n, err := read(buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE):
			lost = true
			continue
		case errors.Is(err, unix.EAGAIN), err == nil && n <= 0:
			return lost, nil
		case err != nil && some:
			return true, nil
		case err != nil:
			return false, err
		}
		// "priority,sequence,microseconds,flags;text", and lines on the device (Documentation/ABI/testing/dev-kmsg).
		record, _, _ := strings.Cut(string(buffer[:n]), "\n")
		if m := kernellog.Split(record); m.Timed && !m.Program { // programs may write there too
			some = true
			add(m.Stamp + " " + m.Text)
		}
	}
	return lost, nil
}

// addKernelLines adds the lines of the kernel in a text of syslog(2) or of a log file.
func addKernelLines(text string, add func(line string)) {
	for line := range strings.Lines(text) {
		if m := kernellog.Split(line); m.Kernel && !m.Program {
			add(line)
		}
	}
}
