package attachment

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/printable"
)

// roots are the folders at the root of a machine's files, and of a sosreport.
var roots = []string{"proc", "sys", "etc", "usr", "var", "sos_commands"}

// cpuinfoPath is the file with a paragraph for each CPU.
const cpuinfoPath = "proc/cpuinfo"

// wanted are the files that show facts about the clocks of a machine.
var wanted = []string{
	"proc/cmdline", cpuinfoPath, "proc/version", "proc/modules", "proc/xen/capabilities", "proc/device-tree/compatible",
	"proc/sys/kernel/osrelease", "proc/sys/kernel/arch", "etc/os-release", "usr/lib/os-release", "etc/debian_version", uname,
	"sys/devices/system/clocksource/clocksource0/current_clocksource", "sys/devices/system/clocksource/clocksource0/available_clocksource",
	"sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name", virtualDMI + "sys_vendor", virtualDMI + "product_name", "sys/hypervisor/type",
}

// virtualDMI is the folder that sys/class/dmi/id is a link to.
const virtualDMI = "sys/devices/virtual/dmi/id/"

// uname is the output of `uname -a` in a sosreport, which does not have /proc/version.
const uname = "sos_commands/kernel/uname_-a"

// logs are where a kernel log is, the best first: by the path of a machine, of a sosreport, and of a supportconfig.
var logs = []string{
	"sos_commands/kernel/dmesg", "sos_commands/kernel/dmesg_-T", "boot.txt", "sos_commands/logs/journalctl_--no-pager_--boot",
	"sos_commands/logs/journalctl_--no-pager_--catalog_--boot", "var/log/kern.log", "var/log/messages", "var/log/syslog", logOfBoot,
}

// logOfBoot ends with the boot, when it is stored. It lacks everything that the kernel found out later.
const logOfBoot = "var/log/dmesg"

// known are all files that are read.
var known = slices.Compact(slices.Sorted(slices.Values(slices.Concat(wanted, logs, supportconfigs)))) // boot.txt is of two

// within returns the path of a file below the root of the machine; false if it is not wanted. A sosreport has a folder
// around its files, so one folder above the root is ignored.
func within(name string) (string, bool) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
		return "", false
	}
	if first, rest, found := strings.Cut(name, "/"); found && !slices.Contains(roots, first) {
		name = rest
	}
	return name, slices.Contains(known, name)
}

// maxFile is the max size of a file that is kept, in bytes. Those in /proc and /sys have a few values, except for
// cpuinfo.
const maxFile = 64 << 10

// A collection is the known files of a machine, by their path below its root.
type collection struct {
	files  map[string][]byte
	log    log             // the best one
	from   string          // the path of that; "" without one
	unread error           // why a log was left out
	read   map[string]bool // the paths that were read: of several files with one path the first counts
}

func newCollection() *collection {
	return &collection{files: map[string][]byte{}, read: map[string]bool{}}
}

func (c *collection) add(name string, r io.Reader) error {
	if c.read[name] {
		return nil
	}
	c.read[name] = true
	switch {
	case slices.Contains(supportconfigs, name):
		c.addSections(name, r)
		return nil
	case slices.Contains(logs, name):
		c.addLog(name, r)
		return nil
	case name == cpuinfoPath:
		content, err := readCPUInfo(r)
		c.keep(name, content)
		return err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if len(content) <= maxFile && (err == nil || len(content) > 0) { // a file of sysfs may end with an error
		c.keep(name, content)
	}
	return err
}

func (c *collection) keep(name string, content []byte) {
	switch below, ok := strings.CutPrefix(name, virtualDMI); {
	case ok:
		name = "sys/class/dmi/id/" + below
	case name == uname:
		name = "proc/sys/kernel/osrelease"
		if fields := bytes.Fields(content); len(fields) > 2 {
			content = fields[2] // the release, after the system and the host
		} else {
			content = nil
		}
	}
	if _, is := c.files[name]; !is {
		c.files[name] = content
	}
}

// addLog keeps the useful lines of a log, if it is better than the kept log. A log that cannot be read is left out: a
// sosreport has the log of the boot twice.
func (c *collection) addLog(name string, r io.Reader) {
	if c.from == "" || rank(name, true) < rank(c.from, c.log.whole) {
		found, err := readLog(r)
		c.keepLog(name, found, err)
	}
}

func (c *collection) keepLog(name string, found log, err error) {
	switch {
	case err != nil:
		c.unread = fmt.Errorf("%s: %w", name, err)
	case c.from == "" || rank(name, found.whole) < rank(c.from, c.log.whole):
		c.log, c.from = found, name
	}
}

// rank returns a number that is lower for a better log. A log of a whole boot is better than a log that lost lines, as
// the kernel's buffer does. The log that ends with the boot is the worst.
func rank(name string, whole bool) int {
	at := slices.Index(logs, name)
	if !whole || name == logOfBoot {
		at += len(logs)
	}
	return at
}

// ofArchive returns the known files of an archive. It skips links, devices and paths that lead out.
func ofArchive(r *bufio.Reader) (*collection, error) {
	all := &toEnd{r: r}
	archive := tar.NewReader(all)
	found := newCollection()
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && all.ended: // archive/tar needs no blocks of zeros at the end, as tar(5) does
			return nil, errCutOff
		case errors.Is(err, io.EOF):
			return found, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errCutOff
		case errors.Is(err, errSpent):
			return nil, fmt.Errorf("%w; unpack it and give the folder", err)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if name, ok := within(header.Name); ok {
			if err := found.add(name, archive); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // Next returns it again
				return nil, err
			}
		}
	}
}

