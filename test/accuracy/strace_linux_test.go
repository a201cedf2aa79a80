package accuracy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// withoutKernel are the clock sources that the vDSO reads without the kernel.
var withoutKernel = []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}

// traced runs compare under strace. It returns the number of calls, and the reads in the throughput of the document,
// which are a part of all reads.
func traced(t *testing.T, call string, args ...string) (entered int, reads float64) {
	t.Helper()
	strace := need.Program(t, "strace")
	counts := filepath.Join(t.TempDir(), "counts")
	trace := []string{"-f", "-c", "-e", "trace=" + call, "-o", counts, need.Timebench(t), "compare", "--threads", "1,2",
		"--throughput-time", "20ms", "--rounds", "3", "--format", "json"}
	if err := need.Run(exec.Command(strace, "-o", counts, "true")); err != nil {
		need.Missing(t, "strace", "it may not trace here: "+err.Error())
	}
	document := measured.Read(t, need.Output(t, exec.Command(strace, append(trace, args...)...)))
	for _, c := range compare.Of(document).Clocks {
		require.True(t, c.Available, "%s: %s", c.ID, c.Reason)
		for _, measured := range c.Throughput {
			// Half of the passes, of three and more, have at least their median.
			reads += measured.CountedReadsPerSecond * float64(document.Settings.TimeNS) / 1e9
		}
	}
	table, err := os.ReadFile(counts)
	require.NoError(t, err)
	// "% time, seconds, usecs/call, calls, [errors,] syscall"
	row := regexp.MustCompile(`(?m)^ *[0-9.]+ +[0-9.]+ +[0-9]+ +([0-9]+) +(?:[0-9]+ +)?` + call + `$`).FindSubmatch(table)
	if row == nil {
		return 0, reads
	}
	entered, err = strconv.Atoi(string(row[1]))
	require.NoError(t, err)
	return entered, reads
}

func TestVDSOClocksEnterTheKernelNextToNever(t *testing.T) {
	current, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil || !slices.Contains(withoutKernel, strings.TrimSpace(string(current))) {
		need.Missing(t, "clock source", fmt.Sprintf("with %q the vDSO itself enters the kernel", current))
	}
	entered, reads := traced(t, "clock_gettime",
		"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_RAW@vdso", "*_COARSE@vdso", "CLOCK_BOOTTIME@vdso",
		"CLOCK_TAI@vdso")
	t.Logf("%d system calls, more than %.0f reads", entered, reads)
	// timebench itself makes 50 to 100, also beside load. One clock that enters the kernel makes 1,900.
	require.Less(t, entered, 1000)
}

func TestSystemCallsEnterTheKernelAtEveryRead(t *testing.T) {
	for call, id := range map[string]string{"clock_gettime": "CLOCK_MONOTONIC@syscall",
		"gettimeofday": "gettimeofday@syscall"} {
		entered, reads := traced(t, call, id)
		t.Logf("%s: %d system calls, more than %.0f reads", id, entered, reads)
		require.GreaterOrEqual(t, float64(entered), 0.9*reads)
		require.Positive(t, reads)
	}
}
