package diagnose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// machine returns a document of a recorded machine: the cost of its fine clocks, and whether they enter the kernel.
func machine(t *testing.T, name, entry string, fineNS float64) *result.Document {
	t.Helper()
	tree := filepath.Join("testdata", "machines", name)
	if _, err := os.Stat(tree); err != nil {
		tree = filepath.Join("..", "machine", "host", "testdata", name)
	}
	require.DirExists(t, tree)
	return &result.Document{Host: host.At(tree), Sections: []result.Section{&compare.Costs{FloorNS: 1.4, Clocks: clocks(entry, fineNS)}}}
}

// The findings on recorded machines. TestHealthyRecordedMachines has the machines without findings.
func TestRecordedMachines(t *testing.T) {
	for _, test := range []struct {
		tree, entry string
		fineNS      float64
		kinds       string   // in order
		says        []string // somewhere in the first finding
		never       []string // nowhere in any
	}{
		{
			tree: "bare-metal-hpet", entry: result.Always, fineNS: 640, kinds: "kernel-entry",
			says: []string{
				"because the clock source is hpet", "3 fine clocks · 640 ns/read", "until the next boot",
				"Marking clocksource 'tsc", "wd_nsec", "tsc=nowatchdog", "nothing notices", "CLOCK_REALTIME_COARSE (8 ns/read, tick 4 ms)",
			},
			never: []string{"hypervisor"},
		},
		{
			tree: "xen-ec2", entry: result.Always, fineNS: 362, kinds: "kernel-entry",
			says: []string{"because the clock source is xen", "echo tsc", "Amazon recommends tsc", "manage-ec2-linux-clock-source", "xen-tscmode"},
		},
		{
			tree: "virtualbox-acpi-pm", entry: result.Always, fineNS: 4000, kinds: "kernel-entry",
			says: []string{"because the clock source is acpi_pm", "marked the TSC unstable until the next boot"},
		},
		{
			tree: "qemu-hpet", entry: result.Always, fineNS: 1800, kinds: "kernel-entry",
			says:  []string{"because the clock source is hpet", "-accel kvm", "TSCs unsynchronized", "has not measured it"},
			never: []string{"echo tsc", "tsc=nowatchdog", "disagree"},
		},
		{
			tree: "kvm", entry: result.Always, fineNS: 300, kinds: "kernel-entry",
			says:  []string{"because the clock source is kvm-clock", "Check on the host that its clock source is tsc"},
			never: []string{"echo tsc"},
		},
		{
			tree: "kvm-amd", entry: result.Always, fineNS: 300, kinds: "kernel-entry",
			says: []string{
				"because the clock source is kvm-clock", "assumes that the TSCs of the CPUs are unsynchronised, but has not measured it",
				"TSCs unsynchronized", "the hypervisor decides this. QEMU sets the invariant TSC bit", "+invtsc",
			},
			never: []string{"echo tsc", "tsc=nowatchdog", "tsc=reliable", "found the"},
		},
		{
			tree: "firecracker", entry: result.Always, fineNS: 300, kinds: "kernel-entry",
			says:  []string{"although the clock source is tsc", "a sandbox or a tracer"},
			never: []string{"echo tsc", "cannot read"},
		},
		{
			tree: "arm64", entry: result.Always, fineNS: 300, kinds: "kernel-entry",
			says: []string{"erratum"}, never: []string{"tsc=", "the TSC"},
		},
		{
			tree: "broken-no-sysfs", entry: result.Always, fineNS: 640, kinds: "kernel-entry",
			says: []string{"The name of the clock source is unknown"},
		},
		{tree: "broken-unknown-names", entry: result.Always, fineNS: 640, kinds: "kernel-entry", says: []string{"because the clock source is"}},
		{tree: "virtualbox-acpi-pm", entry: result.Never, fineNS: 25, kinds: "tsc-unstable", says: []string{"marked the TSC unstable"}},
	} {
		d := machine(t, test.tree, test.entry, test.fineNS)
		findings := Findings(d)
		name := test.tree + ", " + test.entry
		require.Equal(t, test.kinds, kindsOf(d), name)
		var all strings.Builder
		for i, f := range findings {
			require.NotEmpty(t, f.Evidence, name)
			require.NotEmpty(t, f.Cause, name)
			if i == 0 {
				requireText(t, worded(f), test.says, nil, name)
			}
			all.WriteString(worded(f))
		}
		requireText(t, all.String(), nil, test.never, name)
	}
}

// No clock of this system's catalogue causes a finding on a machine without problems.
func TestNoFindingsWithAnyClockOfTheCatalogue(t *testing.T) {
	d := well()
	measured := compare.Of(d).Clocks[0]
	some := false
	for _, c := range clock.Catalog() {
		some = some || strings.HasSuffix(c.ID, "_ALARM@syscall")
		if slices.ContainsFunc(compare.Of(d).Clocks, func(known compare.Clock) bool { return known.ID == c.ID }) {
			continue
		}
		one := measured
		one.ID, one.Path, one.Kind = c.ID, string(c.Path), string(c.Kind)
		switch {
		case c.Path == clock.Syscall, c.Kind == clock.CPUTime, strings.Contains(c.ID, "_ALARM@"):
			one.KernelEntry, one.KernelEntryBy = result.Always, "path"
		case c.Path != clock.VDSO:
			one.KernelEntry, one.KernelEntryBy = "", ""
		}
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, one)
	}
	require.Empty(t, Findings(d))
	require.True(t, some, "the clocks of alarms are among them")
	for i, c := range compare.Of(d).Clocks {
		if strings.Contains(c.ID, "_ALARM@") {
			compare.Into(d).Clocks[i] = compare.Clock{ID: c.ID, Path: c.Path, Kind: c.Kind, Reason: "there is no real-time clock (RTC) that can wake this machine: invalid argument"}
		}
	}
	require.Empty(t, Findings(d))
}