// toEnd is a reader that records whether it was read beyond its end.
type toEnd struct {
	r     io.Reader
	ended bool
}

func (e *toEnd) Read(to []byte) (int, error) {
	n, err := e.r.Read(to)
	e.ended = e.ended || n == 0 && errors.Is(err, io.EOF)
	return n, err
}

// ofFolder returns the known files of a folder. Links are followed only within it.
func ofFolder(name string) (*collection, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	found, budget := newCollection(), newBudget()
	for _, above := range append([]string{"."}, foldersIn(root)...) {
		for _, file := range known {
			found.addFrom(root, path.Join(above, file), file, budget)
		}
		if len(found.files) > 0 || found.from != "" {
			break
		}
		clear(found.read)
	}
	return found, nil
}

func foldersIn(root *os.Root) []string {
	const most = 16
	entries, _ := fs.ReadDir(root.FS(), ".")
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && len(folders) < most {
			folders = append(folders, entry.Name())
		}
	}
	return folders
}

// addFrom keeps a file of a folder, if it is a regular file that can be read.
func (c *collection) addFrom(root *os.Root, file, name string, budget *budget) {
	opened, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without waiting for the writer of a FIFO
	if err != nil {
		return
	}
	defer func() { _ = opened.Close() }()
	if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() {
		_ = c.add(name, budget.over(opened)) // what cannot be read is not there
	}
}

func ofFiles(name string, found *collection) (*result.Document, error) {
	switch {
	case len(found.files) > 0 || found.from != "":
	case found.unread != nil:
		return nil, found.unread
	default:
		return nil, ErrUnknown
	}
	facts := factsOf(found.files, found.log.lines())
	found.log.addTo(&facts)
	switch {
	case found.from != "":
		facts.KernelLog = found.log.kernelLog(found.from)
	case found.unread != nil:
		facts.KernelLog = &result.KernelLog{Reason: printable.Line(found.unread.Error())}
	default:
		facts.KernelLog = &result.KernelLog{Reason: "there is none in " + printable.Line(filepath.Base(name))}
	}
	return document(facts), nil
}

const (
	// maxCPUs is the max number of CPUs of Linux (NR_CPUS in arch/x86/Kconfig).
	maxCPUs = 8192
	// maxCPUInfo is the max size of what is kept of /proc/cpuinfo, in bytes: x86 has about 1 KB for each CPU without
	// its flags.
	maxCPUInfo = maxCPUs << 10
)

// A cpuinfo is /proc/cpuinfo without what only takes memory: the flags of all CPUs but the first, and CPUs that no
// machine has.
type cpuinfo struct {
	text  strings.Builder
	cpus  int
	flags bool // whether those of the first are kept
}

func (c *cpuinfo) add(line string) {
	key, _, _ := strings.Cut(line, ":")
	switch key = strings.TrimSpace(key); {
	case key == "processor":
		c.cpus++
	case key == "flags" || key == "Features": // x86, Arm
		if c.flags {
			return
		}
		c.flags = true
	case strings.HasSuffix(key, " flags") || key == "bugs":
		return
	}
	if c.cpus <= maxCPUs && c.text.Len() < maxCPUInfo {
		c.text.WriteString(line[:min(len(line), maxFact)] + "\n")
	}
}

func readCPUInfo(r io.Reader) ([]byte, error) {
	var c cpuinfo
	err := eachLine(r, c.add)
	return []byte(c.text.String()), err
}
