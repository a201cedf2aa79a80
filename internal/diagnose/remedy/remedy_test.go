package remedy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/show/texts"
)

// well returns the facts of a machine without problems.
func well() *result.Document {
	invariant := true
	return &result.Document{Host: result.Host{
		OS: "linux", Arch: "amd64", CPU: result.CPU{InvariantTSC: &invariant},
		ClockSource: &result.ClockSource{Current: "tsc", Available: []string{"tsc", "hpet", "acpi_pm"}},
	}}
}

func guest(system string) *result.Virtualization {
	return &result.Virtualization{System: system, Role: "guest"}
}

// Every remedy has a source and an advice, its fields are known, and its facts and figures are defined.
func TestEveryRemedyHasASource(t *testing.T) {
	entries := texts.Entries(remediesFile)
	require.Len(t, remedies(), len(entries), "two remedies have the same name")
	keys := []string{"where", "acts on", "source", "adds", "removes", "advice", "do", "risk"}
	for _, r := range entries {
		require.NotEmpty(t, r.Get("source"), "%s: name the kernel file and commit, or the page", r.Name)
		require.NotEmpty(t, r.Get("advice"), "%s: an advice for every machine", r.Name)
		require.NotContains(t, r.Get("adds"), " ", r.Name)
		for _, f := range r.Fields {
			key, facts, _ := strings.Cut(f.Key, " if ")
			require.Contains(t, keys, key, r.Name)
			require.NotEmpty(t, f.Value, "%s: %s", r.Name, f.Key)
			requireKnown(t, facts, r.Name)
			if key == "where" {
				requireKnown(t, f.Value, r.Name)
			}
			for _, figure := range regexp.MustCompile(`\{[A-Za-z ]+\}`).FindAllString(f.Value, -1) {
				if figure != "{current}" { // of bcdedit
					require.Contains(t, figures, figure, r.Name)
				}
			}
			if key == "do" {
				require.NotContains(t, f.Value[1:], "#", "%s: a remark has a line of its own; a shell may run it", r.Name)
			}
		}
	}
	for _, e := range texts.Entries(hypervisorsFile) {
		requireKnown(t, e.Get("where"), e.Name)
	}
}

// requireKnown fails if facts have a name that is not in conditions.
func requireKnown(t *testing.T, facts, of string) {
	t.Helper()
	for _, fact := range regexp.MustCompile(" or |, ").Split(facts, -1) {
		if name := strings.Fields(strings.TrimPrefix(fact, "not ")); len(name) > 0 {
			require.Contains(t, conditions, name[0], of)
		}
	}
}

// A kernel that logs that it skipped a late check has the change.
func TestNoUpgradeForWhatTheKernelHas(t *testing.T) {
	for line, advised := range map[string]int{
		"clocksource: Long readout interval, skipping watchdog check: cs_nsec: 1600000000 wd_nsec: 1600001000": 0,
		"clocksource: 'tsc' cs_now: 68a6a7070f6a0 cs_last: 68a69ab6f74d6 mask: ffffffffffffffff":               1,
	} {
		d := well()
		d.Host.Kernel, d.Host.KernelLog = "6.1.90", &result.KernelLog{Lines: []string{line}}
		require.Len(t, For(situation.Of(d), "newer-kernel-late-check"), advised, line)
	}
}

