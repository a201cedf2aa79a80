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

// A record is one of /dev/kmsg. Programs may write there too; kernel marks the kernel's own.
type record struct {
	sequence uint64
	kernel   bool
	message  message
}

// readRecords reads /dev/kmsg, one record per call. EPIPE means that the next record was
// overwritten, EAGAIN that there is none.
func readRecords(read func([]byte) (int, error)) (messages []message, whole bool, err error) {
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
		r, ok := parseRecord(string(buffer[:n]))
		if !ok {
			continue
		}
		whole = whole && (!first || r.sequence == 0)
		first = false
		if r.kernel {
			messages = append(messages, r.message)
		}
	}
	return messages, whole, nil
}

// parseRecord reads "priority,sequence,microseconds,flags;text", without the lines that follow and describe the device
// (Documentation/ABI/testing/dev-kmsg in the kernel source).
func parseRecord(text string) (record, bool) {
	text, _, _ = strings.Cut(text, "\n")
	split := kernellog.Split(text)
	fields := strings.SplitN(text, ",", 3)
	if !split.Timed || len(fields) < 3 {
		return record{}, false
	}
	sequence, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return record{}, false
	}
	return record{sequence, !split.Program, message{split.Stamp + " ", split.Text}}, true
}

// parseLog parses a text of syslog(2) or of a log file. It returns the messages of the last
// boot in it; whole reports whether the first one is there.
func parseLog(text string) (messages []message, whole bool) {
	for line := range strings.Lines(text) {
		m, ok := parseLine(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue
		}
		if kernellog.BeginsBoot(m.text) {
			messages, whole = nil, true
		}
		messages = append(messages, m)
	}
	return messages, whole
}

// parseLine parses a line of the log; false if it is not from the kernel.
func parseLine(line string) (message, bool) {
	m := kernellog.Split(line)
	if !m.Kernel || m.Program {
		return message{text: m.Text}, false
	}
	if m.Timed {
		return message{m.Stamp + " ", m.Text}, true
	}
	return message{text: m.Text}, true
}
