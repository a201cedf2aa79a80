package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// onBSD plants a BSD with this cost of the fine clocks.
func onBSD(system string, fineNS float64, current string, available ...string) func(*result.Document) {
	return func(d *result.Document) {
		d.Host.OS, d.Host.KernelLog, d.Host.ClockSource = system, nil, nil
		compare.Into(d).Clocks = clocks("", fineNS)
		eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "@vdso", "@libc", 1) })
		if current != "" {
			d.Host.ClockSource = &result.ClockSource{Current: current, Available: available}
		}
	}
}

// bySystemCalls makes the clocks of a BSD system calls.
func bySystemCalls(d *result.Document) {
	eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "@libc", "@syscall", 1) })
}

var ofTimecounters = map[string]outcome{
	"a fast timecounter": {onBSD("freebsd", 30, "TSC-low", "TSC-low", "HPET"), "", "", "", ""},
	"FreeBSD":            {onBSD("freebsd", 1650, "ACPI-fast", "TSC-low", "ACPI-fast"), "slow-reads", result.Error, "sysctl kern.timecounter.hardware=TSC-low", ""},
	"OpenBSD": {onBSD("openbsd", 1200, "acpitimer0", "tsc", "acpitimer0"), "slow-reads", result.Error,
		"the timecounter is acpitimer0 … sysctl -w kern.timecounter.hardware=tsc … man.openbsd.org", ""},
	"NetBSD": {onBSD("netbsd", 900, "hpet0", "TSC", "hpet0"), "slow-reads", result.Error, "hardware=TSC", "loader.conf"},
	"no TSC": {onBSD("freebsd", 1650, "ACPI-fast", "ACPI-fast", "i8254"), "slow-reads", result.Error, "Read the time less often", "hardware="},
	"an unknown timecounter": {onBSD("freebsd", 1650, ""), "slow-reads", result.Error,
		"is not in the result … sysctl kern.timecounter.hardware kern.timecounter.choice", ""},
	"switched off": {both(onBSD("freebsd", 900, "TSC-low", "TSC-low", "HPET"), func(d *result.Document) {
		d.Host.ClockSource.Settings = []string{"kern.timecounter.fast_gettime=0"}
	}), "slow-reads", result.Error, "fast_gettime=1", "hardware=TSC-low #"},
	"in user mode": {both(onBSD("freebsd", 900, "HPET", "HPET"), func(d *result.Document) {
		userMode := true
		d.Host.ClockSource.UserMode = &userMode
	}), "slow-reads", result.Error, "without these system calls", ""},
	"no foreign text in a command": {onBSD("freebsd", 1650, "HPET", "TSC; reboot", "HPET"), "slow-reads", result.Error, "HPET", "hardware=TSC; reboot"},
	"only system calls":            {both(onBSD("freebsd", 1650, "ACPI-fast", "TSC-low"), bySystemCalls), "slow-reads", result.Error, "TSC-low", ""},
}

// The first line is about the clock that the finding calls slow, with the reason.
func TestAnswerWithASlowTimecounter(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"known":   {"ACPI-fast", "Reading the clock is slow: 1.65 µs per read, 183 times what the CPU's counter takes, because the timecounter is ACPI-fast."},
		"unknown": {"", "Reading the clock is slow: 1.65 µs per read, 183 times what the CPU's counter takes, probably because of a slow timecounter."},
	} {
		d := well()
		onBSD("freebsd", 1650, test.source, "ACPI-fast", "TSC-low")(d)
		slower := compare.Of(d).Clocks[0]
		slower.ID, slower.Latency = "time.Now@go", &compare.Latency{MedianNS: 3300}
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, slower)
		bySystemCalls(d)
		d.Findings = Findings(d)
		answer, _ := Answer(d)
		require.Equal(t, test.want, answer, name)
		d.Findings = nil
		answer, _ = Answer(d)
		require.Contains(t, answer, "3.3 µs", "%s: without the finding", name)
	}
}

// A sandbox of gVisor is recognised by its log, or by its release in a container; other combinations do not suffice.
func TestGVisor(t *testing.T) {
	for name, test := range map[string]struct {
		host result.Host
		is   bool
	}{
		"by its log":                  {result.Host{KernelLog: &result.KernelLog{Lines: []string{"[    0.000000] Starting gVisor..."}}}, true},
		"by its release":              {result.Host{Kernel: "4.4.0", Container: "docker"}, true},
		"an old kernel":               {result.Host{Kernel: "4.4.0-64-generic", Container: "docker"}, false},
		"a plain 4.4.0":               {result.Host{Kernel: "4.4.0"}, false},
		"a plain 4.4.0 in containers": {result.Host{Kernel: "4.4.0", Container: "docker", ClockSource: &result.ClockSource{Current: "tsc"}}, false},
	} {
		require.Equal(t, test.is, situation.Of(&result.Document{Host: test.host}).InGVisor(), name)
	}
}
