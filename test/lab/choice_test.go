//go:build lab && linux

package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// booted returns the machine of tsc with other words on its kernel command line.
func booted(name, words string) world {
	w := named("tsc")
	w.name, w.machine = name, machine("-cpu max,+invtsc", 512, 2, "ttyS0", words)
	return w
}

// doctor reports who or what selected the clock source in use.
func TestWhoChoseTheClockSource(t *testing.T) {
	for _, test := range []struct {
		name, words    string
		cpu            string // QEMU's name, if another
		source         string
		says, never    string
		evidence       string
		afterTheRemedy string
	}{
		{
			name: "by hand", words: "tsc=reliable wait=tsc select=acpi_pm",
			source: "acpi_pm", says: "somebody selected acpi_pm at run time", never: "command line names",
			evidence: "available clock sources, best first: tsc hpet acpi_pm", afterTheRemedy: "tsc",
		},
		{
			name: "at boot", words: "tsc=reliable clocksource=hpet wait=hpet",
			source: "hpet", says: "on the kernel command line: clocksource=hpet", never: "somebody",
			evidence: "kernel command line: clocksource=hpet", afterTheRemedy: "tsc",
		},
		{
			name: "a typo at boot", words: "clocksource=tcs", cpu: "max", // without an invariant TSC
			source: "hpet", says: "assumes that the TSCs of the CPUs are unsynchronised", never: "on the kernel command line",
			evidence: "kernel command line: clocksource=tcs, which is not available", afterTheRemedy: "hpet",
		},
		{
			name: "notsc, and by hand", words: "notsc select=acpi_pm",
			source: "acpi_pm", says: "on the kernel command line: notsc. Also: The kernel rates hpet highest",
			never: "which is not available", evidence: "kernel command line: notsc", afterTheRemedy: "hpet",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := booted(test.name, test.words)
			if test.cpu != "" {
				w.set("-cpu", test.cpu)
			}
			said := w.run(t, `
run doctor timebench doctor --format json
echo | tee $sources/current_clocksource
sleep 1
run after cat $sources/current_clocksource
`)
			d := document(t, said["doctor"])
			require.Equal(t, test.source, d.Host.ClockSource.Current)
			require.NotEmpty(t, d.Findings)
			first := d.Findings[0]
			require.Equal(t, kernelEntry, first.Kind)
			require.Contains(t, first.Cause, test.says)
			require.NotContains(t, first.Cause+strings.Join(first.Evidence, "\n"), test.never)
			require.Contains(t, first.Evidence, test.evidence)
			require.Equal(t, test.afterTheRemedy, said.text("after"), "what `echo | tee` makes the kernel choose")
		})
	}
}

