//go:build lab && linux

package lab

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// The scripts of a machine: its first program, and the loop that kills experiments.
var (
	//go:embed init
	initProgram []byte
	//go:embed killed
	killedProgram []byte
)

// The users of a machine.
const (
	passwd = "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n"
	group  = "root:x:0:\nuser:x:1000:\n"
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

// released are timebench's binaries by architecture, built as a release builds them.
var released = func() map[string]func() ([]byte, error) {
	all := map[string]func() ([]byte, error){}
	for _, arch := range []string{"amd64", "arm64", "386", "riscv64", "arm", "s390x", "ppc64le"} {
		all[arch] = sync.OnceValues(func() ([]byte, error) { return release(arch) })
	}
	return all
}()

func release(arch string) ([]byte, error) {
	build, err := os.MkdirTemp("", "timebench-lab-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(build) }()
	binary := filepath.Join(build, "timebench")
	compiler := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary,
		"github.com/timebench/timebench")
	compiler.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := compiler.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build for %s: %w\n%s", arch, err, out)
	}
	return os.ReadFile(binary)
}

// root returns a machine's root file system: busybox, timebench, a script and the files that it names.
func root(t testing.TB, arch, script string) []byte {
	t.Helper()
	busybox, err := os.ReadFile(filepath.Join(parts(t, arch), "busybox"))
	require.NoError(t, err)
	timebench, err := released[arch]()
	require.NoError(t, err)
	var all archive
	for _, name := range []string{"bin", "dev", "etc", "proc", "root", "run", "sys", "tmp"} {
		all.add(name, folder, nil)
	}
	all.add("bin/busybox", program, busybox)
	all.add("bin/timebench", program, timebench)
	if strings.Contains(script, "timebench-386") {
		other, err := released["386"]()
		require.NoError(t, err)
		all.add("bin/timebench-386", program, other)
	}
	for word, add := range map[string]func(){
		" reader ":        func() { addGo(t, &all, arch, "reader", "../readers/testdata/reader.go") },
		"reader-c ":       func() { addC(t, &all, arch, "reader-c", "../readers/testdata/reader.c") },
		"marked ":         func() { addC(t, &all, arch, "marked", "testdata/marked.c") },
		" loop vdso ":     func() { addLoop(t, &all, arch) },
		"load ":           func() { addModules(t, &all, arch, script) },
		" vmm ":           func() { addGuest(t, &all, arch) },
		"run hpet-ahead ": func() { addGo(t, &all, arch, "hpet-ahead", "testdata/hpet-ahead.go") },
		"run stepped ":    func() { addGo(t, &all, arch, "stepped", "testdata/stepped.go") },
	} {
		if strings.Contains(script, word) {
			add()
		}
	}
	all.add("bin/killed", program, killedProgram)
	all.add("etc/passwd", program, []byte(passwd))
	all.add("etc/group", program, []byte(group))
	all.add("init", program, initProgram)
	all.add("script", program, []byte(script))
	return all.whole()
}

// loaded matches the modules that a script loads.
var loaded = regexp.MustCompile(`(?m)^load (\S+)$`)

// addModules adds the modules of the kernel that a script loads.
func addModules(t testing.TB, all *archive, arch, script string) {
	t.Helper()
	all.add("lib", folder, nil)
	for _, module := range loaded.FindAllStringSubmatch(script, -1) {
		paths, err := filepath.Glob(filepath.Join(parts(t, arch), module[1]+".ko*"))
		require.NoError(t, err)
		require.Len(t, paths, 1, module[1])
		all.add("lib/"+filepath.Base(paths[0]), program, content(t, paths[0]))
	}
}
