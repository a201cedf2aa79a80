//go:build lab && linux

package lab

import (
	"debug/elf"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// crossCompilers are the C compilers for the CPUs of otherCPUs, as Debian names them.
var crossCompilers = map[string]string{
	"386": "i686-linux-gnu-gcc", "arm": "arm-linux-gnueabihf-gcc", "ppc64le": "powerpc64le-linux-gnu-gcc",
	"riscv64": "riscv64-linux-gnu-gcc", "s390x": "s390x-linux-gnu-gcc",
}

// byTimebench and byC measure CLOCK_REALTIME. For CLOCK_MONOTONIC the kernel executes some more instructions in the
// part of each second in which its offset carries. The loops vdso and door call as timebench does, libc and syscall by
// libc. A turn of a loop is shorter than the time between two interrupts of a timer.
const (
	byTimebench = `
run timebench timebench compare CLOCK_REALTIME@vdso CLOCK_REALTIME@syscall -t 1 \
  --throughput-time 1ms --rounds 15 -f json
`
	byC = `
run vdso.%[1]d loop vdso CLOCK_REALTIME 2000
run libc.%[1]d loop libc CLOCK_REALTIME 2000
run door.%[1]d loop door CLOCK_REALTIME 200
run syscall.%[1]d loop syscall CLOCK_REALTIME 200
`
	loops = 5 // of each kind
)

// lowest returns the lowest ns/read of the loops of a kind.
func (said outputs) lowest(t testing.TB, kind string) float64 {
	t.Helper()
	low := math.Inf(1)
	for i := range loops {
		name := fmt.Sprintf("%s.%d", kind, i)
		ns, err := strconv.ParseFloat(said.text(name), 64)
		require.NoError(t, err, said[name].stderr)
		low = min(low, ns)
	}
	return low
}

// BenchmarkInstructionsAgainstC compares the instructions of a read by timebench and by the C loop, in the machines of
// otherCPUs. They do not depend on the speed of this machine. A disturbance of a loop adds some, so the lowest count is
// used. docs/evidence/measuring.md explains the differences.
//
//	go test -tags lab ./test/lab -run '^$' -bench AgainstC -benchtime 1x
func BenchmarkInstructionsAgainstC(b *testing.B) {
	parts := []string{byTimebench}
	for i := range loops {
		parts = append(parts, fmt.Sprintf(byC, i))
	}
	script := strings.Join(parts, "")
	for _, w := range otherCPUs {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				said := w.counting().run(b, script)
				d := document(b, said["timebench"])
				for path, kinds := range map[string][2]string{"vdso": {"vdso", "libc"}, "syscall": {"door", "syscall"}} {
					ours := clockOf(b, d, "CLOCK_REALTIME@"+path).Latency.MedianNS
					theirs := said.lowest(b, kinds[0])
					b.ReportMetric(ours/instructionNS, "timebench-"+path)
					b.ReportMetric(theirs/instructionNS, "C-"+path)
					b.ReportMetric(said.lowest(b, kinds[1])/instructionNS, "libc-"+path)
					b.ReportMetric(ours/theirs, "ratio-"+path)
					require.InEpsilon(b, theirs, ours, 0.05, path)
				}
			}
			b.ReportMetric(0, "ns/op") // the length of a run says nothing
		})
	}
}

// addLoop adds the loop of test/accuracy, with the dynamic linker and the libraries that it needs: it finds the vDSO by
// dlopen(3).
func addLoop(t testing.TB, all *archive, arch string) {
	t.Helper()
	cc, binary := need.Program(t, crossCompilers[arch]), filepath.Join(t.TempDir(), "loop")
	out, err := exec.Command(cc, "-O2", "-o", binary, "../accuracy/testdata/loop.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	file, err := elf.Open(binary)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	names, err := file.ImportedLibraries()
	require.NoError(t, err)
	linker, err := file.Section(".interp").Data()
	require.NoError(t, err)
	all.add("bin/loop", program, content(t, binary))
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
