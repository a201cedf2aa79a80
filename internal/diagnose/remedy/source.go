package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/show/words"
)

// sourceRemedies change the clock source of a Linux machine, or find out how it was selected.
var sourceRemedies = map[string]remedy{
	"restore": {where: canRestore, kernel: true, source: "internal/machine/clocksource: the record of an experiment",
		advice:  "Restore it. The next `timebench compare --clocksources` also offers to do so",
		command: func(s *machine) []string { return switchTo(s.Host.UnrestoredClockSource.Original) },
		risk:    "None known: it was in use before."},
	"restore-best": {where: func(s *machine) bool { return !canRestore(s) }, kernel: true, source: "kernel/time/clocksource.c: clocksource_select",
		advise: func(s *machine) string {
			return fmt.Sprintf("The kernel no longer offers %s (its log shows why). Let it select the best of the others", s.Host.UnrestoredClockSource.Original)
		},
		commands: switchTo("")},
	"choose-again": {where: func(s *machine) bool { return s.Best() != "" && s.Best() != s.ClockSource }, kernel: true, source: "kernel/time/clocksource.c: current_clocksource_store, clocksource_select",
		advise: func(s *machine) string {
			return "Let the kernel select the clock source again. It selects the first of its list: " + s.Best()
		},
		commands: switchTo(""),
		warn: func(s *machine) string {
			return fmt.Sprintf("Somebody may have had a reason to select %s. Find out first.", s.ClockSource)
		}},
	"find-chooser": {kernel: true, source: "tuned: profiles in /usr/lib/tuned and /etc/tuned; cloud-init: /var/lib/cloud; udev(7)",
		advice:   "Find out what selected it. Otherwise it is selected again at the next boot. Check /etc/rc.local, the tuned profiles, cron, the systemd units, the udev rules, and the provisioning (cloud-init, Ansible, Puppet)",
		commands: []string{"sudo grep -rsl current_clocksource /etc /usr/lib/tuned /usr/lib/systemd", "sudo grep -rsl current_clocksource /usr/local /usr/lib/udev /var/lib/cloud"}},
	"remove-choice": {source: "Documentation/admin-guide/kernel-parameters.txt: clocksource, notsc, tsc, no-kvmclock",
		removes: func(s *machine) []situation.Parameter {
			chosen := s.Parameters("clocksource", "notsc", "tsc=unstable", "no_kvmclock")
			return slices.DeleteFunc(chosen, func(p situation.Parameter) bool {
				return p.Name == "clocksource" && (p.Value == s.Best() || p.Value == "tsc")
			})
		},
		advice: "Remove the parameter from the kernel command line",
		risk:   "Somebody may have had a reason. Check whether the TSC of this machine was unstable before."},
	"remove-vsyscall": {source: "arch/x86/kernel/kvmclock.c: parse_no_kvmclock_vsyscall",
		removes: func(s *machine) []situation.Parameter { return s.Parameters("no_kvmclock_vsyscall") },
		advice:  "Remove the parameter from the kernel command line, so that user mode can read kvm-clock",
		risk:    "None known: the page is on by default."},
	"remove-vdso-0": {source: "Documentation/admin-guide/kernel-parameters.txt: vdso, vdso32",
		removes: func(s *machine) []situation.Parameter { return s.Parameters("vdso=0", "vdso32=0") },
		advice:  "Remove vdso=0 from the kernel command line",
		risk:    "None known: the vDSO is on by default."},
	"measure-sources": {where: (*machine).MayUseTSC, kernel: true, source: "docs/doctor.md: Measure every clock source",
		advice:   "Measure the cost of each clock source here, before you change anything permanently",
		commands: []string{"sudo timebench compare --clocksources all"},
		risk:     "It switches the clock source of the running system, and restores it."},
	"switch-to-tsc": {where: (*machine).MayUseTSC, kernel: true, source: "Documentation/ABI/testing/sysfs-devices-system-clocksource; clocksource=tsc does not switch off the watchdog, which tsc=reliable would",
		advise: func(s *machine) string {
			advice := "Switch to tsc until the next boot."
			if !s.IsSet("clocksource=tsc") {
				advice += " To make it permanent, add clocksource=tsc to the kernel command line"
			}
			return advice
		},
		commands: switchTo("tsc"),
		warn:     switchRisk},
	"hypervisor-clock": {where: func(s *machine) bool {
		return s.IsGuest() && s.HypervisorClock() != "" && s.HypervisorClock() != s.ClockSource
	}, kernel: true, source: "arch/x86/kernel/kvmclock.c (rating 400), drivers/clocksource/hyperv_timer.c: what the hypervisor offers is right after a pause too",
		advise: func(s *machine) string {
			return "Use the clock of the hypervisor, which accounts for pauses: " + s.HypervisorClock()
		},
		command: func(s *machine) []string { return switchTo(s.HypervisorClock()) }},
	"real-timer": {where: func(s *machine) bool { return s.OnX86() && s.HasOnlyTicks() }, kernel: true, source: "arch/x86/kernel/hpet.c, drivers/clocksource/acpi_pm.c, Documentation/admin-guide/kernel-parameters.txt: nohpet, hpet=disable, pmtmr, acpi=off",
		advise: func(s *machine) string {
			enable := words.Either(s.IsGuest(), "in the settings of the hypervisor", "in the firmware")
			return "Give the kernel a real timer: enable the HPET and the ACPI PM timer " + enable + ", and check the kernel command line for nohpet, hpet=disable, pmtmr=0 and acpi=off"
		},
		commands: []string{"cat /proc/cmdline"}},
	"other-source": {where: func(s *machine) bool { return !s.IsGuest() && s.CouldUse("hpet") }, kernel: true, source: "kernel/time/clocksource.c; docs/lab.md has the costs of hpet and acpi_pm",
		advice:   "Until then use the HPET, which all CPUs share",
		commands: switchTo("hpet"),
		risk:     "Each read of a fine clock then enters the kernel, and takes about 1 µs."},
}

func switchRisk(s *machine) string {
	risk := "If the TSCs of the CPUs disagree, time jumps between CPUs, also backwards. The kernel checks this at boot. Leave its watchdog on."
	if !s.Invariant() {
		risk += " This CPU does not report an invariant TSC: its rate may change, and it may stop while the CPU sleeps."
	}
	if h := HypervisorOf(s); h != nil && h.risk != "" {
		risk += " " + h.risk
	}
	return risk
}

func canRestore(s *machine) bool {
	original := s.Host.UnrestoredClockSource.Original
	return (len(s.ClockSources) == 0 || s.Offers(original)) && safeInShell().MatchString(original)
}

const currentFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// switchTo returns the commands that select a clock source; "" has the kernel select the best.
func switchTo(name string) []string {
	return []string{strings.Join(words.Present("echo", name, "| sudo tee", currentFile), " "), "cat " + currentFile}
}
