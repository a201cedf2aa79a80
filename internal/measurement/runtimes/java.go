package runtimes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
)

// java runs a class file, because a runtime without a compiler cannot run a source file. Class data
// sharing is left on: it only makes the start faster.
var java = Runtime{
	Name: "java", Programs: []string{"java"}, Version: []string{"-version"}, Threads: true, WarmUp: 100 * time.Millisecond,
	Build: func(b build) ([]string, error) {
		if strings.ContainsRune(b.folder, os.PathListSeparator) {
			return nil, fmt.Errorf("a class path cannot have %q, which is in the path of the temporary folder; set TMPDIR to another one", os.PathListSeparator)
		}
		return []string{b.path, "-cp", b.folder, "Bench"}, os.WriteFile(filepath.Join(b.folder, "Bench.class"), programs.JavaClass, 0o600)
	},
	Calls: []Call{
		{"System.currentTimeMillis", wall},
		{"System.nanoTime", monotonic},
		{"Instant.now", wall},
		{"LocalDateTime.now", wall},
		{"ThreadMXBean.getCurrentThreadCpuTime", cpuTime},
	},
}
