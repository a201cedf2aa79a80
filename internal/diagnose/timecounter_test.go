package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// bsd returns the document of a BSD with this cost of the fine clocks.
func bsd(system string, fineNS float64, current string, available ...string) *result.Document {
	d := well()
	d.Host.OS, d.Host.KernelLog = system, nil
	compare.Into(d).Clocks = clocks("", fineNS)
	eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "@vdso", "@libc", 1) })
	d.Host.ClockSource = nil
	if current != "" {
		d.Host.ClockSource = &result.ClockSource{Current: current, Available: available}
	}
	return d
}

func TestTimecounters(t *testing.T) {
	for name, test := range map[string]struct {
		d     *result.Document
		plant func(*result.Document)
		says  []string // nil without a finding
		never []string
	}{
		"fast":    {d: bsd("freebsd", 30, "TSC-low", "TSC-low", "HPET")},
		"OpenBSD": {d: bsd("openbsd", 1200, "acpitimer0", "tsc", "acpitimer0"), says: []string{"the timecounter is acpitimer0", "sysctl -w kern.timecounter.hardware=tsc", "man.openbsd.org"}},
		"NetBSD":  {d: bsd("netbsd", 900, "hpet0", "TSC", "hpet0"), says: []string{"hardware=TSC"}, never: []string{"loader.conf"}},
		"no TSC":  {d: bsd("freebsd", 1650, "ACPI-fast", "ACPI-fast", "i8254"), says: []string{"Read the time less often"}, never: []string{"hardware="}},
		"unknown": {d: bsd("freebsd", 1650, ""), says: []string{"sysctl kern.timecounter.hardware kern.timecounter.choice", "is not in the result"}},
		"switched off": {
			d:     bsd("freebsd", 900, "TSC-low", "TSC-low", "HPET"),
			plant: func(d *result.Document) { d.Host.ClockSource.Settings = []string{"kern.timecounter.fast_gettime=0"} },
			says:  []string{"fast_gettime=1"}, never: []string{"hardware=TSC-low #"},
		},
		"in user mode": {
			d:     bsd("freebsd", 900, "HPET", "HPET"),
			plant: func(d *result.Document) { userMode := true; d.Host.ClockSource.UserMode = &userMode },
			says:  []string{"without these system calls"},
		},
		"no foreign text in a command": {d: bsd("freebsd", 1650, "HPET", "TSC; reboot", "HPET"), says: []string{"HPET"}, never: []string{"hardware=TSC; reboot"}},
		"only system calls": {
			d: bsd("freebsd", 1650, "ACPI-fast", "TSC-low"),
			plant: func(d *result.Document) {
				eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "@libc", "@syscall", 1) })
			},
			says: []string{"TSC-low"},
		},
	} {
		if test.plant != nil {
			test.plant(test.d)
		}
		severity := result.Error
		if test.says == nil {
			severity = ""
		}
		requireKind(t, test.d, "slow-reads", severity, test.says, test.never, name)
	}
}

// The first line is about the clock that the finding calls slow, with the reason.
func TestAnswerWithASlowTimecounter(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"known":   {"ACPI-fast", "Reading the clock is slow: 1.65 µs per read, 183 times what the CPU's counter takes, because the timecounter is ACPI-fast."},
		"unknown": {"", "Reading the clock is slow: 1.65 µs per read, 183 times what the CPU's counter takes, probably because of a slow timecounter."},
	} {
		d := bsd("freebsd", 1650, test.source, "ACPI-fast", "TSC-low")
		slower := compare.Of(d).Clocks[0]
		slower.ID, slower.Latency = "time.Now@go", &compare.Latency{MedianNS: 3300}
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, slower)
		eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "@libc", "@syscall", 1) })
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
	d := well()
	for i := range compare.Of(d).Clocks {
		if compare.Of(d).Clocks[i].Path == "vdso" {
			compare.Into(d).Clocks[i] = compare.Clock{ID: compare.Of(d).Clocks[i].ID, Path: "vdso", Reason: "the kernel mapped no vDSO into this process"}
		}
	}
	requireKind(t, d, "no-vdso", result.Error, []string{"gVisor"}, []string{"vdso=0 from"}, "vdso=0 is not set")
}

// Only an instance type with CPU credits is named.
func TestBurstable(t *testing.T) {
	d := well()
	d.Conditions.StealShare = 0.3
	d.Host.Machine = &result.Machine{Vendor: "Amazon EC2", Product: "t3.medium"}
	requireKind(t, d, "steal", result.Warn, []string{"This instance type (t3.medium) is burstable"}, nil, "t3")
	d.Host.Machine.Product = "m5.large"
	requireKind(t, d, "steal", result.Warn, nil, []string{"burstable"}, "m5")
}
