package diagnose

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
)

func documentOf(t *testing.T, name string) *result.Document {
	t.Helper()
	d, err := sections.Load(filepath.Join("testdata", name))
	require.NoError(t, err)
	return d
}

func kindsOf(d *result.Document) string {
	var kinds []string
	for _, f := range Findings(d) {
		kinds = append(kinds, f.Kind)
	}
	return strings.Join(kinds, " ")
}

// said returns all text of the findings on a document, with one space between words.
func said(d *result.Document) string {
	var text strings.Builder
	for _, f := range Findings(d) {
		text.WriteString(worded(f))
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// holds requires that a text matches the expressions, and matches none of the others.
func holds(t *testing.T, text string, says, never []string) {
	t.Helper()
	for _, expression := range says {
		require.Regexp(t, expression, text)
	}
	for _, expression := range never {
		require.NotRegexp(t, expression, text)
	}
}

// A worker that was late in a guest with many CPUs left CLOCK_MONOTONIC@vdso without figures. That does not mean that
// the vDSO is missing.
func TestClockThatFailedIsNoMissingVDSO(t *testing.T) {
	d := documentOf(t, "late-worker.json")
	require.Equal(t, "unsynchronised steal", kindsOf(d))
	_, told := Conclusive(d)
	require.False(t, told, "nothing was measured")
}

// The results of five machines with Windows. The results with the flag of the hypervisor page are older than its test.
// A new machine is a document of testdata and a row; a row can also plant a fact.
func TestWindows(t *testing.T) {
	for _, test := range []struct {
		name, kinds string
		plant       func(*result.Document)
		says, never []string
	}{
		{name: "hpet", kinds: "qpc-kernel", says: []string{"14.318 MHz: the HPET", "bypass off, so each read enters the kernel", "bcdedit"}, never: []string{"hv-time"}},
		{name: "ws2016"},
		{
			name: "qemu", kinds: "qpc-kernel",
			says:  []string{"a timer that all CPUs share", "100 MHz: the HPET that QEMU emulates", "if it does not have Hyper-V's reference time", "<timer name='hypervclock' present='yes'/>", "bcdedit"},
			never: []string{"hypervisor page"},
		},
		{
			name: "qemu", kinds: "qpc-kernel", plant: func(d *result.Document) { d.Host.Windows.QPC.Hz = 3_579_545 },
			says: []string{"ACPI power management timer", "hv-time"},
		},
		{
			name: "qemu", kinds: "qpc-kernel", plant: func(d *result.Document) { d.Host.Virtualization = nil },
			says: []string{"the HPET that QEMU emulates", "bcdedit"}, never: []string{"hv-time"},
		},
		{
			name: "win11", kinds: "kernel-entry-unproven",
			says:  []string{"whether QueryPerformanceCounter enters the kernel is unknown", "QueryPerformanceCounter@winapi · 84.6 ns/read", "timebench doctor"},
			never: []string{"bcdedit", "RDTSC"},
		},
		{name: "win11", plant: pageIsValid(true)},
		{
			name: "win11", kinds: "qpc-kernel", plant: pageIsValid(false),
			says: []string{"hypervisor page: not valid, so each read enters the kernel", "also without a hypervisor"}, never: []string{"bcdedit"},
		},
		{name: "win11", kinds: "kernel-entry-unproven", plant: func(d *result.Document) { d.Host.Windows.QPC.HypervisorPage = false }, says: []string{"No page"}, never: []string{"hypervisor page is"}},
		{name: "win11", plant: func(d *result.Document) { d.Host.Windows.Wine = &result.Wine{Version: "9.0"} }},
		{name: "hvinvalid", kinds: "qpc-kernel", plant: pageIsValid(false), says: []string{"677 ns/read"}, never: []string{"bcdedit"}},
		{
			name: "hvinvalid", kinds: "qpc-kernel", plant: systemCallCosts(660),
			says: []string{"NtQueryPerformanceCounter@syscall · 660 ns/read", "RDTSCP@cpu · 17.9 ns/read", "costs as much as its system call, and the CPU counter far less"},
		},
		{ // The page may have become invalid after the facts were collected.
			name: "hvinvalid", kinds: "slow-reads", plant: pageIsValid(true), says: []string{"QueryPerformanceCounter is slow"},
		},
		{name: "hvinvalid", plant: systemCallCosts(1200)},
		{ // A user-mode read of a counter that traps costs almost as much as a system call.
			name: "hvinvalid", kinds: "kernel-entry-unproven", plant: func(d *result.Document) {
				systemCallCosts(660)(d)
				clockOf(d, "RDTSCP@cpu").Latency.MedianNS = 600
			}, says: []string{"RDTSCP@cpu · 600 ns/read"},
		},
		{ // An emulator may have no clock of the CPU.
			name: "hvinvalid", kinds: "kernel-entry-unproven", plant: func(d *result.Document) {
				systemCallCosts(660)(d)
				clockOf(d, "RDTSC@cpu").Latency, clockOf(d, "RDTSCP@cpu").Latency = nil, nil
			},
		},
		{
			name: "hvinvalid", kinds: "kernel-entry-unproven", plant: func(d *result.Document) { clockOf(d, "QueryPerformanceCounter@winapi").Latency = nil },
		},
	} {
		d := documentOf(t, "windows-"+test.name+".json")
		if test.plant != nil {
			test.plant(d)
		}
		require.Equal(t, test.kinds, kindsOf(d), "%+v", test)
		holds(t, said(d), test.says, test.never)
	}
}

// pageIsValid plants timebench's reading of the hypervisor page.
func pageIsValid(valid bool) func(*result.Document) {
	return func(d *result.Document) { d.Host.Windows.QPC.UserMode = &valid }
}

// systemCallCosts plants the clock that is the system call of QueryPerformanceCounter.
func systemCallCosts(ns float64) func(*result.Document) {
	return func(d *result.Document) {
		c := *clockOf(d, "QueryPerformanceCounter@winapi")
		c.ID, c.Path, c.KernelEntry, c.KernelEntryBy = "NtQueryPerformanceCounter@syscall", "syscall", result.Always, "path"
		c.Latency = &compare.Latency{MedianNS: ns}
		compare.Into(d).Clocks = append(compare.Into(d).Clocks, c)
	}
}

func clockOf(d *result.Document, id string) *compare.Clock {
	clocks := compare.Into(d).Clocks
	return &clocks[slices.IndexFunc(clocks, func(c compare.Clock) bool { return c.ID == id })]
}
