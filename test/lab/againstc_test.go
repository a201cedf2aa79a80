//go:build lab && linux

package lab

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/need"
)

// crossCompilers are the C compilers for the CPUs of otherCPUs, as Debian names them.
var crossCompilers = map[string]string{
	"386": "i686-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc", "ppc64le": "powerpc64le-linux-gnu-gcc",
	"riscv64": "riscv64-linux-gnu-gcc", "s390x": "s390x-linux-gnu-gcc",
}

// pairs is how often each clock is measured by both.
const pairs = 5

// pairScript measures a clock by timebench and by the loop of test/againstc in turn.
const pairScript = `
for pair in $(seq %d); do
  run timebench.vdso.$pair timebench compare CLOCK_MONOTONIC@vdso --threads 1 --time 1ms --rounds 15 --format json
  run c.vdso.$pair loop vdso CLOCK_MONOTONIC 2000
  run timebench.syscall.$pair timebench compare CLOCK_MONOTONIC@syscall --threads 1 --time 1ms --rounds 15 --format json
  run c.syscall.$pair loop door CLOCK_MONOTONIC 20
done
`

// BenchmarkOtherCPUsAgainstC compares timebench with a C loop, in the machines of otherCPUs:
//
//	go test -tags lab ./test/lab -run '^$' -bench AgainstC -benchtime 1x
func BenchmarkOtherCPUsAgainstC(b *testing.B) {
	for _, w := range otherCPUs {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				said := w.run(b, fmt.Sprintf(pairScript, pairs))
				for _, path := range []string{"vdso", "syscall"} {
					var ours, theirs, ratios []float64
					for pair := range pairs {
						of := func(by string) ran { return said[fmt.Sprintf("%s.%s.%d", by, path, pair+1)] }
						our := compare.Of(document(b, of("timebench"))).Clocks[0].Latency.MedianNS
						their, err := strconv.ParseFloat(strings.TrimSpace(of("c").stdout), 64)
						require.NoError(b, err, of("c").stderr)
						ours, theirs, ratios = append(ours, our), append(theirs, their), append(ratios, our/their)
					}
					b.ReportMetric(stats.Median(ours), "ns-timebench-"+path)
					b.ReportMetric(stats.Median(theirs), "ns-C-"+path)
					b.ReportMetric(stats.Median(ratios), "ratio-"+path)
				}
			}
			b.ReportMetric(0, "ns/op") // the length of a pair says nothing
		})
	}
}

// addLoop adds the loop of test/againstc, with the dynamic linker and the libraries that it needs: it finds the vDSO by
// dlopen(3).
func addLoop(t testing.TB, all *archive, arch string) {
	t.Helper()
	cc, binary := need.Program(t, crossCompilers[arch]), filepath.Join(t.TempDir(), "loop")
	out, err := exec.Command(cc, "-O2", "-o", binary, "../againstc/testdata/loop.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	file, err := elf.Open(binary)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	names, err := file.ImportedLibraries()
	require.NoError(t, err)
	linker, err := file.Section(".interp").Data()
	require.NoError(t, err)
	all.add("bin/loop", program, content(t, binary))
	all.add("lib", folder, nil)
	all.add("lib64", folder, nil)
	paths := []string{strings.Trim(string(linker), "/\x00")}
	for _, name := range names {
		if filepath.Base(paths[0]) != name {
			paths = append(paths, "lib/"+name)
		}
	}
	for _, path := range paths {
		found, err := exec.Command(cc, "-print-file-name="+filepath.Base(path)).Output()
		require.NoError(t, err)
		all.add(path, program, content(t, strings.TrimSpace(string(found))))
	}
}

func content(t testing.TB, path string) []byte {
	t.Helper()
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	return read
}
