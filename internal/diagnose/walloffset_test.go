package diagnose

import (
	"testing"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func offset(against, name string, ns, bound int64) result.WallOffset {
	return result.WallOffset{Against: against, Name: name, OffsetNS: &ns, BoundNS: bound}
}

const (
	hour     = int64(3600e9)
	rtcBound = int64(5e8)
)

// The wall clock is compared with the clocks that continue while the machine does not run. A new case is a row.
func TestWallClockOff(t *testing.T) {
	kvm := func(d *result.Document) {
		d.Host.Virtualization = guestOf("kvm")
	}
	rtc := func(ns int64) result.WallOffset { return offset("rtc0", "rtc_cmos", ns, rtcBound) }
	for name, test := range map[string]struct {
		plant    func(*result.Document)
		offsets  []result.WallOffset
		severity string // "" without a finding
		says     []string
		never    []string
	}{
		"none":                   {offsets: nil},
		"within the resolution":  {offsets: []result.WallOffset{rtc(1_400_000_000)}},
		"the bound of a reading": {offsets: []result.WallOffset{offset("rtc0", "", 5e9, 5e9)}},
		"unreadable":             {offsets: []result.WallOffset{{Against: "ptp0", Name: "KVM virtual PTP", Reason: "permission denied"}}},
		"a network card":         {offsets: []result.WallOffset{offset("ptp0", "igb", 37e9, 1000)}, plant: kvm},
		"a card and a right RTC": {offsets: []result.WallOffset{offset("ptp0", "mlx5_ptp", 20*365*24*hour, 1000), rtc(3e8)}},
		"local time":             {offsets: []result.WallOffset{{Against: "rtc0", OffsetNS: new(int64), BoundNS: rtcBound, ZoneNS: hour}}},
		"a virtual RTC is off, the host's clock is not": {plant: kvm, offsets: []result.WallOffset{rtc(hour), offset("ptp0", "KVM virtual PTP", 1e6, 1000)}},
		"the RTC of a synchronised machine": {
			offsets: []result.WallOffset{rtc(-3 * hour)}, severity: result.Note,
			says: []string{"3 h ahead of the real-time clock", "the real-time clock is the wrong one", "sudo hwclock --systohc"}, never: []string{"hwclock -s\n"},
		},
		"nothing synchronises": {
			offsets: []result.WallOffset{rtc(100e9)}, severity: result.Warn, plant: func(d *result.Document) { d.Host.TimeSync = nil },
			says: []string{"100 s behind", "either may be wrong", "sudo hwclock -s"},
		},
		"a guest that says it is synchronised": {
			plant: kvm, offsets: []result.WallOffset{offset("ptp1", "KVM virtual PTP", 75*hour, 1000), rtc(75 * hour)}, severity: result.Error,
			says: []string{"75 h behind the host's clock", "refclock PHC /dev/ptp1", "as far as the kernel knows", "sudo hwclock -s"}, never: []string{"modprobe"},
		},
		"a guest whose RTC is wrong too": {
			plant: kvm, offsets: []result.WallOffset{offset("ptp0", "KVM virtual PTP", 75*hour, 1000), rtc(0)}, severity: result.Error,
			says: []string{"75 h behind the host's clock"}, never: []string{"hwclock -s"},
		},
		"a guest without the clock of its host": {
			plant:   func(d *result.Document) { kvm(d); d.Host.TimeSync = nil },
			offsets: []result.WallOffset{rtc(hour)}, severity: result.Error, says: []string{"modprobe ptp_kvm"},
		},
		"a guest whose kernel has no modules": {
			plant:   func(d *result.Document) { kvm(d); d.Host.TimeSync, d.Host.NoModules = nil, true },
			offsets: []result.WallOffset{rtc(hour)}, severity: result.Error, says: []string{"real-time clock"}, never: []string{"modprobe"},
		},
		"a virtual RTC that drifts": {
			plant: kvm, offsets: []result.WallOffset{rtc(4e9)}, severity: result.Note, says: []string{"the real-time clock may be the wrong one"},
		},
		"a guest whose only witness is its RTC": {
			plant: kvm, offsets: []result.WallOffset{rtc(75 * hour)}, severity: result.Warn, says: []string{"75 h behind the real-time clock", "Compare the time with another machine first"},
		},
		"a container": {
			plant: func(d *result.Document) { kvm(d); d.Host.Container, d.Host.TimeSync = "docker", nil }, offsets: []result.WallOffset{rtc(hour)}, severity: result.Error,
			says: []string{"Set the clock on the host"}, never: []string{"hwclock", "modprobe"},
		},
		"WSL": {
			plant:   func(d *result.Document) { d.Host.WSL, d.Host.TimeSync = 2, nil },
			offsets: []result.WallOffset{rtc(9 * hour)}, severity: result.Error, says: []string{"wsl --shutdown"}, never: []string{"systemctl", "chrony"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			d.Host.WallOffsets = test.offsets
			if test.plant != nil {
				test.plant(d)
			}
			requireKind(t, d, "wall-clock-off", test.severity, test.says, test.never, name)
		})
	}
}

// Two services that set the clock are found; services that do not, or only after a pause, are not counted.
func TestTwoTimeServices(t *testing.T) {
	service := func(names ...string) (found []result.TimeService) {
		for _, name := range names {
			found = append(found, result.TimeService{Name: name})
		}
		return found
	}
	implicit := append(service("chronyd"), result.TimeService{Name: "hyperv-timesync", Setting: "timesync_implicit=Y"})
	for name, test := range map[string]struct {
		services []result.TimeService
		kernel   string
		step     int64
		system   string
		says     string // "" without a finding
	}{
		"none":                             {},
		"one":                              {services: service("chronyd")},
		"two programs":                     {services: service("chronyd", "systemd-timesyncd"), says: "disable the others: chronyd, systemd-timesyncd"},
		"VMware Tools, off by default":     {services: service("chronyd", "vmtoolsd"), system: "vmware"},
		"Hyper-V after a pause only":       {services: service("chronyd", "hyperv-timesync"), kernel: "6.1.0", system: "hyperv"},
		"Hyper-V all the time":             {services: implicit, kernel: "6.1.0", system: "hyperv", says: "chronyd and hyperv-timesync"},
		"Hyper-V of an old kernel":         {services: service("ntpd", "hyperv-timesync"), kernel: "4.4.0-64-generic", system: "hyperv", says: "ntpd and hyperv-timesync"},
		"a step in a guest of VMware":      {services: service("chronyd", "vmtoolsd"), system: "vmware", step: 2e9, says: "vmware-toolbox-cmd timesync disable"},
		"WSL, which sets the clock":        {services: append(service("systemd-timesyncd"), implicit[1]), kernel: "6.18.33.1-microsoft-standard-WSL2", system: "hyperv", says: "timedatectl set-ntp false"},
		"a step on a machine of one's own": {services: service("chronyd"), step: 2e9},
	} {
		d := well()
		d.Host.TimeServices, d.Host.Kernel = test.services, test.kernel
		d.Conditions.WallStepNS = test.step
		if test.system != "" {
			d.Host.Virtualization = guestOf(test.system)
		}
		if test.says == "" {
			requireKind(t, d, "two-time-services", "", nil, nil, name)
			continue
		}
		requireKind(t, d, "two-time-services", result.Warn, []string{test.says}, nil, name)
		requireKind(t, d, "stepped", "", nil, nil, name+": reported once")
	}
}

// A rate that a time service corrects as far as it can is the fault of the clock source.
func TestRateAtItsLimit(t *testing.T) {
	for name, test := range map[string]struct {
		sync result.TimeSync
		says string
	}{
		"usual":             {sync: result.TimeSync{Synchronised: true, FrequencyPPM: 499, TickNS: situation.UsualTickNS}},
		"slow":              {sync: result.TimeSync{Synchronised: true, FrequencyPPM: 500, TickNS: situation.UsualTickNS}, says: "the clock source runs slow by as much"},
		"fast":              {sync: result.TimeSync{Synchronised: true, FrequencyPPM: -500, TickNS: situation.UsualTickNS}, says: "the clock source runs fast by as much"},
		"another limit":     {sync: result.TimeSync{Synchronised: true, FrequencyPPM: 500, FrequencyLimitPPM: 1000}},
		"a tick":            {sync: result.TimeSync{Synchronised: true, TickNS: 11_000_000}, says: "runs slow"},
		"a tick below":      {sync: result.TimeSync{Synchronised: true, TickNS: 10_900_000}},
		"set by hand":       {sync: result.TimeSync{FrequencyPPM: 500}},
		"lost, and behind":  {sync: result.TimeSync{FrequencyPPM: 500, OffsetNS: 3e8}, says: "remaining offset 300 ms"},
		"error of 16 s too": {sync: result.TimeSync{FrequencyPPM: 500, OffsetNS: 3e8, MaxErrorNS: lostErrorNS}, says: "runs slow"},
	} {
		d := well()
		d.Host.TimeSync = &test.sync
		if test.says == "" {
			requireKind(t, d, "clock-rate", "", nil, nil, name)
			continue
		}
		requireKind(t, d, "clock-rate", result.Warn, []string{test.says}, []string{"until it is right"}, name)
		requireKind(t, d, "slewed", "", nil, nil, name)
	}
}

// A clock that should be fine and steps by a tick is found, and no coarse clock is suggested instead.
func TestFineClockThatTicks(t *testing.T) {
	d := well()
	slow(d, "hpet")
	requireKind(t, d, "kernel-entry", result.Error, []string{"CLOCK_REALTIME_COARSE ("}, nil, "fine")
	compare.Into(d).Clocks[0].Resolution.TickNS = 31_250
	requireKind(t, d, "fine-clock-ticks", "", nil, nil, "a counter of 32 kHz")
	compare.Into(d).Clocks[0].Resolution = &compare.Resolution{TickNS: 4e6, ReportedNS: 1}
	requireKind(t, d, "fine-clock-ticks", result.Warn, []string{"CLOCK_MONOTONIC@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · steps by 4 ms; clock_getres reports 1 ns"}, nil, "a tick")
	requireKind(t, d, "kernel-entry", result.Error, nil, []string{"COARSE ("}, "a tick")
}