// causesOfLogs returns the kinds of causes in the rules of kernellog, without the always harmless ones.
func causesOfLogs(t *testing.T) (kinds []string) {
	t.Helper()
	for _, file := range []string{"reasons.txt", "others.txt"} {
		rules, err := os.ReadFile(filepath.Join("..", "..", "machine", "kernellog", file))
		require.NoError(t, err)
		for _, rule := range texts.Entries(string(rules)) {
			kind, _, _ := strings.Cut(rule.Name, " ")
			if rule.Get("harmless") == "" && !slices.Contains(kinds, kind) { // a kind may have several rules
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// Every remedy is used, every cause that may need a remedy has it, and the tables have only names of remedies.
func TestEveryRemedyIsUsed(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob(filepath.Join("..", "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.HasSuffix(file, "_test.go") {
			source.Write(text)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "findings.txt"))
	require.NoError(t, err)
	var names, kinds []string
	for _, e := range texts.Entries(string(page)) {
		for _, f := range e.Fields {
			if key, _, _ := strings.Cut(f.Key, " if "); key == "remedies" {
				names = append(names, strings.Split(f.Value, ", ")...)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == OfHypervisor })
	for _, f := range causes()[0].Fields {
		kinds = append(kinds, f.Key)
		names = append(names, OfCause(f.Key)...)
	}
	for _, f := range causes()[1].Fields {
		of, _ := OfHarmless(f.Key)
		names = append(names, of...)
	}
	require.ElementsMatch(t, causesOfLogs(t), kinds, "name the remedies of each cause; none if none is safe")
	for _, h := range hypervisors() {
		names = append(names, h.List("remedies")...)
	}
	for _, name := range names {
		require.Contains(t, remedies(), name)
	}
	for name := range remedies() {
		require.True(t, slices.Contains(names, name) || strings.Contains(source.String(), `"`+name+`"`), "nothing suggests %s", name)
	}
}

// The kernel command line is changed with the distribution's program, and in its file.
func TestCommandLine(t *testing.T) {
	firecracker := guest("firecracker")
	const change = "# in GRUB_CMDLINE_LINUX, remove clocksource=hpet and add tsc=nowatchdog"
	for name, test := range map[string]struct {
		host     result.Host
		hint     string
		commands []string
	}{
		"nothing is known": {result.Host{}, ". Then reboot", []string{
			"# Debian, Ubuntu:", change, "sudoedit /etc/default/grub && sudo update-grub",
			"# Fedora, RHEL:", "sudo grubby --update-kernel=ALL --remove-args=clocksource=hpet --args=tsc=nowatchdog",
		}},
		"Debian":           {result.Host{Distribution: "debian 12"}, ". Then reboot", []string{change, "sudoedit /etc/default/grub", "sudo update-grub"}},
		"Ubuntu":           {result.Host{DistributionID: "ubuntu", BootTools: []string{"update-grub", "grub-mkconfig"}}, ". Then reboot", []string{change, "sudoedit /etc/default/grub", "sudo update-grub"}},
		"Mint":             {result.Host{DistributionID: "linuxmint", DistributionLike: []string{"ubuntu"}}, ". Then reboot", []string{change, "sudoedit /etc/default/grub", "sudo update-grub"}},
		"Rocky":            {result.Host{DistributionID: "rocky", BootTools: []string{"grubby", "grub2-mkconfig"}}, ". Then reboot", []string{"sudo grubby --update-kernel=ALL --remove-args=clocksource=hpet --args=tsc=nowatchdog"}},
		"Silverblue":       {result.Host{DistributionID: "fedora", BootTools: []string{"rpm-ostree", "grubby"}}, ". Then reboot", []string{"sudo rpm-ostree kargs --delete=clocksource=hpet --append-if-missing=tsc=nowatchdog"}},
		"Alpine":           {result.Host{DistributionID: "alpine"}, ". Then reboot", []string{"# in default_kernel_opts, remove clocksource=hpet and add tsc=nowatchdog", "# as root:", "vi /etc/update-extlinux.conf", "update-extlinux"}},
		"no boot loader":   {result.Host{DistributionID: "nixos"}, " (in the configuration of the boot loader). Then reboot", nil},
		"a container":      {result.Host{DistributionID: "debian", Container: "docker"}, ". Then reboot the host", nil},
		"WSL":              {result.Host{DistributionID: "ubuntu", WSL: 2}, " (kernelCommandLine in the file .wslconfig of the Windows user). Then run `wsl --shutdown` in Windows", nil},
		"a Firecracker VM": {result.Host{DistributionID: "debian", Virtualization: firecracker}, " (boot_args of the machine's configuration on the host). Then boot the machine again", nil},
	} {
		hint, commands := commandLine(situation.Of(&result.Document{Host: test.host}), "tsc=nowatchdog", []situation.Parameter{{Name: "clocksource", Value: "hpet", Text: "clocksource=hpet"}})
		require.Equal(t, test.hint, hint, name)
		require.Equal(t, test.commands, commands, name)
	}
}

// A parameter of a document from another machine does not become part of a command.
func TestNoForeignParameterInACommand(t *testing.T) {
	d := &result.Document{Host: result.Host{OS: "linux", DistributionID: "rocky", BootParameters: []string{"clocksource=$(reboot)", "clocksource=a;b", "no_kvmclock"}}}
	found := For(situation.Of(d), "remove-choice")
	require.Len(t, found, 1)
	require.Equal(t, []string{`sudo grubby --update-kernel=ALL --remove-args="PARAMETER PARAMETER no_kvmclock"`}, found[0].Commands)
}

// A remedy that would not change the machine is not suggested.
func TestRemediesThatChangeNothing(t *testing.T) {
	d := well()
	require.Empty(t, For(situation.Of(d), "remove-choice", "remove-vsyscall", "remove-vdso-0", "remove-trust"))
	d.Host.ClockSource.Current = "hpet"
	require.Contains(t, For(situation.Of(d), "switch-to-tsc")[0].Advice, "add clocksource=tsc")
	d.Host.BootParameters = []string{"clocksource=tsc", "vdso=0"}
	require.NotContains(t, For(situation.Of(d), "switch-to-tsc")[0].Advice, "add clocksource=tsc")
	require.Empty(t, For(situation.Of(d), "remove-choice"), "clocksource=tsc is what is wanted")
	require.Contains(t, For(situation.Of(d), "remove-vdso-0")[0].Commands, "sudo grubby --update-kernel=ALL --remove-args=vdso=0")
	d.Host.Virtualization = guest("qemu")
	require.Len(t, For(situation.Of(d), "qemu-reliable"), 1)
	d.Host.BootParameters = append(d.Host.BootParameters, "tsc=reliable")
	require.Empty(t, For(situation.Of(d), "qemu-reliable"))
}

// QEMU without KVM cannot offer the clock of KVM.
func TestEmulatedGuestIsNotAdvisedTheClockOfKVM(t *testing.T) {
	d := well()
	d.Host.ClockSource.Available = []string{"hpet", "acpi_pm"}
	for system, advised := range map[string]int{"kvm": 1, "qemu": 1, "tcg": 0} {
		d.Host.Virtualization = guest(system)
		require.Len(t, For(situation.Of(d), "kvm-clock-in-guest"), advised, system)
		require.Len(t, For(situation.Of(d), "hv-time"), advised, system)
	}
	d.Host.Virtualization = guest("tcg")
	require.Len(t, For(situation.Of(d), "accel-kvm"), 1)
	require.NotEmpty(t, HypervisorOf(situation.Of(d)).Name)
}

// In a container, a remedy that changes the kernel says that it is for the host.
func TestRemediesInAContainer(t *testing.T) {
	d := well()
	d.Host.ClockSource.Current, d.Host.Container = "hpet", "docker"
	for _, r := range For(situation.Of(d), "choose-again", "find-chooser", "switch-to-tsc") {
		require.Contains(t, r.Advice, "On the host of this container: ")
		require.Equal(t, "# on the host of this container:", r.Commands[0])
	}
	require.Empty(t, For(situation.Of(d), "start-service", "set-from-rtc"))
	require.Len(t, For(situation.Of(d), "host-sets-clock"), 1)
}

// Each runtime of the catalogue has a coarse call, or is listed without one.
func TestEveryLanguageHasARemedy(t *testing.T) {
	known := slices.Clone(noCoarseCall)
	for _, of := range coarseCalls {
		known = append(known, of.runtimes...)
	}
	var found []string // Go has no program to find: timebench is its own
	for _, r := range runtimes.All {
		if len(r.Programs) > 0 {
			found = append(found, r.Name)
		}
	}
	require.ElementsMatch(t, found, known, "add the runtime to coarseCalls or noCoarseCall of languages.go, or remove it there")
}

func TestLanguagesOfAMachine(t *testing.T) {
	d := &result.Document{Host: result.Host{OS: "linux"}}
	s := situation.Of(d)
	require.Empty(t, languagesWithCalls(s)+languagesWithout(s))
	s.Host.Runtimes = []string{"java", "c", "c++", "ruby", "node", "cobol"}
	require.Equal(t, "c, c++: clock_gettime(CLOCK_MONOTONIC_COARSE, …); ruby: Process.clock_gettime(Process::CLOCK_MONOTONIC_COARSE)",
		languagesWithCalls(s))
	require.Equal(t, "java and node", languagesWithout(s))
	require.Empty(t, For(s, "call-coarse", "store-the-time"), "no coarse clock is known")
	compare.Into(d).Clocks = []compare.Clock{{
		ID: "CLOCK_MONOTONIC_COARSE@vdso", Path: "vdso", Available: true, KernelEntry: result.Never,
		Latency: &compare.Latency{MedianNS: 5},
	}}
	d.Host.Runtimes = s.Host.Runtimes
	found := For(situation.Of(d), "call-coarse", "store-the-time")
	require.Len(t, found, 2)
	require.Equal(t, "Call a coarse clock in the languages of this machine: "+languagesWithCalls(s), found[0].Advice)
	require.True(t, strings.HasPrefix(found[1].Advice, "In java and node there is no coarse clock, as in Go: "), found[1].Advice)
	for _, r := range found {
		require.NotEmpty(t, r.Risk, r.Advice)
		require.NotRegexp(t, `\bgo:`, r.Advice)
	}
}
