//go:build lab && linux

// Package lab runs timebench under real kernels with other clock sources, on other CPUs and under Xen, in machines that
// QEMU emulates: without KVM, without root.
//
//	go test -tags lab ./test/lab
//	go test -tags lab ./test/lab -update
//
// The first command checks everything but speed, because an emulated machine is slow. The second also writes
// docs/lab.md, and takes longer. Both need qemu-system-x86_64 and qemu-system-aarch64, the first also the emulators of
// the other CPUs, and the first time the requirements of the script fetch. The kernels are kept in the folder
// TIMEBENCH_LAB, or in the user's cache if it is not set.
package lab

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
)

var update = flag.Bool("update", false, "write docs/lab.md")

// script runs in every machine.
const script = `
run sources cat $sources/available_clocksource
run compare timebench compare --format json --rounds 6 --throughput-time 5ms --threads 1,2 @vdso time.Now@go
run doctor timebench doctor --format json
run doctor-of-user su user -c 'timebench doctor --format json'
run verify timebench verify --format json --all
run verify-loaded timebench verify --format json --load --duration 3s
run drift timebench drift --format json --load --duration 3s
run current cat $sources/current_clocksource
`

// several also runs in a machine with several CPUs. The last of them goes offline while clocks are verified, and comes
// back.
const several = `
run skew timebench skew --format json --duration 2s
(sleep 2; echo 0 > /sys/devices/system/cpu/cpuLAST/online) &
run unplugged timebench verify --format json --duration 6s CLOCK_MONOTONIC time.Now@go
echo 1 > /sys/devices/system/cpu/cpuLAST/online
`

// comparedScript also runs in some of these machines. The last CPU goes offline while clocks are compared.
const comparedScript = `
for how in pin=spread pin=none workers=processes; do
  (sleep 3; echo 0 > /sys/devices/system/cpu/cpuLAST/online) &
  run unplugged-$how timebench compare --format json --$how --threads 1,ALL --rounds 60 --throughput-time 1s \
    CLOCK_MONOTONIC time.Now@go
  echo 1 > /sys/devices/system/cpu/cpuLAST/online
done
`

// experimentScript runs in a machine with clock sources to switch between.
const experimentScript = `
run experiment timebench compare --clocksources all --yes --format json --rounds 6 --throughput-time 5ms --threads 1 \
  CLOCK_MONOTONIC gettimeofday@vdso
run after-experiment cat $sources/current_clocksource
run refused su user -c \
  'timebench compare --clocksources all --yes CLOCK_MONOTONIC@vdso --rounds 1 --throughput-time 1ms --threads 1'
run killed killed KILL=13 INT=2 TERM=2 HUP=2 GUARDIAN=2
`

// reportScript runs in a machine for docs/lab.md.
const reportScript = `
run report timebench compare --all --format json --rounds 20 --throughput-time 40ms --threads THREADS
run report-doctor timebench doctor
`

// sourcesScript also runs in a machine with several clock sources.
const sourcesScript = `
run report-sources timebench compare --clocksources all --yes --format json --threads THREADS \
  --rounds 20 --throughput-time 40ms
`

// A kill is a signal that ended an experiment. After it the machine is as it was before.
type kill struct {
	signal   string
	switched bool // another clock source than the machine's own was in place
}

