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
run exported grep ^timebench_vmclock_disruptions_total /tmp/watch.prom
run after timebench doctor --fast --format json
run of-user su user -c 'timebench env'
`

var restored = world{
	name: "restored", arch: "amd64",
	machine: []string{"-cpu", "max", "-m", "512", "-smp", "1", "-kernel", "parts/vmlinuz-7", "-initrd", "initrd",
		"-append", "console=ttyS0 panic=-1", "-device", "vmclock", "-qmp", "unix:qmp,server=on,wait=off"},
	host: restores,
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
	said := w.run(t, restoredScript)
	require.Zero(t, said["ptp_vmclock"].status, said["ptp_vmclock"].stderr)
	found := func(d *result.Document) string {
		if i := slices.IndexFunc(d.Findings, func(f result.Finding) bool { return f.Kind == "vm-disrupted" }); i >= 0 {
			return d.Findings[i].Title
		}
		return ""
	}
	before, after := document(t, said["before"]), document(t, said["after"])
	require.Equal(t, &result.VMClock{DisruptionMarker: "1", Status: "unknown"}, before.Host.VMClock)
	require.Empty(t, found(before))
	require.Equal(t, &result.VMClock{DisruptionMarker: "2", Disruptions: 1, Status: "unknown"}, after.Host.VMClock)
	off := slices.ContainsFunc(after.Findings, func(f result.Finding) bool {
		return f.Kind == "wall-clock-off" && strings.Contains(strings.Join(f.Evidence, "\n"), "VMClock: disruption marker 2")
	})
	require.True(t, off || found(after) == "the virtual machine was restored or migrated at least 1 time", "%+v", after.Findings)
	require.Contains(t, said["of-user"].stdout, "/dev/vmclock0: permission denied")

	var disruptions []watch.Event
	for events := json.NewDecoder(strings.NewReader(said["watch"].stdout)); events.More(); {
		var e watch.Event
		require.NoError(t, events.Decode(&e))
		t.Logf("%s: %s", e.Kind, e.Message)
		if e.Kind == watch.VMDisruption {
			disruptions = append(disruptions, e)
		}
	}
	require.Len(t, disruptions, 1, said["watch"].stdout)
	require.Equal(t, []string{"1", "2"}, []string{disruptions[0].From, disruptions[0].To})
	require.Equal(t, "timebench_vmclock_disruptions_total 1\n", said["exported"].stdout)
}
