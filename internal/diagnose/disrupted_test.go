package diagnose

import (
	"testing"

	"github.com/timebench/timebench/internal/document/result"
)

// Proven disruptions are found, with the commands for the time service that runs. A machine that was only started, and
// a marker that proves no disruption, have no finding.
func TestDisrupted(t *testing.T) {
	chrony := []result.TimeService{{Name: "chronyd"}}
	for name, test := range map[string]struct {
		clock    result.VMClock
		services []result.TimeService
		offsets  []result.WallOffset
		unsynced bool
		severity string // "" without a finding
		says     []string
		never    []string
	}{
		"started":        {clock: result.VMClock{DisruptionMarker: "1", Status: "unknown"}},
		"another marker": {clock: result.VMClock{DisruptionMarker: "8812370", Status: "synchronized"}},
		"unreadable":     {clock: result.VMClock{Reason: "/dev/vmclock0: permission denied"}},
		"restored, chrony": {
			clock: result.VMClock{DisruptionMarker: "2", Disruptions: 1}, services: chrony, severity: result.Note,
			says: []string{"restored or migrated at least 1 time", "makestep 1 -1", "times and rates that programs had cached"}, never: []string{"hwclock", "Nothing shows"},
		},
		"restored, nobody corrects": {
			clock: result.VMClock{DisruptionMarker: "2", Disruptions: 1}, unsynced: true, severity: result.Warn,
			says: []string{"sudo chronyc makestep", "sudo hwclock -s"}, never: []string{"makestep 1 -1"},
		},
		"restored, right by the host's clock": {
			clock: result.VMClock{DisruptionMarker: "2", Disruptions: 1}, services: chrony, unsynced: true, severity: result.Note,
			offsets: []result.WallOffset{offset("ptp0", "vmclock0", 1e6, 1000)}, says: []string{"refclock PHC /dev/ptp0"}, never: []string{"hwclock"},
		},
		"unreliable": {clock: result.VMClock{DisruptionMarker: "2", Disruptions: 1, Status: "unreliable"}, severity: result.Warn, says: []string{"unreliable", "1 disruption"}},
	} {
		d := well()
		d.Host.Virtualization = guestOf("kvm")
		d.Host.VMClock, d.Host.TimeServices, d.Host.WallOffsets = &test.clock, test.services, test.offsets
		if test.unsynced {
			d.Host.TimeSync = nil
		}
		requireKind(t, d, "vm-disrupted", test.severity, test.says, test.never, name)
	}

	d := well()
	d.Host.Virtualization, d.Host.WallOffsets = guestOf("firecracker"), []result.WallOffset{offset("ptp0", "KVM virtual PTP", 75*hour, 1000)}
	d.Host.VMClock = &result.VMClock{DisruptionMarker: "2", Generation: "2", Disruptions: 2}
	requireKind(t, d, "wall-clock-off", result.Error, []string{"VMClock: disruption marker 2, generation 2: 2 disruptions"}, nil, "behind")
	requireKind(t, d, "vm-disrupted", "", nil, nil, "reported once")
}
