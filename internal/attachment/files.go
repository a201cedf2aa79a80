package attachment

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// roots are the folders at the root of a machine's files, and of a sosreport.
var roots = []string{"proc", "sys", "etc", "usr", "var", "sos_commands"}

// wanted are the files that tell about the clocks of a machine, by their path or the folder that they are in.
var wanted = []string{
	"proc/cmdline", "proc/cpuinfo", "proc/version", "proc/sys/kernel/osrelease", "proc/sys/kernel/arch", "etc/os-release", "usr/lib/os-release", "etc/adjtime",
	"sys/devices/system/clocksource/", "sys/class/dmi/id/", "sys/devices/virtual/dmi/id/", "sys/hypervisor/",
}

// logs are where a kernel log is, the best first: by the path of a machine, of a sosreport, and of a supportconfig.
var logs = []string{
	"var/log/dmesg", "sos_commands/kernel/dmesg", "sos_commands/kernel/dmesg_-T", "sos_commands/logs/journalctl_--no-pager_--boot",
	"sos_commands/logs/journalctl_--no-pager_--catalog_--boot", "boot.txt", "var/log/kern.log", "var/log/messages", "var/log/syslog",
}

// maxEntries bounds the files of an archive or a folder that are looked at.
const maxEntries = 1_000_000

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
	for _, of := range wanted {
		if name == of || strings.HasSuffix(of, "/") && strings.HasPrefix(name, of) {
			return name, true
		}
	}
	return name, slices.Contains(logs, name) || slices.Contains(supportconfigs, name)
}

// maxFiles is the max size of the files that are kept, in bytes: /proc/cpuinfo has 2 KiB for each of up to 8192 CPUs.
const maxFiles = 16 << 20

// maxSupportconfig is the max size of a file of a supportconfig, in bytes. It is read twice, for its log and its sections.
const maxSupportconfig = 16 << 20

// maxKept is the max number of files that are kept. A sosreport has some dozens of the wanted ones.
const maxKept = 4096

// A collection is the wanted files of a machine, by their path below its root.
type collection struct {
	files map[string][]byte
	log   log    // the best one
	from  string // the path of that; "" without one
	left  int64  // bytes that may still be kept
}

func newCollection() *collection { return &collection{files: map[string][]byte{}, left: maxFiles} }

// add keeps the content of a file, unless it is too large.
func (c *collection) add(name string, r io.Reader) error {
	if slices.Contains(supportconfigs, name) {
		text, err := io.ReadAll(io.LimitReader(r, maxSupportconfig+1))
		if err != nil || len(text) > maxSupportconfig {
			return err
		}
		if slices.Contains(logs, name) {
			c.addLog(name, bytes.NewReader(text))
		}
		return c.addSections(bytes.NewReader(text))
	}
	if slices.Contains(logs, name) {
		c.addLog(name, r)
		return nil
	}
	if len(c.files) >= maxKept {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(r, c.left+1))
	if int64(len(content)) <= c.left && (err == nil || len(content) > 0) { // a file of sysfs may end with an error
		c.left -= int64(len(content))
		c.files[name] = content
	}
	return err
}

// addLog keeps what of a log matters, if it is better than the one that is kept. One that is too large is left out: a
// sosreport has the log of the boot twice.
func (c *collection) addLog(name string, r io.Reader) {
	if c.from != "" && slices.Index(logs, c.from) <= slices.Index(logs, name) {
		return
	}
	if read, err := readLog(r); err == nil {
		c.log, c.from = read, name
	}
}

// ofArchive returns the wanted files of an archive. It skips links, devices and paths that lead out.
func ofArchive(archive *tar.Reader) (*collection, error) {
	found := newCollection()
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return nil, err
		case entries > maxEntries:
			return nil, errors.New("has more than a million files")
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if name, ok := within(header.Name); ok {
			if err := found.add(name, archive); err != nil {
				return nil, err
			}
		}
	}
}

// ofFolder returns the wanted files of a folder. Links are followed only within it.
func ofFolder(name string) (*collection, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	found := newCollection()
	for _, above := range append([]string{"."}, foldersIn(root)...) {
		for _, of := range slices.Concat(wanted, logs, supportconfigs) {
			at := path.Join(above, of)
			paths := []string{at}
			if strings.HasSuffix(of, "/") {
				paths = filesBelow(root, at)
			}
			for _, file := range paths {
				found.addFrom(root, file, strings.TrimPrefix(file, above+"/"))
			}
		}
		if len(found.files) > 0 || found.from != "" {
			break
		}
	}
	return found, nil
}

// foldersIn returns some of the folders in the root.
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

// filesBelow returns the regular files in a folder, and in those in it.
func filesBelow(root *os.Root, folder string) []string {
	const most = 1000
	var files []string
	_ = fs.WalkDir(root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && len(files) < most {
			files = append(files, name)
		}
		return nil
	})
	return files
}

// addFrom keeps a file of a folder, if it is a regular file that can be read.
func (c *collection) addFrom(root *os.Root, file, name string) {
	if info, err := root.Stat(file); err != nil || !info.Mode().IsRegular() {
		return
	}
	opened, err := root.Open(file)
	if err != nil {
		return
	}
	defer func() { _ = opened.Close() }()
	_ = c.add(name, opened) // what cannot be read is not there
}

// ofFiles returns the document of the files of a machine.
func ofFiles(name string, found *collection) (*result.Document, error) {
	if len(found.files) == 0 && found.from == "" {
		return nil, ErrUnknown
	}
	facts, err := factsOf(found.files, found.log.lines())
	if err != nil {
		return nil, err
	}
	found.log.tell(&facts)
	if facts.KernelLog = (&result.KernelLog{Reason: "there is none in " + filepath.Base(name)}); found.from != "" {
		facts.KernelLog = found.log.kernelLog(found.from)
	}
	return document(facts), nil
}
