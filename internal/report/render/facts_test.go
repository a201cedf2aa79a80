package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// Add a row for each fact that has several texts.
func TestFacts(t *testing.T) {
	yes, no := true, false
	behind, ahead, equal, most := int64(270_000e9), int64(-2e9), int64(3e8), int64(50_000)
	offset := func(o result.WallOffset) result.Host { return result.Host{WallOffsets: []result.WallOffset{o}} }
	vmclock := func(c result.VMClock) result.Host { return result.Host{VMClock: &c} }
	qpc := func(q result.QPC, wine *result.Wine) result.Host {
		q.Hz = 1e7
		return result.Host{Arch: "amd64", Windows: &result.Windows{QPC: &q, Wine: wine}}
	}
	timecounter := func(c result.ClockSource) result.Host {
		c.Current, c.Available = "HPET", []string{"HPET"}
		return result.Host{ClockSource: &c}
	}
	mac := func(m result.MacOS) result.Host { return result.Host{MacOS: &m} }
	for want, h := range map[string]result.Host{
		"System: linux": {OS: "linux"}, "System: linux, in a docker container": {OS: "linux", Container: "docker"},
		"System: linux, in a container": {OS: "linux", Container: "unknown"},

		"Wall clock: synchronised; the error is at most 20 ms; its rate is corrected by -500 ppm of at most 500": {
			TimeSync: &result.TimeSync{Synchronised: true, MaxErrorNS: 2e7, FrequencyPPM: -500, FrequencyLimitPPM: 500}},
		"Wall clock against: ptp0 (KVM virtual PTP): behind by 270,000 s (PTP_SYS_OFFSET_EXTENDED)": offset(
			result.WallOffset{Against: "ptp0", Name: "KVM virtual PTP", OffsetNS: &behind, By: "PTP_SYS_OFFSET_EXTENDED"}),
		"Wall clock against: ptp2 (igb): ahead by 2 s ± 40 ns (clock_gettime); the clock of a network card, which may be TAI or count from its start": offset(
			result.WallOffset{Against: "ptp2", Name: "igb", OffsetNS: &ahead, BoundNS: 40, By: "clock_gettime"}),
		"Wall clock against: rtc0: ahead by 2 s ± 500 ms; it is in local time, UTC+5.75 h": offset(
			result.WallOffset{Against: "rtc0", OffsetNS: &ahead, BoundNS: 5e8, ZoneNS: 20_700e9}),
		"Wall clock against: rtc1: no difference within ±500 ms": offset(
			result.WallOffset{Against: "rtc1", OffsetNS: &equal, BoundNS: 5e8}),
		"Wall clock against: ptp1: /dev/ptp1: permission denied": offset(
			result.WallOffset{Against: "ptp1", Reason: "/dev/ptp1: permission denied"}),
		"Time services: chronyd, hyperv-timesync timesync_implicit=Y": {TimeServices: []result.TimeService{
			{Name: "chronyd"}, {Name: "hyperv-timesync", Setting: "timesync_implicit=Y"}}},
		"Refused calls: clock_gettime (EPERM), time (ENOSYS)": {RefusedCalls: []result.RefusedCall{
			{Call: "clock_gettime", Errno: "EPERM"}, {Call: "time", Errno: "ENOSYS"}}},
		"VMClock: disruption marker 1; status unknown": vmclock(result.VMClock{DisruptionMarker: "1", Status: "unknown"}),
		"VMClock: disruption marker 3 (3 disruptions); generation 3": vmclock(
			result.VMClock{DisruptionMarker: "3", Disruptions: 3, Generation: "3"}),
		"VMClock: /dev/vmclock0: permission denied": vmclock(result.VMClock{Reason: "/dev/vmclock0: permission denied"}),
		"VMClock: disruption marker 9; status synchronized; error at most 50 µs": vmclock(
			result.VMClock{DisruptionMarker: "9", Status: "synchronized", MaxErrorNS: &most}),

		"Clock source: HPET (available: HPET(950), TSC(-100))": timecounter(
			result.ClockSource{Qualities: []result.Quality{{Name: "HPET", Quality: 950}, {Name: "TSC", Quality: -100}}}),
		"Clock source: HPET (available: HPET)":                             timecounter(result.ClockSource{}),
		"Clock source: HPET (available: HPET); libc reads it in user mode": timecounter(result.ClockSource{UserMode: &yes}),
		"Clock source: HPET (available: HPET); libc reads it in user mode (Hyper-V page)": timecounter(
			result.ClockSource{UserMode: &yes, Algorithm: "Hyper-V page"}),
		"Clock source: HPET (available: HPET); kern.timecounter.smp_tsc=0; libc makes a system call": timecounter(
			result.ClockSource{UserMode: &no, Settings: []string{"kern.timecounter.smp_tsc=0"}}),

		"Mach time: 24.0 MHz (mach_timebase_info 125/3); read in user mode": mac(
			result.MacOS{TimebaseNumerator: 125, TimebaseDenominator: 3, UserMode: &yes}),
		"Mach time: 24.0 MHz (mach_timebase_info 125/3); each read enters the kernel": mac(
			result.MacOS{TimebaseNumerator: 125, TimebaseDenominator: 3, UserMode: &no}),
		"Mach time: 1000.0 MHz (mach_timebase_info 1/1); Rosetta translates timebench, use the build for arm64": mac(
			result.MacOS{TimebaseNumerator: 1, TimebaseDenominator: 1, Translated: true}),

		"QPC: …scaled by Windows; read in user mode": qpc(result.QPC{UserMode: &yes}, nil),
		"QPC: …; each read enters the kernel":        qpc(result.QPC{UserMode: &no}, nil),
		"QPC: …not valid, which is unknown":          qpc(result.QPC{HypervisorPage: true}, nil),
		"QPC: …; read in user mode through the hypervisor page": qpc(
			result.QPC{HypervisorPage: true, UserMode: &yes}, nil),
		"QPC: …; each read enters the kernel, because the hypervisor page is not valid": qpc(
			result.QPC{HypervisorPage: true, UserMode: &no}, nil),
		"QPC: …; no shared page shows how it is read":                    qpc(result.QPC{}, nil),
		"QPC: 10.0 MHz; Wine's shared page does not show how it is read": qpc(result.QPC{}, &result.Wine{Version: "8.0"}),
	} {
		name, value, _ := strings.Cut(want, ": ")
		end, cut := strings.CutPrefix(value, "…")
		got := ""
		for _, f := range hostFacts(h) {
			if f.Name == name {
				got = f.Value
			}
		}
		if cut {
			require.True(t, strings.HasSuffix(got, end), "%s: %s", want, got)
		} else {
			require.Equal(t, value, got, want)
		}
	}
}
