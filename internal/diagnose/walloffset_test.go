package diagnose

import (
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

func offset(against, name string, ns, bound int64) result.WallOffset {
	return result.WallOffset{Against: against, Name: name, OffsetNS: &ns, BoundNS: bound}
}

func rtc(ns int64) result.WallOffset { return offset("rtc0", "rtc_cmos", ns, rtcBound) }

func ptp(name string, ns int64) result.WallOffset { return offset("ptp0", name, ns, 1000) }

const (
	hour     = int64(3600e9)
	rtcBound = int64(5e8)
	kvmClock = "KVM virtual PTP"
)

// off plants a wall clock that differs from these clocks.
func off(offsets ...result.WallOffset) func(*result.Document) {
	return func(d *result.Document) { d.Host.WallOffsets = offsets }
}

func both(changes ...func(*result.Document)) func(*result.Document) {
	return func(d *result.Document) {
		for _, change := range changes {
			change(d)
		}
	}
}

// unset is a machine without a time service. Windows and the BSDs report no such thing, so nothing else is found.
func unset(d *result.Document) { d.Host.TimeSync = nil }

// The wall clock is compared with the clocks that continue while the machine does not run.
var ofWallOffsets = map[string]outcome{
	"within the resolution":                         {off(rtc(1_400_000_000)), "", "", "", ""},
	"the bound of a reading":                        {off(offset("rtc0", "", 5e9, 5e9)), "", "", "", ""},
	"a network card":                                {both(inKVM, off(ptp("igb", 37e9))), "", "", "", ""},
	"a card and a right RTC":                        {off(ptp("mlx5_ptp", 20*365*24*hour), rtc(3e8)), "", "", "", ""},
	"local time":                                    {off(result.WallOffset{Against: "rtc0", OffsetNS: new(int64), BoundNS: rtcBound, ZoneNS: hour}), "", "", "", ""},
	"a virtual RTC is off, the host's clock is not": {both(inKVM, off(rtc(hour), ptp(kvmClock, 1e6))), "", "", "", ""},
	"the RTC of a synchronised machine": {off(rtc(-3 * hour)), "wall-clock-off", result.Note,
		"3 h ahead of the real-time clock … the real-time clock is the wrong one … sudo hwclock --systohc", "hwclock -s"},
	"nothing synchronises": {both(unset, off(rtc(100e9))), "wall-clock-off", result.Warn, "100 s behind … either may be wrong … sudo hwclock -s", ""},
	"a guest that says it is synchronised": {both(inKVM, off(offset("ptp1", kvmClock, 75*hour, 1000), rtc(75*hour))), "wall-clock-off", result.Error,
		"75 h behind the host's clock … as far as the kernel knows … sudo hwclock -s … refclock PHC /dev/ptp1", "modprobe"},
	"a guest that is a little behind": {both(off(ptp("hyperv", 30e9)), func(d *result.Document) { d.Host.Virtualization = guestOf("hyperv") }),
		"wall-clock-off", result.Warn, "30 s behind the host's clock", ""},
	"a guest whose RTC is wrong too":        {both(inKVM, off(ptp(kvmClock, 75*hour), rtc(0))), "wall-clock-off", result.Error, "75 h behind the host's clock", "hwclock -s"},
	"a guest without the clock of its host": {both(inKVM, unset, off(rtc(hour))), "wall-clock-off", result.Error, "modprobe ptp_kvm", ""},
	"a guest whose kernel has no modules": {both(inKVM, unset, off(rtc(hour)), func(d *result.Document) { d.Host.NoModules = true }),
		"wall-clock-off", result.Error, "real-time clock", "modprobe"},
	"a virtual RTC that drifts": {both(inKVM, off(rtc(4e9))), "wall-clock-off", result.Note, "the real-time clock may be the wrong one", ""},
	"a guest whose only witness is its RTC": {both(inKVM, off(rtc(75*hour))), "wall-clock-off", result.Warn,
		"75 h behind the real-time clock … Compare the time with another machine first", ""},
	"a container": {both(inKVM, unset, off(rtc(hour)), func(d *result.Document) { d.Host.Container = "docker" }), "wall-clock-off", result.Error,
		"Set the clock on the host", "hwclock | modprobe"},
	"Docker Desktop": {both(unset, off(rtc(9*hour)), func(d *result.Document) { d.Host.Container, d.Host.Kernel = "docker", "6.10.14-linuxkit" }),
		"wall-clock-off", result.Error, "docker run --rm --privileged alpine hwclock -s … Restart Docker Desktop … All containers stop", "the clock on the host | sudo | clock of its host"},
	"WSL": {both(unset, off(rtc(9*hour)), func(d *result.Document) { d.Host.WSL = 2 }), "wall-clock-off", result.Error, "wsl --shutdown", "systemctl | chrony"},
	"a VMClock, and behind its host": {both(disruption(result.VMClock{DisruptionMarker: "2", Generation: "2", Disruptions: 2}), off(ptp(kvmClock, 75*hour))),
		"wall-clock-off", result.Error, "VMClock: disruption marker 2, generation 2: 2 disruptions", ""},
}

// disruption plants a guest of KVM with a VMClock, whose time chronyd sets.
func disruption(clock result.VMClock) func(*result.Document) {
	return func(d *result.Document) {
		inKVM(d)
		d.Host.VMClock, d.Host.TimeServices = &clock, services("chronyd")
	}
}

func services(names ...string) (found []result.TimeService) {
	for _, name := range names {
		found = append(found, result.TimeService{Name: name})
	}
	return found
}

var once = result.VMClock{DisruptionMarker: "2", Disruptions: 1}

// Proven disruptions are found, with the commands for the time service that runs. A machine that was only started, and
// a marker that proves no disruption, have no finding.
var ofDisruptions = map[string]outcome{
	"only started":       {disruption(result.VMClock{DisruptionMarker: "1", Status: "unknown"}), "", "", "", ""},
	"another marker":     {disruption(result.VMClock{DisruptionMarker: "8812370", Status: "synchronized"}), "", "", "", ""},
	"unreadable VMClock": {disruption(result.VMClock{Reason: "/dev/vmclock0: permission denied"}), "", "", "", ""},
	"restored, chrony": {disruption(once), "vm-disrupted", result.Note,
		"restored or migrated at least 1 time … times and rates that programs had cached … makestep 1 -1", "hwclock | Nothing shows"},
	"restored, nobody corrects": {both(disruption(once), unset, func(d *result.Document) { d.Host.TimeServices = nil }), "vm-disrupted", result.Warn,
		"sudo chronyc makestep … sudo hwclock -s", "makestep 1 -1"},
	"restored, right by the host's clock": {both(disruption(once), unset, off(ptp("vmclock0", 1e6))), "vm-disrupted", result.Note, "refclock PHC /dev/ptp0", "hwclock"},
	"unreliable":                          {disruption(result.VMClock{DisruptionMarker: "2", Disruptions: 1, Status: "unreliable"}), "vm-disrupted", result.Warn, "unreliable … 1 disruption", ""},
}

// serving plants time services in a guest, or on a real machine, with a kernel.
func serving(system, kernel string, found ...result.TimeService) func(*result.Document) {
	return func(d *result.Document) {
		if system != "" {
			d.Host.Virtualization = guestOf(system)
		}
		d.Host.Kernel, d.Host.TimeServices = kernel, found
	}
}

const lostErrorNS = 16e9 // what the kernel assumes after hours without a time service: NTP_PHASE_LIMIT

func stepping(d *result.Document) { d.Conditions.WallStepNS = 2e9 }

var implicit = result.TimeService{Name: "hyperv-timesync", Setting: "timesync_implicit=Y"}

// Two services that set the clock are found; services that do not, or only after a pause, are not counted.
var ofServices = map[string]outcome{
	"one service":                  {serving("", "", services("chronyd")...), "", "", "", ""},
	"two programs":                 {serving("", "", services("chronyd", "systemd-timesyncd")...), "two-time-services", result.Warn, "chronyd and systemd-timesyncd … disable the others: chronyd, systemd-timesyncd", ""},
	"VMware Tools, off by default": {serving("vmware", "", services("chronyd", "vmtoolsd")...), "", "", "", ""},
	"Hyper-V after a pause only":   {serving("hyperv", "6.1.0", services("chronyd", "hyperv-timesync")...), "", "", "", ""},
	"Hyper-V all the time":         {serving("hyperv", "6.1.0", result.TimeService{Name: "chronyd"}, implicit), "two-time-services", result.Warn, "chronyd and hyperv-timesync", ""},
	"Hyper-V of an old kernel":     {serving("hyperv", "4.4.0-64-generic", services("ntpd", "hyperv-timesync")...), "two-time-services", result.Warn, "ntpd and hyperv-timesync", ""},
	"a step in a guest of VMware": {both(serving("vmware", "", services("chronyd", "vmtoolsd")...), stepping), "two-time-services", result.Warn,
		"vmware-toolbox-cmd timesync disable", ""},
	"WSL, which sets the clock": {serving("hyperv", "6.18.33.1-microsoft-standard-WSL2", result.TimeService{Name: "systemd-timesyncd"}, implicit),
		"two-time-services", result.Warn, "timedatectl set-ntp false", ""},
	"a step on a machine of one's own": {both(serving("", "", services("chronyd")...), stepping), "stepped", result.Warn, "jumped by", ""},
	// No advice against each other: to step, and never to step.
	"a step back": {func(d *result.Document) { d.Conditions.WallStepNS = -2e9 }, "stepped", result.Warn,
		"jumped by -2 s … CLOCK_MONOTONIC … a time service logs its steps", "makestep only at its start | to slew"},
}

// synced plants what the kernel reports of the time service.
func synced(sync result.TimeSync) func(*result.Document) {
	return func(d *result.Document) { d.Host.TimeSync = &sync }
}

const usualTick = situation.UsualTickNS

// A rate that a time service corrects as far as it can is the fault of the clock source.
var ofRates = map[string]outcome{
	"usual":         {synced(result.TimeSync{Synchronised: true, FrequencyPPM: 499, TickNS: usualTick}), "", "", "", ""},
	"slow":          {synced(result.TimeSync{Synchronised: true, FrequencyPPM: 500, TickNS: usualTick}), "clock-rate", result.Warn, "the clock source runs slow by as much", "until it is right"},
	"another limit": {synced(result.TimeSync{Synchronised: true, FrequencyPPM: 500, FrequencyLimitPPM: 1000}), "", "", "", ""},
	"a tick":        {synced(result.TimeSync{Synchronised: true, TickNS: 11_000_000}), "clock-rate", result.Warn, "runs slow … +100,000 ppm", ""},
	"a tick below": {synced(result.TimeSync{Synchronised: true, TickNS: 10_900_000}), "slewed", result.Note,
		"tick 10,900 µs, which changes the rate by +90,000 ppm", ""},
	"frequency at its limit, and ahead": {synced(result.TimeSync{Synchronised: true, TickNS: usualTick, FrequencyPPM: -500, OffsetNS: -4e8}), "clock-rate", result.Warn,
		"The wall clock still gains time.", ""},
	"a service that recovers": {synced(result.TimeSync{Synchronised: true, TickNS: usualTick, FrequencyPPM: -500, OffsetNS: 4e8}), "clock-rate", result.Note,
		"the service may be recovering from a correction", ""},
	"lost, and behind": {synced(result.TimeSync{FrequencyPPM: 500, OffsetNS: 3e8}), "clock-rate unsynchronised", result.Warn, "remaining offset 300 ms", "until it is right"},
	// A rate that a program set stays if no time service resets it.
	"a tick that nobody resets": {synced(result.TimeSync{TickNS: 11_000_000, MaxErrorNS: lostErrorNS}), "unsynchronised slewed", result.Warn,
		"no time service that will reset it … ppm … sudo adjtimex --tick 10000 --frequency 0", ""},
	"a frequency that nobody resets": {synced(result.TimeSync{TickNS: usualTick, FrequencyPPM: 500, MaxErrorNS: lostErrorNS}), "unsynchronised slewed", result.Warn,
		"no time service that will reset it … ppm", ""},
	"an offset that nobody corrects": {synced(result.TimeSync{TickNS: usualTick, OffsetNS: 300_000_000, MaxErrorNS: lostErrorNS}), "unsynchronised slewed", result.Warn,
		"remaining offset 300 ms", ""},
	"far off": {synced(result.TimeSync{Synchronised: true, TickNS: usualTick, OffsetNS: -3e8}), "slewed", result.Note, "remaining offset -300 ms", ""},
	"other tick, and the rate that it makes": {both(synced(result.TimeSync{Synchronised: true, TickNS: 9_200_000}), func(d *result.Document) {
		d.Host.CPU.TSCAsleepHz, d.Host.CPU.TSCLoadedHz = 2.8e9, 2.83e9
	}), "slewed", result.Note, "tick 9,200 µs, which changes the rate by -80,000 ppm", ""},
}
