//go:build lab && linux

package lab

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
)

// many is a machine with far more CPUs than the host has: most of them stand still at any time. The kernel need not
// measure its delay loop on each CPU (lpj), which takes a minute.
var many = world{
	name: "smp64", arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never,
	machine: machine("-cpu max,+invtsc", 1024, 64, "ttyS0", "tsc=reliable wait=tsc lpj=4000000"),
}

const manyScript = `
run threads timebench compare --format json
run processes timebench compare --format json --workers processes --threads 1,64 --rounds 8 --throughput-time 8ms \
  CLOCK_MONOTONIC@vdso
`

// A run on such a machine ends by itself, long before the time limit of a command. No clock
// becomes unavailable because a thread has no CPU, and the document accounts for each figure that is
// missing. How many are depends on the speed of the host.
func TestFarMoreCPUsThanTheHostHas(t *testing.T) {
	said := many.run(t, manyScript)
	for _, workers := range []string{"threads", "processes"} {
		d := document(t, said.ok(t, workers))
		costs := compare.Of(d)
		require.Equal(t, 64, d.Host.CPU.Usable)
		short := map[int]result.Passes{}
		for _, p := range d.Conditions.Passes {
			short[p.Threads] = p
		}
		t.Logf("%s: %.1f s, %d clocks, numbers of threads with missing or starved passes: %+v",
			workers, float64(d.Conditions.DurationNS)/1e9, len(costs.Clocks), d.Conditions.Passes)
		if slices.ContainsFunc(d.Conditions.Passes, func(p result.Passes) bool { return p.Complete < p.Planned }) {
			require.Contains(t, measured.Warned(d), "incomplete")
		}
		for _, c := range costs.Clocks {
			require.True(t, c.Available, "%s: %s: %s", workers, c.ID, c.Reason)
			require.NotNil(t, c.Latency, "%s: %s", workers, c.ID)
			require.NotNil(t, c.Resolution, "%s: %s", workers, c.ID)
			measured := map[int]bool{}
			for _, one := range c.Throughput {
				measured[one.Threads] = true
			}
			require.True(t, measured[1], "%s: %s with one thread", workers, c.ID)
			for _, threads := range d.Settings.Threads {
				if !measured[threads] {
					require.Less(t, short[threads].Complete, short[threads].Planned, "%s: %s with %d threads", workers, c.ID, threads)
					require.NotEmpty(t, short[threads].Reasons)
				}
			}
		}
		for _, f := range d.Findings {
			require.NotContains(t, []string{"no-vdso", notScaling}, f.Kind, f.Evidence)
		}
	}
}

// announcedScript runs a command on a terminal, the console, and prints how long it takes.
const announcedScript = `
stty cols 80 rows 24 </dev/console
began=$(cut -d" " -f1 /proc/uptime)
timebench COMMAND >/dev/null 2>/dev/console </dev/null
echo "### took $began $(cut -d" " -f1 /proc/uptime)" >/dev/console
`

// announced matches the announcement of a command, and each correction.
var announced = regexp.MustCompile(`: about (\d\w*)\.|This takes about (\d\w*), not`)

// announce runs a command in the machine, calls heard after each announcement and correction, and returns all, and how
// long the command took by the machine's own clock.
func (w world) announce(t testing.TB, command string, heard func(times []time.Duration, emulator *os.Process)) ([]time.Duration, float64) {
	t.Helper()
	var times []time.Duration
	var began, ended float64
	w.host = func(t testing.TB, _, line string, emulator *os.Process) {
		if found := announced.FindStringSubmatch(line); found != nil {
			said, err := time.ParseDuration(found[1] + found[2])
			require.NoError(t, err)
			times = append(times, said)
			heard(times, emulator)
		}
		_, _ = fmt.Sscanf(line, "### took %f %f", &began, &ended)
	}
	w.run(t, strings.ReplaceAll(announcedScript, "COMMAND", command))
	return times, ended - began
}

// The host stops the machine for longer than the announced time. The command corrects its announcement.
func TestAnnouncementIsCorrected(t *testing.T) {
	times, took := named("tsc").announce(t, "compare --threads 1 --rounds 600 CLOCK_MONOTONIC@vdso", func(times []time.Duration, emulator *os.Process) {
		if len(times) == 1 {
			require.NoError(t, emulator.Signal(syscall.SIGSTOP))
			time.Sleep(2*times[0] + time.Second)
			require.NoError(t, emulator.Signal(syscall.SIGCONT))
		}
	})
	t.Logf("announced %s, took %.1f s", times, took)
	require.Greater(t, len(times), 1)
	require.Greater(t, times[1], times[0])
}

// BenchmarkAnnounced reports the times that each command announces in machines with 16 and 64 CPUs, the first and the
// corrected ones, and the time that it takes.
func BenchmarkAnnounced(b *testing.B) {
	commands := []string{
		"compare", "compare --threads 1..8", "doctor --fail-on never", "verify", "verify --load", "skew", "drift --duration 2s", "wake",
		"profile --duration 2s",
	}
	for _, cpus := range []string{"16", "64"} {
		for _, command := range commands {
			b.Run("cpus="+cpus+"/"+command, func(b *testing.B) {
				w := many
				w.machine = slices.Clone(many.machine)
				w.set("-smp", cpus)
				for range b.N {
					times, took := w.announce(b, command, func([]time.Duration, *os.Process) {})
					running, err := os.ReadFile("/proc/loadavg")
					require.NoError(b, err)
					b.Logf("%-24s announced %s, took %.1f s, load %s", command, times, took, running)
				}
			})
		}
	}
}
