package host

import (
	"errors"
	"strconv"
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

// readRecords reads /dev/kmsg, one record per call. EPIPE means that the next record was
// overwritten, EAGAIN that the log has no more.
func readRecords(read func([]byte) (int, error)) (messages []kernellog.Message, whole bool, err error) {
	buffer := make([]byte, maxRecord)
	first := true
	whole = true
	for range maxRecords {
		n, err := read(buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE):
			whole = false
			continue
		case errors.Is(err, unix.EAGAIN), err == nil && n <= 0:
			return messages, whole, nil
		case err != nil && len(messages) == 0:
			return nil, false, err
		case err != nil:
			return messages, false, nil
		}
		sequence, m, ok := parseRecord(string(buffer[:n]))
		if !ok {
			continue
		}
		whole = whole && (!first || sequence == 0)
		first = false
		if !m.Program { // which may write there too
			messages = append(messages, m)
		}
	}
	return messages, whole, nil
}

// parseRecord reads "priority,sequence,microseconds,flags;text", without the lines that follow and describe the device
// (Documentation/ABI/testing/dev-kmsg in the kernel source).
func parseRecord(text string) (sequence uint64, m kernellog.Message, ok bool) {
	text, _, _ = strings.Cut(text, "\n")
	fields := strings.SplitN(text, ",", 3)
	if len(fields) < 3 {
		return 0, m, false
	}
	sequence, err := strconv.ParseUint(fields[1], 10, 64)
	m = kernellog.Split(text)
	return sequence, m, m.Timed && err == nil
}

// parseLog parses a text of syslog(2) or of a log file. It returns the messages of the last boot in it; whole reports
// whether it has the first one.
func parseLog(text string) (messages []kernellog.Message, whole bool) {
	var boots kernellog.Boots
	for line := range strings.Lines(text) {
		m := kernellog.Split(line)
		if !m.Kernel || m.Program {
			continue
		}
		switch boots.Add(m) {
		case kernellog.NewBoot, kernellog.PerhapsNewBoot:
			messages = nil
		case kernellog.Foreign:
			continue
		case kernellog.SameBoot:
		}
		messages = append(messages, m)
	}
	return messages, boots.Whole()
}
