//go:build lab && linux

package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/watch"
)

// restoredScript has a watch see that its machine is restored from a snapshot of three seconds before. It runs on from
// there, so the second line that requests the restore is also printed twice.
const restoredScript = `
load ptp_vmclock
run before timebench doctor --fast --format json
run watch timebench watch --every 3s --format json --textfile /tmp/watch.prom &
while [ ! -s /tmp/watch.prom ]; do usleep 100000; done
echo "### save" | say
sleep 3
echo "### restore" | say
sleep 3
kill $(pidof timebench)
wait
run exported grep vm_disruption /tmp/watch.prom
run after timebench doctor --fast --format json
run of-user su user -c 'timebench env'
`

// A machine of QEMU 10 that is restored from a snapshot learns it from VMClock: watch reports it once, and doctor
// counts it. Before, and for a user who may not read the device, there is no finding.
func TestRestored(t *testing.T) {
	t.Parallel()
	loaded := false
	w := world{
		name: "restored", arch: "amd64", emulator: filepath.Join(parts(t, ""), "qemu-10", x86),
		machine: machine("-cpu max", 512, 1, "ttyS0", ""),
		host: func(t testing.TB, here, line string, _ *os.Process) {
			switch {
			case strings.Contains(line, "### save"):
				control(t, here,
					`"blockdev-create", "arguments": {"job-id": "a", "options": {"driver": "file", "filename": "disk", "size": 0}}`,
					`"blockdev-add", "arguments": {"driver": "file", "filename": "disk", "node-name": "file"}`,
					`"blockdev-create", "arguments": {"job-id": "b", "options": {"driver": "qcow2", "file": "file", "size": 2147483648}}`,
					`"blockdev-add", "arguments": {"driver": "qcow2", "file": "file", "node-name": "disk"}`,
					`"snapshot-save", "arguments": {"job-id": "c", "tag": "a", "vmstate": "disk", "devices": ["disk"]}`)
			case strings.Contains(line, "### restore") && !loaded:
				loaded = true
				control(t, here,
					`"snapshot-load", "arguments": {"job-id": "d", "tag": "a", "vmstate": "disk", "devices": ["disk"]}`, `"cont"`)
			}
		},
	}.set("-kernel", "parts/vmlinuz-7").with("-device", "vmclock", "-qmp", "unix:qmp,server=on,wait=off")
	said := w.run(t, restoredScript)
	said.ok(t, "ptp_vmclock")
	before, after := document(t, said["before"]), document(t, said["after"])
	require.Equal(t, &result.VMClock{DisruptionMarker: "1", Status: "unknown"}, before.Host.VMClock)
	require.Nil(t, found(before, "vm-disrupted"))
	require.Equal(t, &result.VMClock{DisruptionMarker: "2", Disruptions: 1, Status: "unknown"}, after.Host.VMClock)
	if off := found(after, "wall-clock-off"); off == nil || !strings.Contains(strings.Join(off.Evidence, "\n"),
		"VMClock: disruption marker 2") {
		require.NotNil(t, found(after, "vm-disrupted"), "%+v", after.Findings)
		require.Equal(t, "the virtual machine was restored or migrated at least 1 time", found(after, "vm-disrupted").Title)
	}
	require.Contains(t, said["of-user"].stdout, "/dev/vmclock0: permission denied")

	disruptions := slices.DeleteFunc(eventsOf(t, said["watch"]),
		func(e watch.Event) bool { return e.Kind != watch.VMDisruption })
	require.Len(t, disruptions, 1, said["watch"].stdout)
	require.Equal(t, []string{"1", "2"}, []string{disruptions[0].From, disruptions[0].To})
	require.Equal(t, `timebench_watch_events_total{event="vm_disruption"} 1`+"\n", said["exported"].stdout)
}
