//go:build lab && linux

// Package lab runs timebench under real kernels with other clock sources, on other CPUs and under Xen, in machines that
// QEMU emulates: without KVM, without root.
//
//	go test -tags lab ./test/lab
//	go test -tags lab ./test/lab -update
//
// The first command checks everything but speed, because an emulated machine is slow. The second also writes the
// outputs and pictures of docs/lab.md, and takes longer. Both need the emulators, and the first time the requirements
// of the script fetch. The kernels are kept in the folder TIMEBENCH_LAB, or in the user's cache if it is not set.
package lab

import (
	"cmp"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/verify"
)

var update = flag.Bool("update", false, "write the outputs and pictures of docs/lab.md")

// A check is a script in a machine, and what must hold of its outputs.
type check struct {
	name   string
	in     func(world) bool
	script string // world.fill fills it
	holds  func(world, *testing.T, outputs)
}

// checks of worlds. Their scripts run in this order. Those that kill are last, because the kernel's log has them.
var checks = []check{
	{"clocks", world.everywhere, clocksScript, world.checkClocks},
	{"doctor", world.everywhere, doctorScript, world.checkDoctor},
	{"counter", world.everywhere, "", world.checkCounter}, // by doctor
	{"verify", world.everywhere, verifyScript, world.checkVerify},
	{"drift", world.everywhere, driftScript, world.checkDrift},
	{"runtimes", world.traceable, runtimesScript, world.checkRuntimes},
	{"profile", world.traceable, profileScript, world.checkProfile},
	{"skew", world.pluggable, skewScript, world.checkSkew},
	{"a CPU goes while clocks are verified", world.pluggable, unpluggedVerifyScript, world.checkUnpluggedVerify},
	{"a CPU goes while clocks are compared", world.slowOrMany, unpluggedScript, world.checkUnplugged},
	{"report", world.reported, reportScript, world.writeTranscript},
	{"pictures", func(w world) bool { return w.reported() && w.switchable() }, sourcesScript, world.writePictures},
	{"every clock source", world.switchable, experimentScript, world.checkExperiment},
	{"killed", world.switchable, "\nrun killed killed KILL=4 INT=1 TERM=1 HUP=1 GUARDIAN=2\n", world.checkKilled},
}

func (world) everywhere() bool   { return true }
func (w world) traceable() bool  { return w.cpus() <= 2 } // with more than this machine has, a trace takes minutes
func (w world) pluggable() bool  { return w.cpus() > 1 && w.arch == "amd64" }
func (w world) slowOrMany() bool { return w.pluggable() && (w.source == "hpet" || w.cpus() > 2) }
func (w world) switchable() bool { return w.sources != nil }
func (world) reported() bool     { return *update }

// fill replaces the words of scripts that depend on the world: its number of CPUs, and the last of them.
func (w world) fill(script string) string {
	return strings.NewReplacer("CPUS", strconv.Itoa(w.cpus()), "LAST", strconv.Itoa(w.cpus()-1)).Replace(script)
}

// check boots a machine once, for all checks that apply to it.
func (w world) check(t *testing.T, checks []check) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return !c.in(w) })
	var script strings.Builder
	for _, c := range checks {
		script.WriteString(c.script)
	}
	said := w.run(t, w.fill(script.String()))
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.holds(w, t, said) })
	}
}

func TestWorlds(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			if !*update { // figures want the whole machine
				t.Parallel()
			}
			w.check(t, checks)
		})
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

// clockOf returns the costs of a clock, which must be in the document.
func clockOf(t testing.TB, d *result.Document, id string) compare.Clock {
	t.Helper()
	return first(t, compare.Of(d).Clocks, func(c compare.Clock) bool { return c.ID == id })
}

const clocksScript = `
run compare timebench compare --format json --rounds 6 --throughput-time 5ms --threads 1,2 \
  @vdso @cpu CLOCK_MONOTONIC@syscall time.Now@go
run current-after cat $sources/current_clocksource
`

// entries are the kernel entries of reads of vDSO clocks that do not depend on the clock source, by the clock's call.
// The rest are the fine clocks, which depend on the world.
var entries = map[string]string{
	// The value at the last tick is in memory.
	"CLOCK_REALTIME_COARSE":  result.Never,
	"CLOCK_MONOTONIC_COARSE": result.Never,
	"time":                   result.Never,
	// Only the kernel knows the CPU time of a process.
	"CLOCK_PROCESS_CPUTIME_ID": result.Always,
	"CLOCK_THREAD_CPUTIME_ID":  result.Always,
}

func (w world) checkClocks(t *testing.T, said outputs) {
	d := document(t, said.ok(t, "compare"))
	require.Equal(t, w.arch, d.Host.Arch)
	require.Equal(t, w.source, d.Host.ClockSource.Current)
	require.ElementsMatch(t, strings.Fields(said.text("available")), d.Host.ClockSource.Available)
	require.Equal(t, w.source, said.text("current-after"), "measuring changes nothing")
	var seen []string
	for _, c := range compare.Of(d).Clocks {
		if !c.Available {
			continue
		}
		require.NotNil(t, c.Latency, c.ID)
		if call, path, _ := strings.Cut(c.ID, "@"); path == "vdso" {
			require.Equal(t, cmp.Or(entries[call], w.vdso), c.KernelEntry, c.ID)
			seen = append(seen, call)
		}
	}
	if w.vdso == "" {
		require.Empty(t, seen)
		return
	}
	require.Subset(t, seen, []string{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI",
		"gettimeofday", "CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_COARSE"})
}

