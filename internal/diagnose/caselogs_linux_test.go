package diagnose_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// logFacts are what a report says about the machine of a kernel log. Assumed may be used where it
// says nothing.
type logFacts struct {
	Kernel         *string   `json:"kernel"`
	Arch           *string   `json:"arch"`
	Virtualization *string   `json:"virtualization"`
	Current        *string   `json:"clocksource_current"`
	Available      []string  `json:"clocksource_available"`
	CommandLine    *string   `json:"cmdline"`
	Assumed        *logFacts `json:"assumed"`
}

type expected struct {
	MustMention    []string `json:"must_mention"`
	MustNotMention []string `json:"must_not_mention"`
}

func readJSON(t *testing.T, to any, parts ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// architectures and systems are the names of the reports, and those of documents.
var (
	architectures = map[string]string{"x86_64": "amd64", "i386": "386", "i686": "386", "x86": "386", "arm64": "arm64"}
	systems       = []struct{ text, system string }{{"xen", "xen"}, {"hyper-v", "hyperv"}, {"virtualbox", "virtualbox"}, {"vmware", "vmware"}, {"bhyve", "bhyve"}, {"xhyve", "xhyve"}, {"kvm", "kvm"}, {"qemu", "qemu"}}
)

// logDocument returns the document of a kernel log. Facts of the report beyond the log are in it
// if withFacts.
func logDocument(t *testing.T, folder string, withFacts bool) *result.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "dmesg.txt"))
	require.NoError(t, err)
	lines, incomplete := kernellog.Select(strings.Split(strings.TrimSpace(string(text)), "\n"), 80)
	d := &result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Source: "dmesg.txt", Lines: lines, Truncated: incomplete}}}
	m := kernellog.MachineOf(kernellog.Parse(lines))
	d.Host.Arch, d.Host.Kernel, d.Host.BootParameters = m.Arch, m.Kernel, m.Parameters
	if m.Hypervisor != "" {
		d.Host.Virtualization = &result.Virtualization{System: m.Hypervisor, Role: "guest"}
	}
	if m.ClockSource != "" {
		d.Host.ClockSource = &result.ClockSource{Current: m.ClockSource, Available: m.Available}
	}
	if !withFacts {
		return d
	}
	var facts logFacts
	readJSON(t, &facts, folder, "facts.json")
	known := []*logFacts{&facts}
	if facts.Assumed != nil {
		known = append([]*logFacts{facts.Assumed}, known...)
	}
	source := &result.ClockSource{}
	for _, f := range known {
		if f.Kernel != nil {
			d.Host.Kernel = *f.Kernel
		}
		if f.Arch != nil {
			d.Host.Arch = architectures[*f.Arch]
		}
		if f.Virtualization != nil {
			for _, s := range systems {
				if strings.Contains(strings.ToLower(*f.Virtualization), s.text) {
					d.Host.Virtualization = &result.Virtualization{System: s.system, Role: "guest"}
					break
				}
			}
		}
		if f.Current != nil {
			source.Current = *f.Current
		}
		if f.Available != nil {
			source.Available = f.Available
		}
		if f.CommandLine != nil {
			d.Host.BootParameters = strings.Fields(*f.CommandLine)
		}
	}
	if source.Current != "" || source.Available != nil {
		d.Host.ClockSource = source
	}
	return d
}

// healthyLogs are those that show no fault.
var healthyLogs = []string{
	"25-kernel-7-0-desktop-stalls", "49-arm64-neoverse-n1-1418040-healthy", "52-hyperv-gen2-healthy", "54-hpet-first-then-tsc-healthy",
	"57-p0-frequency-note-virtualbox-healthy", "60-overclocked-tsc-3-ghz-healthy",
}

// logAnswers are what doctor must and must not say of a log alone, as expressions.
var logAnswers = map[string]struct{ says, never []string }{
	"06-sapphire-rapids-ntp-4-percent": {
		says:  []string{`add clocksource=hpet to the kernel command line`, `# in GRUB_CMDLINE_LINUX, add clocksource=hpet`},
		never: []string{`Update the kernel`, `kernel log: it no longer`, `boot with clocksource=hpet\. Then`},
	},
	"10-kvm-guest-host-suspended": {
		says:  []string{`chronyc makestep # if chrony runs`, `hwclock -s # if not`},
		never: []string{`makestep \|\|`},
	},
	"27-cooper-lake-4-cycles":     {says: []string{`timebench skew`}, never: []string{`Update the kernel`}},
	"33-core-duo-t2400-old-words": {says: []string{`timebench skew`}, never: []string{`Update the kernel`}},
	"30-core2-desktop-after-resume": {
		says:  []string{`suspended and resumed`, `PM: Writing back config space`, `Reboot`, `do not suspend this machine`},
		never: []string{`before the kernel starts`, `Update the kernel`, `warm reboot`},
	},
	"13-xhyve-after-sleep": {says: []string{`Clocksource tsc unstable \(delta = -131624372 ns\)`}, never: []string{`start it from`}},
	"41-macbook-acpi-off": {
		says:  []string{`ACPI: Interpreter disabled`, `Remove acpi=off from the kernel command line`, `--remove-args=acpi=off`},
		never: []string{`Update the kernel`},
	},
}

func TestAnswersToLogsAlone(t *testing.T) {
	for name, answer := range logAnswers {
		t.Run(name, func(t *testing.T) {
			holds(t, said(logDocument(t, filepath.Join("testdata", "cases", "logs", name), false)), answer.says, answer.never)
		})
	}
}

// What doctor says of each log, with the facts of the report and by the log alone.
func TestCasesOfKernelLogs(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "cases", "logs", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			var expect expected
			readJSON(t, &expect, folder, "expect.json")
			for _, withFacts := range []bool{true, false} {
				d := logDocument(t, folder, withFacts)
				text := said(d)
				if text == "" {
					text = diagnose.Healthy(d)
				}
				if withFacts {
					holds(t, text, expect.MustMention, expect.MustNotMention)
				}
				holds(t, text, []string{`(?i)^from a kernel log alone`}, append(expect.MustNotMention, `ns/read`, `costs \d`))
				if slices.Contains(healthyLogs, name) {
					require.Empty(t, kindsOf(d))
					require.Contains(t, text, "Nothing was measured")
				}
				rules(t, d)
			}
		})
	}
}
