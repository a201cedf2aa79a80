package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/procfs"
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

// readLogFile reads the end of a log file. It rejects a file that was last written before the
// boot.
func readLogFile(root, name string, add func(line string)) error {
	file, err := procfile.Open(filepath.Join(root, name))
	if err != nil {
		return cause(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return cause(err)
	}
	if info.ModTime().Before(bootTime(root)) {
		return fmt.Errorf("last written before this boot, at %s", info.ModTime().UTC().Format(time.DateTime))
	}
	text := make([]byte, min(info.Size(), maxLog))
	n, err := file.ReadAt(text, info.Size()-int64(len(text)))
	if err != nil && !errors.Is(err, io.EOF) {
		return cause(err)
	}
	addKernelLines(string(text[:n]), add)
	return nil
}

// cause returns an error without its path, which differs in tests.
func cause(err error) error {
	if within, ok := errors.AsType[*os.PathError](err); ok {
		return within.Err
	}
	return err
}

// bootTime returns the boot time of /proc/stat; zero if it is not there.
func bootTime(root string) time.Time {
	fs, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil || !regular(filepath.Join(root, "proc/stat")) {
		return time.Time{}
	}
	stat, err := fs.Stat()
	if err != nil || stat.BootTime == 0 {
		return time.Time{}
	}
	return time.Unix(int64(stat.BootTime), 0)
}
