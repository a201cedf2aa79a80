//go:build lab && linux

package lab

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/watch"
)

// watchScript has a watch see a demotion of the time stamp counter, a step of the wall clock, a machine whose
// hypervisor pauses it with all its clocks, and a machine that does not run while its clocks go on. It keeps the
// exported metrics two turns after the demotion, and at the end.
const watchScript = `
turns() { grep '^timebench_watch_turns_total' /tmp/watch.prom | cut -d' ' -f2; }
# turn: waits for so many turns
turn() { end=$(($(turns) + $1)); while [ "$(turns)" -lt "$end" ]; do usleep 100000; done; }
stalled() { sed -n 's/^timebench_stall_seconds_total //p' /tmp/watch.prom; }
run watch timebench watch --every 2s --format json --textfile /tmp/watch.prom &
while [ ! -s /tmp/watch.prom ]; do usleep 100000; done
turn 4
run hpet-ahead hpet-ahead
becomes hpet
turn 2
run exported cat /tmp/watch.prom
turn 3
run step date -s "@$(($(date +%s) + 100))"
turn 2
echo "### clocks stand still" | say
sleep 3
turn 4
# A watch does not see what stalls the machine during a turn, which takes long where the host is busy.
for _ in 1 2 3; do
  before=$(stalled)
  echo "### clocks go on" | say
  sleep 3
  turn 4
  awk "BEGIN { exit !($(stalled) - $before > 2) }" && break
done
run exported-at-end cat /tmp/watch.prom
kill $(pidof timebench)
wait
`

// pause is how long the machine is paused.
const pause = 5 * time.Second

var demoted = world{
	// With several CPUs the kernel finds at once that their emulated counters differ.
	name: "demoted", arch: "amd64", emulator: x86, host: pauses,
	machine: machine("-cpu max,+invtsc", 512, 1, "ttyS0", "iomem=relaxed wait=tsc"),
}.with("-qmp", "unix:qmp,server=on,wait=off")

// pauses pauses the machine when its console requests it: by the emulator, which stops all clocks of the machine but
// the real-time clock, or by stopping the emulator itself, after which the clocks jump.
func pauses(t testing.TB, here, line string, emulator *os.Process) {
	switch {
	case strings.Contains(line, "### clocks stand still"):
		control(t, here, `"stop"`)
		time.Sleep(pause)
		control(t, here, `"cont"`)
	case strings.Contains(line, "### clocks go on"):
		require.NoError(t, emulator.Signal(syscall.SIGSTOP))
		time.Sleep(pause)
		require.NoError(t, emulator.Signal(syscall.SIGCONT))
	}
}

// control has a machine with the socket qmp carry out commands of QEMU's protocol QMP, each a name and its arguments. A
// command with a job-id ends when its job does.
func control(t testing.TB, here string, commands ...string) {
	to, err := net.Dial("unix", filepath.Join(here, "qmp"))
	require.NoError(t, err)
	defer func() { _ = to.Close() }() // QEMU accepts one connection at a time
	answers := json.NewDecoder(to)
	for _, command := range append([]string{`"qmp_capabilities"`}, commands...) {
		_, err := fmt.Fprintf(to, `{"execute": %s}`, command)
		require.NoError(t, err)
		for isJob, ended := strings.Contains(command, "job-id"), false; !ended; {
			// A greeting, an answer or an event.
			var said struct {
				Return, Error json.RawMessage
				Data          struct{ Status string }
			}
			require.NoError(t, answers.Decode(&said))
			require.Empty(t, said.Error, command)
			require.NotEqual(t, "aborting", said.Data.Status, command)
			ended = said.Return != nil && !isJob || said.Data.Status == "concluded"
		}
	}
}

// eventsOf returns the events that a watch printed.
func eventsOf(t *testing.T, said ran) (all []watch.Event) {
	t.Helper()
	for events := json.NewDecoder(strings.NewReader(said.stdout)); events.More(); {
		var e watch.Event
		require.NoError(t, events.Decode(&e))
		t.Logf("%s: %s", e.Kind, e.Message)
		all = append(all, e)
	}
	return all
}

// TestWatch checks that each change is reported once, with its cause and its size, and exported. An emulated machine on
// a busy host may have stalls and costs of its own.
func TestWatch(t *testing.T) {
	t.Parallel()
	said := demoted.run(t, watchScript)
	said.ok(t, "hpet-ahead")
	require.Equal(t, "hpet", said.text("current"), "the kernel's log:\n%s", said["dmesg"].stdout)
	said.ok(t, "step")
	byKind := map[string][]watch.Event{}
	var seen []string
	for _, e := range eventsOf(t, said.ok(t, "watch")) {
		byKind[e.Kind], seen = append(byKind[e.Kind], e), append(seen, e.Kind+": "+e.Message)
	}
	for _, kind := range []string{watch.ClockSource, watch.KernelEntry, watch.WallClockStep} {
		require.Len(t, byKind[kind], 1, "%s of %q", kind, seen)
	}
	for _, kind := range []string{watch.Suspend, watch.Textfile, watch.TimeSync} {
		require.Empty(t, byKind[kind], "%s of %q", kind, seen)
	}

	source := byKind[watch.ClockSource][0]
	require.Equal(t, []string{"tsc", "hpet"}, []string{source.From, source.To})
	require.Contains(t, source.Message, "Marking clocksource 'tsc' as unstable because the skew is too large")
	entry := byKind[watch.KernelEntry][0]
	require.ElementsMatch(t, []string{"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "gettimeofday@vdso"}, entry.Clocks)
	require.Greater(t, entry.NewNS, entry.OldNS)
	require.True(t, slices.ContainsFunc(byKind[watch.NewFinding],
		func(e watch.Event) bool { return e.Finding.Kind == kernelEntry }), "%q", seen)
	require.InDelta(t, 100e9, byKind[watch.WallClockStep][0].OffsetNS, 2e9)
	long := func(text string) bool {
		return slices.ContainsFunc(byKind[watch.Stall], func(e watch.Event) bool {
			return time.Duration(e.DurationNS) >= pause/2 && time.Duration(e.DurationNS) <= 2*pause && strings.Contains(
				e.Message, text)
		})
	}
	require.True(t, long("the clocks stood still"), "%q", seen)
	require.True(t, long("not because it waited for a CPU"), "%q", seen)

	exported, end := said["exported"].stdout, said["exported-at-end"].stdout
	for _, line := range []string{
		`timebench_clocksource_info{current="hpet"} 1`, `timebench_clock_enters_kernel{clock="CLOCK_MONOTONIC@vdso"} 1`,
		`timebench_finding{kind="kernel-entry",severity="error"} 1`, `timebench_watch_events_total{event="clock_source"} 1`,
	} {
		require.Contains(t, exported, line+"\n", "two turns after the demotion")
	}
	require.Contains(t, end, `timebench_watch_events_total{event="wall_clock_step"} 1`+"\n")
}
