package runtimes

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/test/need"
)

// slowPython runs a script of Python after it has put a function around time.monotonic.
const slowPython = `
import runpy, sys, time
monotonic = time.monotonic
def slow():
    for _ in range(10):
        pass
    return monotonic()
time.monotonic = slow
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
`

// BenchmarkWrapperInSplit measures Python with a function around time.monotonic, beside Python as it is, and prints by
// how much the parts of two calls grow, in the median of the iterations: the function belongs to the runtime's part of
// the call that it is around, and to no other part.
//
//	go test ./internal/measurement/runtimes -run '^$' -bench WrapperInSplit -benchtime 10x
func BenchmarkWrapperInSplit(b *testing.B) {
	python, err := exec.LookPath("python3")
	if err != nil {
		need.Missing(b, "python3", err.Error())
	}
	timebench, slow := need.Timebench(b), filepath.Join(b.TempDir(), "slow")
	require.NoError(b, os.WriteFile(slow+".py", []byte(slowPython), 0o600))
	// timebench runs `python3 --version`, and `python3 -B -I -S SCRIPT`.
	const script = "#!/bin/sh\n[ $# -gt 3 ] || exec %s \"$@\"\nshift 3\nexec %s -B -I -S %s \"$@\"\n"
	wrapper := fmt.Sprintf(script, python, python, slow+".py")
	require.NoError(b, os.WriteFile(slow, []byte(wrapper), 0o700))
	grown := map[string][]float64{}
	for b.Loop() {
		var parts [2]map[string]split
		for i, program := range []string{python, slow} {
			command := exec.Command(timebench, "runtimes", "--runtime", "python3="+program, "--quiet", "--format",
				"json")
			out, err := command.Output()
			require.NoError(b, err)
			var document struct{ Runtimes *Runtimes }
			require.NoError(b, json.Unmarshal(out, &document))
			require.Empty(b, document.Runtimes.Runtimes[0].Reason)
			parts[i] = map[string]split{}
			for _, m := range document.Runtimes.Runtimes[0].Calls {
				if of, ok := document.Runtimes.split(m); ok {
					parts[i][m.Call] = of
				}
			}
		}
		for _, call := range []string{"time.monotonic", "time.perf_counter", "time.time"} {
			without, with := parts[0][call], parts[1][call]
			grown[call+"-clock"] = append(grown[call+"-clock"], with.clockNS-without.clockNS)
			grown[call+"-runtime"] = append(grown[call+"-runtime"], with.runtimeNS-without.runtimeNS)
		}
	}
	b.ReportMetric(0, "ns/op") // the length of an iteration says nothing
	for part, each := range grown {
		b.ReportMetric(stats.Median(each), part+"-ns")
		b.Logf("%-30s from %8.2f to %8.2f ns", part, slices.Min(each), slices.Max(each))
	}
}

// hasty is a library that makes each sleep of 20 ms 15 ms shorter, as a faulty way to sleep does.
const hasty = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
int usleep(useconds_t us)
{
	int (*real)(useconds_t) = dlsym(RTLD_NEXT, "usleep");
	return real(us - 15000);
}
`

// A way to sleep that ends 15 ms early is named. On a busy machine a sleep is early only if it gets a CPU within 15 ms
// of its end, which one of 50 does at some time.
func TestEarlySleepIsNamed(t *testing.T) {
	need.Processes(t)
	perl := need.Program(t, "perl")
	folder := need.Folder(t)
	source, wrapper := filepath.Join(folder, "hasty.c"), filepath.Join(folder, "perl")
	require.NoError(t, os.WriteFile(source, []byte(hasty), 0o600))
	library := need.Compiled(t, source, "-shared", "-fPIC", "-ldl")
	script := "#!/bin/sh\nLD_PRELOAD=" + library + " exec " + perl + " \"$@\"\n"
	require.NoError(t, os.WriteFile(wrapper, []byte(script), 0o700))
	of, _ := Named("perl")
	of.Sleeps = []string{"Time::HiRes::usleep"}
	s := Settings{
		Runtimes: []Selected{{of, wrapper}, {Runtime: of}}, Spans: []time.Duration{20 * time.Millisecond}, Sleeps: 10,
		Starts: 1,
	}
	var measured Runtimes
	var early, usual wake.SleepSpan
	for range 5 {
		var err error
		measured, err = Run(t.Context(), s, func(_, _ time.Duration) {})
		require.NoError(t, err)
		for _, r := range measured.Runtimes {
			require.Empty(t, r.Reason)
		}
		early, usual = measured.Runtimes[0].Sleeps[0].Spans[0], measured.Runtimes[1].Sleeps[0].Spans[0]
		if early.Early > 0 {
			break
		}
	}
	require.Positive(t, early.Early)
	require.GreaterOrEqual(t, early.MinLateNS, -16e6)
	require.Zero(t, usual.Early)
	faults := measured.Block(nil).Faults
	require.Len(t, faults, 1)
	require.Regexp(t, `^Time::HiRes::usleep@perl ends early: \d+ of 10 sleeps of 20 ms, by up to \S+ [mµ]s\.$`, faults[0])
}
