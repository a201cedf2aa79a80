package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// readAs returns a document of a Linux machine whose CLOCK_MONOTONIC takes some ns.
func readAs(source, hypervisor, path, entry string, ns float64) *result.Document {
	d := &result.Document{Host: result.Host{OS: "linux", Arch: "amd64", ClockSource: &result.ClockSource{Current: source}}}
	if hypervisor != "" {
		d.Host.Virtualization = &result.Virtualization{System: hypervisor, Role: "guest"}
	}
	d.Sections = []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: "CLOCK_MONOTONIC@" + path, Path: path,
		Available: true, KernelEntry: entry, Latency: &compare.Latency{MedianNS: ns, MinNS: ns}}}}}
	return d
}

func TestPublishedFiguresAreLikeTheMeasuredClock(t *testing.T) {
	user := true
	windows := readAs("", "", "winapi", "", 20)
	windows.Host.OS, windows.Host.ClockSource = "windows", nil
	windows.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 10_000_000, UserMode: &user}}
	compare.Of(windows).Clocks[0].ID = situation.QPC
	for _, c := range []struct {
		name string
		of   *result.Document
		want string
	}{
		{"guest with kvm-clock", readAs("kvm-clock", "kvm", "vdso", result.Never, 30),
			"30 ns is usual; published for kvm-clock: "},
		{"Firecracker is KVM", readAs("kvm-clock", "firecracker", "vdso", result.Never, 30),
			"30 ns is usual; published for kvm-clock: "},
		{"a slow read is not called unusual", readAs("kvm-clock", "kvm", "vdso", result.Never, 90_000),
			"Published for kvm-clock: "},
		{"one figure is no range", readAs("hyperv_clocksource_tsc_page", "hyperv", "vdso", result.Never, 46.51),
			"ublished for hyperv_clocksource_tsc_page: "},
		{"a vDSO that enters the kernel is a system call", readAs("hpet", "", "vdso", result.Always, 700),
			"ublished for hpet by system call: "},
		{"Xen", readAs("xen", "xen", "vdso", result.Always, 830),
			"830 ns is usual; published for xen by system call: "},
		{"tsc in a guest of Xen", readAs("tsc", "xen", "vdso", result.Never, 20), "20 ns is usual; published for tsc on Xen: "},
		{"tsc under a hypervisor without a figure", readAs("tsc", "bhyve", "vdso", result.Never, 20),
			"20 ns is usual; published for tsc: "},
		{"some reads enter the kernel", readAs("tsc", "", "vdso", result.Sometimes, 30), ""},
		{"unknown entry", readAs("tsc", "", "vdso", result.Unknown, 30), ""},
		{"source without a figure", readAs("jiffies", "", "vdso", result.Never, 30), ""},
		{"unknown source", readAs("", "", "vdso", result.Never, 30), ""},
		{"not an everyday clock", readAs("tsc", "", "cpu", "", 10), ""},
		{"nothing measured", &result.Document{}, ""},
		{"Windows, TSC", windows, "20 ns is usual; published for tsc: "},
		{"Windows, HPET", documentOf(t, "windows-hpet.json"), "Published for hpet: "},
		{"Windows, hypervisor page", documentOf(t, "windows-hvinvalid.json"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Published(c.of)
			if c.want == "" {
				require.Empty(t, got)
			}
			require.Contains(t, got, c.want)
			if strings.Contains(got, "(1 figure)") {
				require.NotContains(t, got, "usual")
			}
		})
	}
	changed := readAs("tsc", "", "vdso", result.Never, 20)
	changed.Conditions = &result.Conditions{ClockSources: []string{"tsc", "hpet"}}
	require.Empty(t, Published(changed), "of which clock source the latency is, is unknown")
}