// togetherScript kills an experiment and its guardian in one stroke, with their control group, and then lets the next
// one find what they left. At last it kills all processes named timebench, as killall of psmisc does, and by busybox's
// killall; and lets an experiment's control group run out of memory.
const togetherScript = `
mkdir /tmp/groups
mount -t cgroup2 none /tmp/groups
mkdir /tmp/groups/one
# until_true COMMAND: waits, for two minutes at most.
until_true() {
  for _ in $(seq 2400); do
    eval "$1" && return
    usleep 50000
  done
}
started() { until_true '[ "$(current)" != tsc ]'; }
ended() { until_true '! pidof timebench clock-guardian >/dev/null'; }
(
  echo 0 >/tmp/groups/one/cgroup.procs
  exec timebench compare --clocksources hpet --yes CLOCK_MONOTONIC@vdso \
    --rounds 400 --throughput-time 20s --threads 1 >/tmp/one 2>&1
) &
started
run running su user -c 'timebench doctor --format json'
# A frozen guardian cannot act between the kill of timebench and its own.
echo 1 >/tmp/groups/one/cgroup.freeze
until_true 'grep -q "^frozen 1" /tmp/groups/one/cgroup.events'
echo 1 >/tmp/groups/one/cgroup.kill
ended
run alive pidof timebench clock-guardian
run left cat $sources/current_clocksource
run record cat /run/timebench/clocksource.json
run doctor-of-user su user -c 'timebench doctor --format json'
run asks timebench compare --clocksources all CLOCK_MONOTONIC@vdso --rounds 3 --throughput-time 1ms --threads 1
run unasked cat $sources/current_clocksource
run next timebench compare --clocksources all --yes --format json CLOCK_MONOTONIC@vdso \
  --rounds 3 --throughput-time 1ms --threads 1
run restored cat $sources/current_clocksource
run gone ls /run/timebench
run doctor-after timebench doctor --format json

experiment() {
  timebench compare --clocksources hpet --yes CLOCK_MONOTONIC@vdso \
    --rounds 400 --throughput-time 2s --threads 1 >/tmp/experiment 2>&1 &
  started
}
experiment
for process in /proc/[0-9]*; do
  [ "$(cat $process/comm 2>/dev/null)" = timebench ] && kill -9 ${process#/proc/}
done
ended
run named cat $sources/current_clocksource
run record-named ls /run/timebench
experiment
killall -9 timebench
ended
run killall cat $sources/current_clocksource
run record-killall ls /run/timebench
echo tsc >$sources/current_clocksource

group=/tmp/groups/memory
echo +memory >/tmp/groups/cgroup.subtree_control
mkdir $group
echo 96m >$group/memory.max
echo 1 >$group/memory.oom.group
(
  echo 0 >$group/cgroup.procs
  exec timebench compare --clocksources hpet --yes CLOCK_MONOTONIC@vdso \
    --rounds 400 --throughput-time 2s --threads 1 >/tmp/experiment 2>&1
) &
started
run before-memory cat $sources/current_clocksource
(
  echo 0 >$group/cgroup.procs
  exec tail -c 200m /dev/zero
)
ended
run events cat $group/memory.events
run memory cat $sources/current_clocksource
run record-memory ls /run/timebench
`

func TestKilledInOneStroke(t *testing.T) {
	t.Parallel()
	said := booted("one stroke", "tsc=reliable wait=tsc").run(t, togetherScript)
	require.Nil(t, document(t, said["running"]).Host.UnrestoredClockSource, "it runs yet")

	require.Empty(t, said.text("alive"))
	require.Equal(t, "hpet", said.text("left"))
	require.Contains(t, said.text("record"), `"original":"tsc"`)
	d := document(t, said["doctor-of-user"])
	require.Equal(t, 1, said["doctor-of-user"].status)
	require.Equal(t, "tsc", d.Host.UnrestoredClockSource.Original)
	require.Equal(t, "clocksource-unrestored", d.Findings[0].Kind)
	require.Equal(t, result.Error, d.Findings[0].Severity)
	require.Contains(t, d.Findings[0].Remedies[0].Commands,
		"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource")
	require.NotNil(t, found(d, kernelEntry))
	require.Contains(t, found(d, kernelEntry).Cause, "An experiment of timebench selected hpet")

	require.Equal(t, 2, said["asks"].status)
	require.Contains(t, said["asks"].stderr, "add --yes to agree")
	require.Equal(t, "hpet", said.text("unasked"), "nobody agreed")
	require.Contains(t, said.ok(t, "next").stderr,
		"An earlier experiment was killed and left the clock source switched to hpet. First, tsc is restored.")
	d = document(t, said["next"])
	require.Equal(t, "tsc", d.Host.ClockSource.Current)
	require.Nil(t, d.Host.UnrestoredClockSource)
	require.Len(t, compare.Of(d).OtherClockSources, 2, "hpet and acpi_pm")
	require.Equal(t, "tsc", said.text("restored"))
	require.NotZero(t, said["gone"].status, said.text("gone"))
	require.Nil(t, document(t, said["doctor-after"]).Host.UnrestoredClockSource)

	require.Equal(t, "tsc", said.text("named"), "the guardian has another name than timebench")
	require.NotZero(t, said["record-named"].status)
	// Busybox also compares the file of the program, and so may reach the guardian.
	require.Equal(t, said.text("killall") == "tsc", said["record-killall"].status != 0,
		"the record is there as long as the original is not")
	// A control group that is killed as a whole for its memory, as containers are.
	require.Equal(t, "hpet", said.text("before-memory"))
	require.Contains(t, said.text("events"), "oom_group_kill 1")
	require.Equal(t, "tsc", said.text("memory"), "the guardian is spared")
	require.NotZero(t, said["record-memory"].status)
}
