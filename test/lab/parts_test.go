//go:build lab && linux

package lab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// parts returns the folder of the files that machines of an architecture boot, which it may have to fetch first.
func parts(t testing.TB, arch string) string {
	t.Helper()
	all, err := fetched()
	if err != nil {
		need.Missing(t, "lab", err.Error())
	}
	return filepath.Join(all, arch)
}

var fetched = sync.OnceValues(func() (string, error) {
	all := os.Getenv("TIMEBENCH_LAB")
	if all == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("TIMEBENCH_LAB names no folder for the kernels: %w", err)
		}
		all = filepath.Join(cache, "timebench-lab")
	}
	all, err := filepath.Abs(all)
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("./fetch", all).CombinedOutput(); err != nil {
		return "", fmt.Errorf("test/lab/fetch %s: %w\n%s", all, err, out)
	}
	return all, nil
})

// sources are the programs that a script may name, beside those that are in every machine.
var sources = map[string]string{
	"hpet-ahead": "testdata/hpet-ahead.go",
	"marked":     "testdata/marked.c",
	"reader":     "../readers/testdata/reader.go",
	"reader-c":   "../readers/testdata/reader.c",
	"stepped":    "testdata/stepped.go",
	"vmm":        "testdata/vmm.c",
}

// built returns the path of a program for a CPU, from its source in C or Go.
func built(t testing.TB, arch, source string) string {
	t.Helper()
	if filepath.Ext(source) == ".go" {
		return need.Built(t, source, "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	}
	if runtime.GOARCH != arch {
		need.Missing(t, "cc", "the compiler is for "+runtime.GOARCH+", and the machine is "+arch)
	}
	return need.Compiled(t, source, "-O2", "-static", "-fno-omit-frame-pointer")
}

// An archive is a root file system in the form that a kernel unpacks when it starts: cpio with the header "newc" (the
// kernel's Documentation/driver-api/early-userspace).
type archive struct{ bytes.Buffer }

// The modes of entries, as in inode(7).
const (
	folder  = 0o040755
	program = 0o100755
)

// add appends an entry. Folders come before their contents.
func (a *archive) add(name string, mode int, content []byte) {
	a.WriteString("070701")
	for _, field := range []int{0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0} {
		_, _ = fmt.Fprintf(a, "%08X", field)
	}
	for _, part := range [][]byte{[]byte(name + "\x00"), content} {
		a.Write(part)
		a.Write(make([]byte, -a.Len()&3)) // to a multiple of four bytes
	}
}

// The users of a machine.
const (
	passwd = "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n"
	group  = "root:x:0:\nuser:x:1000:\n"
)

// loaded matches the modules that a script loads.
var loaded = regexp.MustCompile(`(?m)^load (\S+)$`)

// root returns a machine's root file system: busybox, timebench, a script and the files that it names.
func root(t testing.TB, arch, script string) []byte {
	t.Helper()
	var all archive
	file := func(name, path string) { all.add(name, program, content(t, path)) }
	for _, name := range []string{"bin", "dev", "etc", "guest", "lib", "lib64", "proc", "root", "run", "sys", "tmp"} {
		all.add(name, folder, nil)
	}
	all.add("etc/passwd", program, []byte(passwd))
	all.add("etc/group", program, []byte(group))
	file("bin/busybox", filepath.Join(parts(t, arch), "busybox"))
	file("bin/timebench", need.TimebenchFor(t, "linux", arch))
	file("bin/killed", "killed")
	file("init", "init")
	all.add("script", program, []byte(script))
	words := strings.FieldsFunc(script, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for name, source := range sources {
		if slices.Contains(words, name) {
			file("bin/"+name, built(t, arch, source))
		}
	}
	for _, module := range loaded.FindAllStringSubmatch(script, -1) {
		paths, err := filepath.Glob(filepath.Join(parts(t, arch), module[1]+".ko*"))
		require.NoError(t, err)
		require.Len(t, paths, 1, module[1])
		file("lib/"+filepath.Base(paths[0]), paths[0])
	}
	if slices.Contains(words, "timebench-386") {
		file("bin/timebench-386", need.TimebenchFor(t, "linux", "386"))
	}
	if slices.Contains(words, "vmm") {
		file("guest/kernel", filepath.Join(parts(t, arch), "vmlinuz-7"))
		all.add("guest/initrd", program, root(t, arch, guestScript))
	}
	if slices.Contains(words, "loop") {
		addLoop(t, &all, arch)
	}
	all.add("TRAILER!!!", 0, nil)
	return all.Bytes()
}