func TestWorlds(t *testing.T) {
	var all sync.Mutex
	var kills []kill
	chapters := map[string]chapter{}
	t.Run("machines", func(t *testing.T) {
		t.Run(demoted.name, func(t *testing.T) {
			if !*update {
				t.Parallel()
			}
			checkWatch(t, demoted.run(t, watchScript))
		})
		for _, w := range worlds {
			t.Run(w.name, func(t *testing.T) {
				if !*update { // figures want the whole machine
					t.Parallel()
				}
				commands := script
				traceable := w.cpus() <= 2 // with more than this machine has, a trace takes minutes
				if traceable {
					commands += runtimesScript + profileScript
				}
				pluggable := w.cpus() > 1 && w.arch == "amd64"
				// With a slow clock source, and with several CPUs left.
				compared := pluggable && (w.source == "hpet" || w.cpus() > 2)
				ofCPUs := strings.NewReplacer("LAST", strconv.Itoa(w.cpus()-1), "ALL", strconv.Itoa(w.cpus()))
				if pluggable {
					commands += ofCPUs.Replace(several)
				}
				if compared {
					commands += ofCPUs.Replace(comparedScript)
				}
				if *update { // before the kills, which are also in the kernel's log
					commands += strings.ReplaceAll(reportScript, "THREADS", w.threads)
				}
				if *update && w.sources != nil {
					commands += strings.ReplaceAll(sourcesScript, "THREADS", w.threads)
				}
				if w.sources != nil {
					commands += experimentScript
				}
				said := w.run(t, commands)
				t.Run("clocks", func(t *testing.T) { w.checkClocks(t, said) })
				t.Run("doctor", func(t *testing.T) { w.checkDoctor(t, said["doctor"]) })
				t.Run("doctor of a user", func(t *testing.T) { w.checkDoctor(t, said["doctor-of-user"]) })
				t.Run("counter", func(t *testing.T) { w.checkCounter(t, said["doctor"]) })
				t.Run("verify", func(t *testing.T) { w.checkVerified(t, said) })
				if compared {
					t.Run("a CPU goes", func(t *testing.T) { w.checkUnplugged(t, said) })
				}
				t.Run("drift", func(t *testing.T) { w.checkDrift(t, said.ok(t, "drift")) })
				if traceable {
					t.Run("runtimes", func(t *testing.T) { w.checkRuntimes(t, said.ok(t, "runtimes")) })
					t.Run("profile", func(t *testing.T) { w.checkProfile(t, said.ok(t, "profile")) })
				}
				var here []kill
				if w.sources != nil {
					t.Run("every clock source", func(t *testing.T) { w.checkExperiment(t, said) })
					t.Run("killed", func(t *testing.T) { here = w.checkKilled(t, said.ok(t, "killed")) })
				}
				all.Lock()
				defer all.Unlock()
				kills = append(kills, here...)
				if *update && !t.Failed() {
					chapters[w.name] = w.chapter(t, said, here)
				}
			})
		}
	})
	t.Run("kills together", func(t *testing.T) {
		hard, switched := 0, 0
		for _, k := range kills {
			if k.signal == "KILL" {
				hard++
				if k.switched {
					switched++
				}
			}
		}
		t.Logf("%d of %d experiments were killed while another clock source was in place", switched, hard)
		require.GreaterOrEqual(t, hard, 26)
		require.GreaterOrEqual(t, switched, 5, "kills that hit nothing prove nothing")
	})
	if *update && !t.Failed() {
		writeReport(t, chapters)
	}
}

// document reads the output of a command, which must be a document and nothing more.
func document(t testing.TB, said ran) *result.Document {
	t.Helper()
	d, err := sections.Read(strings.NewReader(said.stdout))
	require.NoError(t, err, "status %d: %s", said.status, said.stderr)
	return d
}

// first returns the first element for which holds is true. There must be one.
func first[T any](t testing.TB, all []T, holds func(T) bool) T {
	t.Helper()
	i := slices.IndexFunc(all, holds)
	require.GreaterOrEqual(t, i, 0, "%+v", all)
	return all[i]
}

