package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
)

func TestContainerFact(t *testing.T) {
	for container, want := range map[string]string{
		"": "linux", "docker": "linux, in a docker container", "unknown": "linux, in a container",
	} {
		require.Equal(t, want, hostFacts(result.Host{OS: "linux", Container: container})[0].Value)
	}
}

// The table reports of QueryPerformanceCounter only the facts of the shared page.
func TestQPCFact(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		windows result.Windows
		want    string
	}{
		{result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &yes}},
			"scaled by Windows; read in user mode"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &no}},
			"each read enters the kernel"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true}},
			"not valid, which is unknown"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true, UserMode: &yes}},
			"; read in user mode through the hypervisor page"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7, HypervisorPage: true, UserMode: &no}},
			"; each read enters the kernel, because the hypervisor page is not valid"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7}}, "; no shared page shows how it is read"},
		{result.Windows{QPC: &result.QPC{Hz: 1e7}, Wine: &result.Wine{Version: "8.0"}},
			"10.0 MHz; Wine's shared page does not show how it is read"},
	} {
		facts := windowsFacts(c.windows, "amd64")
		require.Contains(t, facts[len(facts)-1].Value, c.want)
	}
}

func TestTimeFacts(t *testing.T) {
	behind, ahead, equal := int64(270_000e9), int64(-2e9), int64(3e8)
	require.Equal(t, []table.Fact{
		{Name: "Wall clock", Value: "synchronised; the error is at most 20 ms; its rate is corrected by -500 ppm of at most 500"},
		{Name: "Wall clock against", Value: "ptp0 (KVM virtual PTP): behind by 270,000 s (PTP_SYS_OFFSET_EXTENDED)"},
		{Name: "Wall clock against", Value: "ptp2 (igb): ahead by 2 s ± 40 ns (clock_gettime); the clock of a network card, which may be TAI or count from its start"},
		{Name: "Wall clock against", Value: "rtc0: ahead by 2 s ± 500 ms; it is in local time, UTC+5.75 h"},
		{Name: "Wall clock against", Value: "rtc1: no difference within ±500 ms"},
		{Name: "Wall clock against", Value: "ptp1: /dev/ptp1: permission denied"},
		{Name: "Time services", Value: "chronyd, hyperv-timesync timesync_implicit=Y"},
		{Name: "Refused calls", Value: "clock_gettime (EPERM), time (ENOSYS)"},
	}, timeFacts(result.Host{
		TimeSync: &result.TimeSync{Synchronised: true, MaxErrorNS: 2e7, FrequencyPPM: -500, FrequencyLimitPPM: 500},
		WallOffsets: []result.WallOffset{
			{Against: "ptp0", Name: "KVM virtual PTP", OffsetNS: &behind, By: "PTP_SYS_OFFSET_EXTENDED"},
			{Against: "ptp2", Name: "igb", OffsetNS: &ahead, BoundNS: 40, By: "clock_gettime"},
			{Against: "rtc0", OffsetNS: &ahead, BoundNS: 5e8, ZoneNS: 20_700e9},
			{Against: "rtc1", OffsetNS: &equal, BoundNS: 5e8},
			{Against: "ptp1", Reason: "/dev/ptp1: permission denied"},
		},
		TimeServices: []result.TimeService{{Name: "chronyd"}, {Name: "hyperv-timesync",
			Setting: "timesync_implicit=Y"}},
		RefusedCalls: []result.RefusedCall{{Call: "clock_gettime", Errno: "EPERM"}, {Call: "time", Errno: "ENOSYS"}},
	}))
	require.Empty(t, timeFacts(result.Host{}))

	most := int64(50_000)
	for want, clock := range map[string]result.VMClock{
		"disruption marker 1; status unknown":               {DisruptionMarker: "1", Status: "unknown"},
		"disruption marker 3 (3 disruptions); generation 3": {DisruptionMarker: "3", Disruptions: 3, Generation: "3"},
		"/dev/vmclock0: permission denied":                  {Reason: "/dev/vmclock0: permission denied"},
		"disruption marker 9; status synchronized; error at most 50 µs": {
			DisruptionMarker: "9", Status: "synchronized", MaxErrorNS: &most,
		},
	} {
		require.Equal(t, []table.Fact{{Name: "VMClock", Value: want}}, timeFacts(result.Host{VMClock: &clock}))
	}
}

func TestClockSourceFact(t *testing.T) {
	yes, no := true, false
	for want, c := range map[string]result.ClockSource{
		"HPET (available: HPET(950), TSC(-100))":             {Qualities: []result.Quality{{Name: "HPET", Quality: 950}, {Name: "TSC", Quality: -100}}},
		"HPET (available: HPET)":                             {},
		"HPET (available: HPET); libc makes a system call":   {UserMode: &no},
		"HPET (available: HPET); libc reads it in user mode": {UserMode: &yes},
		"HPET (available: HPET); libc reads it in user mode (Hyper-V page)": {UserMode: &yes,
			Algorithm: "Hyper-V page"},
		"HPET (available: HPET); kern.timecounter.smp_tsc=0; libc makes a system call": {UserMode: &no,
			Settings: []string{"kern.timecounter.smp_tsc=0"}},
	} {
		c.Current, c.Available = "HPET", []string{"HPET"}
		require.Equal(t, want, clockSource(&c))
	}
}

func TestMacFact(t *testing.T) {
	yes, no := true, false
	for want, m := range map[string]result.MacOS{
		"24.0 MHz (mach_timebase_info 125/3); read in user mode":                                     {TimebaseNumerator: 125, TimebaseDenominator: 3, UserMode: &yes},
		"24.0 MHz (mach_timebase_info 125/3); each read enters the kernel":                           {TimebaseNumerator: 125, TimebaseDenominator: 3, UserMode: &no},
		"1000.0 MHz (mach_timebase_info 1/1); Rosetta translates timebench, use the build for arm64": {TimebaseNumerator: 1, TimebaseDenominator: 1, Translated: true},
	} {
		require.Equal(t, want, machTime(&m))
	}
}
