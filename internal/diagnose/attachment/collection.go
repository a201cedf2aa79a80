package attachment

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// roots are the folders at the root of a machine's files, and of a sosreport.
var roots = []string{"proc", "sys", "etc", "usr", "var", "sos_commands"}

const cpuinfoPath = "proc/cpuinfo" // the file with a paragraph for each CPU

// wanted are the files that show facts about the clocks of a machine.
var wanted = []string{
	"proc/cmdline", cpuinfoPath, "proc/version", "proc/modules", "proc/xen/capabilities", "proc/device-tree/compatible",
	"proc/sys/kernel/osrelease", "proc/sys/kernel/arch", "etc/os-release", "usr/lib/os-release", "etc/debian_version",
	"sys/devices/system/clocksource/clocksource0/current_clocksource", uname, "sys/hypervisor/type",
	"sys/devices/system/clocksource/clocksource0/available_clocksource", virtualDMI + "sys_vendor",
	"sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name", virtualDMI + "product_name",
}

const virtualDMI = "sys/devices/virtual/dmi/id/" // the folder that sys/class/dmi/id is a link to

const uname = "sos_commands/kernel/uname_-a" // the output of `uname -a` in a sosreport, which lacks /proc/version

// logs are where a kernel log is, the best first: by the path of a machine, of a sosreport, and of a supportconfig.
var logs = []string{
	"sos_commands/kernel/dmesg", "sos_commands/kernel/dmesg_-T", "boot.txt",
	"sos_commands/logs/journalctl_--no-pager_--boot", "sos_commands/logs/journalctl_--no-pager_--catalog_--boot",
	"var/log/kern.log", "var/log/messages", "var/log/syslog", logOfBoot,
}

const logOfBoot = "var/log/dmesg" // the log at the end of the boot, without all later messages of the kernel

// supportconfigs are the files of a supportconfig (SUSE) with other files of the machine in them. boot.txt has the log
// too.
var supportconfigs = []string{"boot.txt", "hardware.txt", "basic-environment.txt"}

// known are all files that are read. boot.txt is of two lists.
var known = slices.Compact(slices.Sorted(slices.Values(slices.Concat(wanted, logs, supportconfigs))))

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

// maxFile is the max size of a file that is kept, in bytes. Files in /proc and /sys have a few values, except for
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
	if c.from == "" || rank(name, true) < rank(c.from, c.log.Whole()) {
		found, err := readLog(r)
		c.keepLog(name, found, err)
	}
}

func (c *collection) keepLog(name string, found log, err error) {
	switch {
	case err != nil:
		c.unread = fmt.Errorf("%s: %w", name, err)
	case c.from == "" || rank(name, found.Whole()) < rank(c.from, c.log.Whole()):
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

// maxCPUInfo is the max size of /proc/cpuinfo, in bytes: it has up to 3 KB for each of at most about 1800 CPUs of x86.
const maxCPUInfo = 8 << 20

// limit returns the max size of a file that is kept.
func limit(name string) int {
	if name == cpuinfoPath {
		return maxCPUInfo
	}
	return maxFile
}

// addSections keeps the wanted files in a file of a supportconfig. There the path of each is in the line after the
// heading:
//
//	#==[ Configuration File ]===========================#
//	# /proc/cmdline
func (c *collection) addSections(name string, r io.Reader) {
	var (
		found   log
		path    string // of the file that is being read; "" outside of a wanted file
		content strings.Builder
		heading bool // whether the line before was one
	)
	end := func() {
		if path != "" {
			c.keep(path, []byte(content.String()))
		}
		path = ""
		content.Reset()
	}
	err := eachLine(r, func(line string) {
		found.add(line)
		begins := strings.HasPrefix(line, "#==[ ")
		switch {
		case begins:
			end()
		case heading:
			of, ok := strings.CutPrefix(line, "# /")
			if _, is := c.files[of]; ok && !is && slices.Contains(wanted, of) { // the first of a path counts
				path = of
			}
		case path != "" && content.Len() < limit(path):
			content.WriteString(line + "\n")
		}
		heading = begins
	})
	if err != nil {
		c.unread = fmt.Errorf("%s: %w", name, err)
		return
	}
	end()
	if slices.Contains(logs, name) {
		finished, err := found.finished()
		c.keepLog(name, finished, err)
	}
}