func (w world) checkClocks(t *testing.T, said outputs) {
	d := document(t, said.ok(t, "compare"))
	require.Equal(t, w.source, d.Host.ClockSource.Current)
	require.ElementsMatch(t, strings.Fields(said["sources"].stdout), d.Host.ClockSource.Available)
	require.Equal(t, w.source, said.text("current"), "measuring changes nothing")
	expected, seen := map[string]string{}, map[string]string{}
	for _, c := range compare.Of(d).Clocks {
		call, path, _ := strings.Cut(c.ID, "@")
		if path != "vdso" || !c.Available {
			continue
		}
		require.NotNil(t, c.Latency, c.ID)
		entry, isFixed := entries[call]
		if !isFixed {
			entry = w.vdso
		}
		expected[c.ID], seen[c.ID] = entry, c.KernelEntry
	}
	for _, id := range []string{"CLOCK_REALTIME@vdso", "CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC_RAW@vdso",
		"CLOCK_BOOTTIME@vdso",
		"CLOCK_TAI@vdso", "gettimeofday@vdso", "CLOCK_REALTIME_COARSE@vdso", "CLOCK_MONOTONIC_COARSE@vdso"} {
		if w.vdso == "" {
			require.NotContains(t, expected, id)
		} else {
			require.Contains(t, expected, id)
		}
	}
	require.Equal(t, expected, seen)
}

func (w world) checkDoctor(t *testing.T, said ran) {
	d := document(t, said)
	var kinds []string
	worst := ""
	for _, f := range d.Findings {
		kinds = append(kinds, f.Kind)
		require.NotEmpty(t, f.Title, f.Kind)
		require.NotEmpty(t, f.Evidence, f.Kind)
	}
	if len(d.Findings) > 0 {
		worst = d.Findings[0].Severity
	}
	status := map[string]int{result.Error: 1, result.Warn: 1}[worst]
	require.Equal(t, status, said.status, "%v\n%s", kinds, said.stderr)
	must, found := w.kinds(d.Findings)
	require.ElementsMatch(t, must, found, "%v", kinds)
	if w.finding == "" {
		return
	}
	first := d.Findings[0]
	require.Equal(t, w.finding, first.Kind, "%v", kinds)
	require.Equal(t, result.Error, first.Severity)
	require.NotEmpty(t, first.Remedies)
	if w.finding == kernelEntry {
		require.Contains(t, first.Title+first.Cause, w.source)
	}
}

func (w world) checkExperiment(t *testing.T, said outputs) {
	require.ElementsMatch(t, w.sources, strings.Fields(said["sources"].stdout))
	d := document(t, said.ok(t, "experiment"))
	require.Equal(t, w.source, d.Host.ClockSource.Current)
	measured := []string{w.source}
	for _, other := range compare.Of(d).OtherClockSources {
		measured = append(measured, other.ClockSource)
		require.Len(t, other.Clocks, len(compare.Of(d).Clocks), other.ClockSource)
		for i, c := range other.Clocks {
			require.Equal(t, compare.Of(d).Clocks[i].ID, c.ID, other.ClockSource)
			require.NotNil(t, c.Latency, "%s: %s", other.ClockSource, c.ID)
		}
	}
	require.ElementsMatch(t, w.sources, measured)
	require.Equal(t, w.source, said.text("after-experiment"))

	refused := said["refused"]
	require.NotZero(t, refused.status)
	require.Empty(t, refused.stdout)
	require.Equal(t, 1, strings.Count(refused.stderr, "\n"), refused.stderr)
}

// checkKilled returns the kills, after which the machine must be as it was before.
func (w world) checkKilled(t *testing.T, said ran) []kill {
	var kills []kill
	for line := range strings.Lines(said.stdout) {
		fields := strings.Fields(line)
		require.Len(t, fields, 4, line)
		require.Equal(t, w.source, fields[2], "left switched: %s", line)
		require.Equal(t, "0", fields[3], "processes left: %s", line)
		kills = append(kills, kill{fields[0], fields[1] != w.source})
	}
	for _, signal := range []string{"KILL", "INT", "TERM", "HUP", "GUARDIAN"} {
		require.True(t, slices.ContainsFunc(kills, func(k kill) bool { return k.signal == signal }), signal)
	}
	return kills
}

// The report, which -update writes, has every world.
func TestReportHasEveryWorld(t *testing.T) {
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	for _, w := range worlds {
		require.Contains(t, string(text), "\n- ["+w.name+"](lab/"+w.name+".txt): "+w.about+"; "+w.source+" is ",
			"go test -tags lab ./test/lab -update writes it")
		require.FileExists(t, filepath.Join(transcripts, w.name+".txt"))
	}
}
