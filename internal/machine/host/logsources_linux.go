package host

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/system/folder"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// logFiles are the files in which system programs store the kernel log.
var logFiles = []string{"/var/log/dmesg", "/var/log/kern.log", "/var/log/messages", "/var/log/syslog"}

// maxLog is how many bytes of the end of such a file are read.
const maxLog = 2 << 20

func logSources(root string) []logSource {
	var sources []logSource
	if root == live {
		sources = append(sources, logSource{"/dev/kmsg", readKmsg}, logSource{"syslog(2)", readSyslog})
	}
	for _, name := range logFiles {
		sources = append(sources, logSource{name, func(add func(line string)) (bool, error) {
			return false, readLogFile(root, name, add)
		}})
	}
	return sources
}

func readKmsg(add func(line string)) (lost bool, err error) {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = unix.Close(fd) }()
	return readRecords(func(record []byte) (int, error) { return unix.Read(fd, record) }, add)
}

// readSyslog reads the log buffer through syslog(2), with the actions of linux/syslog.h. It does
// not return messages before the last dmesg --clear.
func readSyslog(add func(line string)) (lost bool, err error) {
	const readAll, sizeBuffer = 3, 10
	size, err := unix.Klogctl(sizeBuffer, nil)
	if err != nil {
		return false, err
	}
	buffer := make([]byte, size)
	n, err := unix.Klogctl(readAll, buffer)
	if err != nil {
		return false, err
	}
	addKernelLines(string(buffer[:n]), add)
	return false, nil
}

// readLogFile reads the end of a log file. It rejects a file that was last written before the boot, by the wall clock
// of now: if that was set since, the file may be of this boot.
func readLogFile(root, name string, add func(line string)) error {
	file, err := procfile.Open(filepath.Join(root, name))
	if err != nil {
		return folder.SystemError(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return folder.SystemError(err)
	}
	if info.ModTime().Before(bootTime(root)) {
		return fmt.Errorf("last written at %s, before this boot or before the clock was set", info.ModTime().UTC().Format(time.DateTime))
	}
	text := make([]byte, min(info.Size(), maxLog))
	n, err := file.ReadAt(text, info.Size()-int64(len(text)))
	if err != nil && !errors.Is(err, io.EOF) {
		return folder.SystemError(err)
	}
	addKernelLines(string(text[:n]), add)
	return nil
}

// bootTime returns the boot time of /proc/stat; zero if it is not there.
func bootTime(root string) time.Time {
	_, line, _ := strings.Cut(readTable(root, "proc/stat"), "\nbtime ")
	number, _, _ := strings.Cut(line, "\n")
	seconds, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
