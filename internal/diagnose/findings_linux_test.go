package diagnose

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/texts"
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

//go:embed testdata/machines/expect.txt
var machinesFile string

// Doctor finds on each recorded machine what testdata/machines/expect.txt expects.
func TestRecordedMachines(t *testing.T) {
	for _, e := range texts.Entries(machinesFile) {
		name, _, _ := strings.Cut(e.Name, ",")
		ns, err := strconv.ParseFloat(e.Get("ns"), 64)
		require.NoError(t, err, e.Name)
		d := machine(t, name, e.Get("enters kernel"), ns)
		d.Host.TimeSync = &result.TimeSync{Synchronised: true, MaxErrorNS: 1e9}
		d.Host.WallOffsets = []result.WallOffset{offset("rtc0", "rtc_cmos", 9e8, rtcBound), ptp(kvmClock, 1e6)}
		require.Equal(t, e.Get("kinds"), kindsOf(d), e.Name)
		requireText(t, said(d), e.All("says"), e.All("never"), e.Name)
		rules(t, d)
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
