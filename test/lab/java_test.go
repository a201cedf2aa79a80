//go:build lab && linux

package lab

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/test/need"
)

// javaHome is the folder of Java in a machine.
const javaHome = "java"

// javaScript measures Java, and beside it Go.
const javaScript = `
run java timebench runtimes go --runtime java=/java/bin/java --format json --call-time 20ms
`

// TestJava runs a real JVM under the clock source of the outages and under the one for comparison, and writes the
// output beside the other transcripts. The JVM adds no check to the checks of Go, which checkRuntimes makes in every
// machine.
func TestJava(t *testing.T) {
	if !*update {
		t.Skip("each machine takes three minutes; -update runs them")
	}
	var transcript bytes.Buffer
	for _, name := range []string{"hpet", "tsc"} {
		w := named(name)
		// QEMU does not see in time that one CPU changed code that another CPU runs, which a JVM does: it crashes.
		w.set("-smp", "1")
		// With one CPU the kernel would take the TSC.
		w.boots("clocksource=" + w.source + " wait=" + w.source)
		t.Run(w.name, func(t *testing.T) {
			d := document(t, w.run(t, javaScript).ok(t, "java"))
			require.Equal(t, w.source, d.Host.ClockSource.Current)
			java := first(t, runtimes.Of(d).Runtimes, func(r runtimes.MeasuredRuntime) bool { return r.Name == "java" })
			require.True(t, java.Available, java.Reason)
			require.Empty(t, java.Reason)
			for _, m := range java.Calls {
				entry := w.vdso
				if m.Kind == "cpu time" {
					entry = result.Always
				}
				require.NotNil(t, m.Latency, m.ID)
				if len(m.Reads) > 0 { // otherwise a read of the JVM's own is not told from one of the call
					require.Equal(t, m.TracedCalls, m.AttributedCalls, m.ID)
				}
				require.Equal(t, entry, m.KernelEntry, "%s: reads %v by %s", m.ID, m.Reads, m.ReadsBy)
			}
			transcript.WriteString(w.name + ": " + w.about + "\n\n")
			require.NoError(t, render.OfDocument(d).Text(&transcript))
			transcript.WriteString("\n")
		})
	}
	if !t.Failed() {
		require.NoError(t, os.WriteFile(filepath.Join(transcripts, "java.txt"), transcript.Bytes(), 0o644))
	}
}

// addJava adds a Java to a root file system, with the parts that the benchmark needs, and the C library of this
// machine.
func addJava(t testing.TB, all *archive) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "java")
	out, err := exec.Command(need.Program(t, "jlink"), "--add-modules", "java.base,java.management", "--strip-debug",
		"--no-header-files", "--no-man-pages", "--output", home).CombinedOutput()
	require.NoError(t, err, "%s", out)
	// With an archive of its classes it starts in half the time.
	out, err = exec.Command(filepath.Join(home, "bin", "java"), "-Xshare:dump").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var libraries []string
	require.NoError(t, filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.Join(javaHome, strings.TrimPrefix(path, home))
		switch {
		case entry.Name() == "legal":
			return filepath.SkipDir
		case entry.IsDir():
			all.add(name, folder, nil)
			return nil
		case strings.HasSuffix(path, ".so") || entry.Name() == "java":
			libraries = append(libraries, linkedWith(t, path)...)
		}
		content, err := os.ReadFile(path)
		all.add(name, program, content)
		return err
	}))
	slices.Sort(libraries)
	folders := map[string]bool{}
	for _, path := range slices.Compact(libraries) {
		for i, c := range path[1:] {
			if parent := path[1 : i+1]; c == '/' && !folders[parent] {
				folders[parent] = true
				all.add(parent, folder, nil)
			}
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		all.add(path[1:], program, content)
	}
}

// library matches a library of the system in the output of ldd.
var library = regexp.MustCompile(`(?m)^\t(?:\S+ => )?(/lib\S+) \(`)

// linkedWith returns the paths of the system libraries that a program is linked with.
func linkedWith(t testing.TB, path string) []string {
	t.Helper()
	out, err := exec.Command(need.Program(t, "ldd"), path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	var all []string
	for _, found := range library.FindAllStringSubmatch(string(out), -1) {
		all = append(all, found[1])
	}
	return all
}
