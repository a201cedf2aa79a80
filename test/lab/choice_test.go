//go:build lab && linux

package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// doctor reports who or what selected the clock source in use.
func TestWhoChoseTheClockSource(t *testing.T) {
	invariant := named("hpet").set("-cpu", "max,+invtsc")
	for _, test := range []struct {
		name           string
		world          world
		source         string
		says, never    string
		evidence       string
		afterTheRemedy string
	}{
		{
			name: "by hand", world: named("tsc").boots("select=acpi_pm"),
			source: "acpi_pm", says: "somebody selected acpi_pm at run time", never: "command line names",
			evidence: "available clock sources, best first: tsc hpet acpi_pm", afterTheRemedy: "tsc",
		},
		{
			name: "at boot", world: invariant.boots("tsc=reliable clocksource=hpet wait=hpet"),
			source: "hpet", says: "on the kernel command line: clocksource=hpet", never: "somebody",
			evidence: "kernel command line: clocksource=hpet", afterTheRemedy: "tsc",
		},
		{
			name: "a typo at boot", world: named("hpet").boots("clocksource=tcs"),
			source: "hpet", says: "assumes that the TSCs of the CPUs are unsynchronised", never: "on the kernel command line",
			evidence: "kernel command line: clocksource=tcs, which is not available", afterTheRemedy: "hpet",
		},
		{
			name: "notsc, and by hand", world: invariant.boots("notsc select=acpi_pm"),
			source: "acpi_pm", says: "on the kernel command line: notsc. Also: The kernel rates hpet highest",
			never: "which is not available", evidence: "kernel command line: notsc", afterTheRemedy: "hpet",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			said := test.world.run(t, `
run doctor timebench doctor --format json
echo | tee $sources/current_clocksource
sleep 1
`)
			d := document(t, said["doctor"])
			require.Equal(t, test.source, d.Host.ClockSource.Current)
			require.NotEmpty(t, d.Findings)
			first := d.Findings[0]
			require.Equal(t, kernelEntry, first.Kind)
			require.Contains(t, first.Cause, test.says)
			require.NotContains(t, first.Cause+strings.Join(first.Evidence, "\n"), test.never)
			require.Contains(t, first.Evidence, test.evidence)
			require.Equal(t, test.afterTheRemedy, said.text("current"), "what `echo | tee` makes the kernel choose")
		})
	}
}

// togetherScript kills an experiment and its guardian in one stroke, with their control group, and then lets the next
// one find what they left. At last it kills all processes named timebench, as killall of psmisc does, and by busybox's
// killall; and lets an experiment's control group run out of memory.
const togetherScript = `
mkdir /tmp/groups
mount -t cgroup2 none /tmp/groups
echo +memory >/tmp/groups/cgroup.subtree_control
mkdir /tmp/groups/one /tmp/groups/memory
# until_true COMMAND: waits, for two minutes at most.
until_true() {
  for _ in $(seq 2400); do
    eval "$1" && return
    usleep 50000
  done
}
# experiment GROUP: starts one in a control group, and waits until the clock source is another.
experiment() {
  (
    echo 0 >/tmp/groups/$1/cgroup.procs
    exec timebench compare --clocksources hpet --yes CLOCK_MONOTONIC@vdso \
      --rounds 400 --throughput-time 20s --threads 1 >/tmp/experiment 2>&1
  ) &
  until_true '[ "$(current)" != tsc ]'
}
# ended NAME: waits until an experiment has ended, and looks at what it left.
ended() {
  until_true '! pidof timebench clock-guardian >/dev/null'
  run alive-$1 pidof timebench clock-guardian
  run source-$1 cat $sources/current_clocksource
  run record-$1 sh -c 'ls /run/timebench && cat /run/timebench/clocksource.json'
}

experiment one
run running su user -c 'timebench doctor --format json'
# A frozen guardian cannot act between the kill of timebench and its own.
echo 1 >/tmp/groups/one/cgroup.freeze
until_true 'grep -q "^frozen 1" /tmp/groups/one/cgroup.events'
echo 1 >/tmp/groups/one/cgroup.kill
ended group
run doctor-of-user su user -c 'timebench doctor --format json'
run asks timebench compare --clocksources all CLOCK_MONOTONIC@vdso --rounds 3 --throughput-time 1ms --threads 1
run unasked cat $sources/current_clocksource
run next timebench compare --clocksources all --yes --format json CLOCK_MONOTONIC@vdso \
  --rounds 3 --throughput-time 1ms --threads 1
ended next
run doctor-after timebench doctor --format json

experiment .
for process in /proc/[0-9]*; do
  [ "$(cat $process/comm 2>/dev/null)" = timebench ] && kill -9 ${process#/proc/}
done
ended name
experiment .
killall -9 timebench
ended killall
echo tsc >$sources/current_clocksource

echo 96m >/tmp/groups/memory/memory.max
echo 1 >/tmp/groups/memory/memory.oom.group
experiment memory
run before-memory cat $sources/current_clocksource
(
  echo 0 >/tmp/groups/memory/cgroup.procs
  exec tail -c 200m /dev/zero
)
run events cat /tmp/groups/memory/memory.events
ended memory
`

func TestKilledInOneStroke(t *testing.T) {
	t.Parallel()
	said := named("tsc").run(t, togetherScript)
	require.Nil(t, document(t, said["running"]).Host.UnrestoredClockSource, "it runs yet")

	// Busybox's killall also compares the file of the program, and so may reach the guardian.
	killall := said.text("source-killall")
	for name, source := range map[string]string{
		"group": "hpet", "next": "tsc",
		"name":    "tsc", // the guardian has another name than timebench
		"killall": killall,
		"memory":  "tsc", // the kernel spares the guardian in a control group that it kills as a whole, as a container's
	} {
		require.Empty(t, said.text("alive-"+name), name)
		require.Equal(t, source, said.text("source-"+name), name)
		record := said["record-"+name]
		require.Equal(t, source != "tsc", record.status == 0, "%s: the record is there as long as the original is not", name)
		require.Equal(t, source != "tsc", strings.Contains(record.stdout, `"original":"tsc"`), name)
	}
	require.Equal(t, "hpet", said.text("before-memory"))
	require.Contains(t, said.text("events"), "oom_group_kill 1")

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
	require.Nil(t, document(t, said["doctor-after"]).Host.UnrestoredClockSource)
}
