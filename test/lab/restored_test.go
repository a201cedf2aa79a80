//go:build lab && linux

package lab

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

var restored = world{
	name: "restored", arch: "amd64", host: restores,
	machine: machine("-cpu max", 512, 1, "ttyS0", "", "-device", "vmclock", "-qmp", "unix:qmp,server=on,wait=off"),
}

// restores saves the machine when its console requests it, and restores it once.
func restores(t testing.TB, here, line string, _ *os.Process) {
	loaded := filepath.Join(here, "loaded")
	switch {
	case strings.Contains(line, "### save"):
		m := control(t, here)
		defer m.close()
		m.job("blockdev-create", `"options": {"driver": "file", "filename": "disk", "size": 0}`)
		m.run("blockdev-add", `"driver": "file", "filename": "disk", "node-name": "file"`)
		m.job("blockdev-create", `"options": {"driver": "qcow2", "file": "file", "size": 2147483648}`)
		m.run("blockdev-add", `"driver": "qcow2", "file": "file", "node-name": "disk"`)
		m.job("snapshot-save", `"tag": "a", "vmstate": "disk", "devices": ["disk"]`)
	case strings.Contains(line, "### restore"):
		if _, err := os.Stat(loaded); err == nil {
			return
		}
		require.NoError(t, os.WriteFile(loaded, nil, 0o600))
		m := control(t, here)
		defer m.close()
		m.job("snapshot-load", `"tag": "a", "vmstate": "disk", "devices": ["disk"]`)
		m.run("cont", "")
	}
}

// job runs a command of QMP that is a job, until it has ended.
func (m *monitor) job(command, arguments string) {
	m.run(command, `"job-id": "job", `+arguments)
	for ; ; time.Sleep(100 * time.Millisecond) {
		var jobs []struct{ ID, Status, Error string }
		require.NoError(m.t, json.Unmarshal(m.run("query-jobs", ""), &jobs))
		i := slices.IndexFunc(jobs, func(j struct{ ID, Status, Error string }) bool { return j.Status == "concluded" })
		if i >= 0 {
			require.Empty(m.t, jobs[i].Error, command)
			m.run("job-dismiss", `"id": "job"`)
			return
		}
	}
}

// A machine of QEMU 10 that is restored from a snapshot learns it from VMClock: watch reports it once, and doctor
// counts it. Before, and for a user who may not read the device, there is no finding.
func TestRestored(t *testing.T) {
	t.Parallel()
	w := restored
	w.emulator = filepath.Join(parts(t, ""), "qemu-10", x86)
	w.set("-kernel", "parts/vmlinuz-7")
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