const doctorScript = `
run doctor timebench doctor --format json
run doctor-of-user su user -c 'timebench doctor --format json'
`

func (w world) checkDoctor(t *testing.T, said outputs) {
	for _, name := range []string{"doctor", "doctor-of-user"} {
		d := document(t, said[name])
		// No machine of the lab has a time service.
		must := []string{"unsynchronised"}
		if w.finding != "" {
			must = append(must, w.finding)
		}
		var kinds []string
		status := 0
		for _, f := range d.Findings {
			require.NotEmpty(t, f.Title, f.Kind)
			require.NotEmpty(t, f.Evidence, f.Kind)
			if f.Severity != result.Note {
				status = 1
			}
			// A busy host lets an emulated interrupt take long.
			if f.Kind != "slow-interrupt" && !slices.Contains(w.may, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
		require.Equal(t, status, said[name].status, "%v\n%s", kinds, said[name].stderr)
		require.ElementsMatch(t, must, kinds, name)
		if w.finding == "" {
			continue
		}
		worst := d.Findings[0]
		require.Equal(t, w.finding, worst.Kind, "%v", kinds)
		require.Equal(t, result.Error, worst.Severity)
		require.NotEmpty(t, worst.Remedies)
		if w.finding == kernelEntry {
			require.Contains(t, worst.Title+worst.Cause, w.source)
		}
	}
}

// found returns the finding of a kind; nil if doctor did not find it.
func found(d *result.Document, kind string) *result.Finding {
	if i := slices.IndexFunc(d.Findings, func(f result.Finding) bool { return f.Kind == kind }); i >= 0 {
		return &d.Findings[i]
	}
	return nil
}

// runtimesScript measures Go, the only runtime that is in every machine. It needs no root.
const runtimesScript = `
run runtimes su user -c 'timebench runtimes go --format json --call-time 20ms'
`

// checkRuntimes checks that the calls of Go read the same clocks in every world, and enter the kernel as the vDSO of
// this world does.
func (w world) checkRuntimes(t *testing.T, said outputs) {
	measured := runtimes.Of(document(t, said.ok(t, "runtimes"))).Runtimes
	require.Len(t, measured, 1)
	require.True(t, measured[0].Available, measured[0].Reason)
	require.Empty(t, measured[0].Reason)
	for _, m := range measured[0].Calls {
		want := map[string][]string{"time.Now": {"CLOCK_REALTIME", "CLOCK_MONOTONIC"},
			"time.Since": {"CLOCK_MONOTONIC"}}[m.Call]
		require.Equal(t, want, m.Reads, m.ID)
		// Traced under emulation, a call takes so long that Go's scheduler reads clocks in between.
		require.Greater(t, m.AttributedCalls, m.TracedCalls/2, m.ID)
		enters := cmp.Or(w.vdso, result.Always)
		require.Equal(t, enters, m.KernelEntry, m.ID)
		require.Equal(t, enters == result.Never, m.WithoutVDSONS > 0, "%s: what enters the kernel here costs that already",
			m.ID)
	}
}

// experimentScript runs in a machine with clock sources to switch between.
const experimentScript = `
run experiment timebench compare --clocksources all --yes --format json --rounds 6 --throughput-time 5ms --threads 1 \
  CLOCK_MONOTONIC gettimeofday@vdso
run after-experiment cat $sources/current_clocksource
run refused su user -c \
  'timebench compare --clocksources all --yes CLOCK_MONOTONIC@vdso --rounds 1 --throughput-time 1ms --threads 1'
`

func (w world) checkExperiment(t *testing.T, said outputs) {
	require.ElementsMatch(t, w.sources, strings.Fields(said.text("available")))
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

func (world) checkKilled(t *testing.T, said outputs) { t.Log(said.ok(t, "killed").stdout) }

// TestOtherCPUs has CPUs that docs/lab.md does not compare. A release has the same binary for them.
func TestOtherCPUs(t *testing.T) {
	for _, w := range otherCPUs {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			w.check(t, []check{
				{"clocks", world.everywhere, clocksScript, world.checkClocks},
				{"doctor", world.everywhere, doctorScript, world.checkDoctor},
				{"counters", world.everywhere, "run verify timebench verify --format json CLOCK_MONOTONIC@vdso @cpu\n", world.checkCounters},
			})
		})
	}
}

// checkCounters checks that the CPU has a counter that user mode may read, and that the counters can be trusted.
func (world) checkCounters(t *testing.T, said outputs) {
	counters := 0
	for _, c := range compare.Of(document(t, said["compare"])).Clocks {
		if c.Path == "cpu" && c.Available {
			counters++
		}
	}
	require.Positive(t, counters)
	require.Len(t, verify.Of(document(t, said.ok(t, "verify"))).Clocks, 1+counters)
}
