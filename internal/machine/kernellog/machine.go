package kernellog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

// names are the beginnings of names in lower case, each with the hypervisor that it shows. The first that matches
// counts.
type names [][2]string

func (n names) of(text string) string {
	for _, name := range n {
		if strings.HasPrefix(strings.ToLower(text), name[0]) {
			return name[1]
		}
	}
	return ""
}

var (
	// detected are the names in "Hypervisor detected: KVM" (arch/x86/kernel/cpu/hypervisor.c and its neighbours).
	detected = names{
		{"kvm", "kvm"}, {"microsoft", "hyperv"}, {"vmware", "vmware"}, {"xen", "xen"}, {"bhyve", "bhyve"},
		{"jailhouse", "jailhouse"}, {"acrn", "acrn"},
	}
	// firmwares are the vendor and the product in "DMI: ", and then the OEM of the ACPI tables.
	firmwares = names{
		{"red hat kvm", "kvm"}, {"microsoft corporation virtual machine", "hyperv"}, {"vmware", "vmware"},
		{"xen", "xen"}, {"bhyve", "bhyve"}, {"innotek gmbh virtualbox", "virtualbox"}, {"parallels", "parallels"},
		{"qemu", "qemu"}, {"oxvm", "bhyve"}, {"oxide oxvm", "bhyve"},
		{"openstack", "kvm"}, {"rdo openstack", "kvm"}, {"apple inc. apple virtualization", "apple"},
		{"vbox", "virtualbox"}, {"prls", "parallels"}, {"bochs", "qemu"}, {"ptltd", "vmware"}, {"vrtual", "hyperv"},
	}
)

// OfFirmware returns the hypervisor whose machines have these names in their firmware, the vendor and then the product;
// "" if it is unknown. It ignores names of clouds, which also have machines without a hypervisor.
func OfFirmware(names string) string { return firmwares.of(names) }

// makers matches the makers of real machines, and what boards have whose maker set no name.
var makers = lazily(`(?i)^(?:dell|alienware|hp|hpe|hewlett-packard|lenovo|supermicro|super micro|asustek|asus|gigabyte|` +
	`micro-star|msi|asrock|intel|intel\(r\)|acer|apple|fujitsu|toshiba|samsung|cisco|ibm|nec|huananzhi|framework|` +
	`system manufacturer|to be filled by o\.e\.m\.)(?: |,|$)`)

// NamesRealMachine reports whether names in the firmware, the vendor and then the product, are of a real machine. Clouds,
// hosters and hypervisors put names of their own there, so an unknown vendor shows nothing.
func NamesRealMachine(names string) bool {
	return makers().MatchString(names) && OfFirmware(names) == ""
}

// guests are the hypervisors whose guests a line shows: by its kind; by its clock source or watchdog, which they offer (to
// the first domain of Xen too); or by the program or driver that sets the clock of guests.
var guests = map[string]string{
	"xen-guest": "xen", "wsl": "hyperv", "hyperv-guest": "hyperv",
	"kvm-clock": "kvm", "xen": "xen", "hyperv_clocksource": "hyperv", "hyperv_clocksource_tsc_page": "hyperv",
	"hyperv_clocksource_msr": "hyperv",
	"vmtoolsd":               "vmware", "VBoxService": "virtualbox", "vgsvcTimeSyncWorker": "virtualbox", "virtio_vmmci": "vmm",
}

// measuredNS is how long after the boot the kernel measures the TSC, before it uses it instead of a timer, in ns
// (tsc_refine_calibration_work).
const measuredNS = 1e9

// MachineOf returns the facts of the machine in the log: the kernel's release, the hypervisor, the boot parameters
// about clocks, the clock source that it switched to last.
func MachineOf(events []Event) Machine {
	var m Machine
	for _, e := range events {
		system := cmp.Or(guests[e.Kind], guests[e.Clock], guests[e.Watchdog])
		switch e.Kind {
		case "kernel-version":
			m.Kernel = e.Name
			m.Guest = m.Guest || strings.Contains(e.Name, "-linuxkit") || // the machine of Docker Desktop
				strings.Contains(e.Name, "microsoft-standard") // WSL 2
		case "task":
			m.Kernel = cmp.Or(m.Kernel, e.Reason)
			m.Guest = m.Guest || strings.Contains(e.Reason, "microsoft-standard")
		case "cpu-name":
			m.CPU = e.Name
			if strings.Contains(e.Name, "QEMU") {
				system = "qemu"
			}
		case "stepped":
			system = guests[e.Name]
		case "virtio":
			m.Guest = true
		case "arm-32":
			m.Arch = "arm"
		case "command-line":
			m.Parameters = strings.Fields(e.Name)
		case "clocksource-switched", "clocksource-current":
			m.ClockSource = e.Clock
		case "hypervisor":
			system = cmp.Or(detected.of(e.Name), e.Name)
			m.Hypervisor = system // surer than the firmware's names
		case "firmware-names":
			system = OfFirmware(e.Name)
			m.Firmware = cmp.Or(m.Firmware, modelOf(e.Name))
		case "counter-failed":
			m.Arch = cmp.Or(m.Arch, words.Either(strings.HasPrefix(e.Line, "riscv"), "riscv64", "arm64"))
		case "arm-counter-rate", "erratum", "counter-trapped":
			m.Arch = cmp.Or(m.Arch, "arm64")
		}
		if e.Marks() && e.Clock == m.ClockSource {
			m.ClockSource = "" // the kernel switches to another one, in a line that the log may lack
		}
		if system != "" {
			m.Guest, m.Hypervisor = true, cmp.Or(m.Hypervisor, system)
		}
	}
	if m.Kernel == "" && slices.ContainsFunc(events, Event.isOf26) {
		m.Kernel = "2.6"
	}
	last := events[max(len(events)-1, 0):]
	measuring := func(e Event) bool { return e.Timed && e.AtNS < measuredNS }
	chosen := func(parameter string) bool {
		return strings.HasPrefix(parameter, "clocksource=") || parameter == "notsc" || parameter == "tsc=unstable"
	}
	if slices.ContainsFunc(last, measuring) && len(ofKind(events, "tsc-rate")) > 0 &&
		!slices.ContainsFunc(m.Parameters, chosen) &&
		!slices.ContainsFunc(events, Event.Marks) && slices.Contains(emulated, m.ClockSource) {
		m.ClockSource = ""
	}
	for _, e := range ofKind(events, "clocksources-offered") {
		m.Offered = strings.Fields(e.Name)
	}
	if m.ClockSource == "" && len(m.Offered) > 0 {
		m.ClockSource = m.Offered[0] // the list begins with the best, which the kernel takes
	}
	for _, e := range ofKind(events, "clocksources-used") {
		m.ClockSource = e.Clock
		if e.Name != "" {
			m.Offered = strings.Fields(e.Name)
		}
	}
	if m.ClockSource == "xen" { // also where the firmware names the hypervisor below Xen
		m.Hypervisor = "xen"
	}
	if m.Hypervisor == "kvm" && len(ofKind(events, "firecracker")) > 0 { // which reports KVM
		m.Hypervisor = "firecracker"
	}
	return m
}

// isOf26 reports whether only kernels 2.6 have the words of a line.
func (e Event) isOf26() bool {
	line := strings.ToLower(e.Line)
	return e.Kind == "clocksource-switched" && strings.HasPrefix(line, "time: ") ||
		e.Kind == "tsc-unstable" && strings.Contains(line, "due to: ")
}

// modelOf returns vendor and product of a DMI line: "Dell Inc. OptiPlex 7010/0KRC95, BIOS A29 06/28/2018"
// (dmi_format_ids in drivers/firmware/dmi_scan.c); "" of another text.
func modelOf(names string) string {
	model, bios, ok := strings.Cut(names, ", BIOS")
	if !ok {
		return ""
	}
	model, _, _ = strings.Cut(model, "/")
	return words.Either(strings.Contains(bios, ".amazon"), "Amazon EC2 ", "") + model
}

// with returns the machine with what the log says where a fact is unknown.
func (m Machine) with(log Machine) Machine {
	m.Arch, m.Kernel, m.CPU = cmp.Or(m.Arch, log.Arch), cmp.Or(m.Kernel, log.Kernel), cmp.Or(m.CPU, log.CPU)
	m.Guest, m.Hypervisor = m.Guest || log.Guest, cmp.Or(m.Hypervisor, log.Hypervisor)
	m.ClockSource, m.Firmware = cmp.Or(m.ClockSource, log.ClockSource), cmp.Or(m.Firmware, log.Firmware)
	if m.Parameters == nil {
		m.Parameters = log.Parameters
	}
	return m
}

const maxParameter = 200 // a bound on a boot parameter, in bytes

// clockParameters are the kernel parameters that select, disable or tune clocks and timers, or change the cost of a
// system call, spelt with underscores (Documentation/admin-guide/kernel-parameters.txt).
var clockParameters = []string{
	"acpi", "acpi_pm", "acpi_pm_good", "amd_pstate", "apicpmtimer", "clearcpuid", "clock", "clocksource",
	"cpufreq.default_governor", "cpufreq.off", "cpuidle.governor", "cpuidle.off", "disable_timer_pin_1", "highres",
	"hpet", "hpet_mmap", "idle", "intel_idle.max_cstate", "intel_pstate", "isolcpus", "lapic", "lapic_timer_c2_ok",
	"mitigations", "no_hlt", "no_kvmclock", "no_kvmclock_vsyscall", "no_steal_acc", "no_timer_check", "noapictimer",
	"nohalt", "nohpet", "nohz", "nohz_full", "nolapic", "nolapic_timer", "nopti", "nopv", "nopvspin", "notsc",
	"noxen", "pmtmr", "processor.max_cstate", "pti", "skew_tick", "tsc", "tsc_early_khz", "vdso", "vdso32",
}

// clockParameterPrefixes are prefixes shared by several such parameters.
var clockParameterPrefixes = []string{
	"arm_arch_timer.", "clocksource.", "haltpoll.", "cpuidle_haltpoll.", "hv_", "xen_",
}

// BootParameters returns the parameters of a kernel command line that concern clocks, in order and without quotes. It
// drops the rest, which can hold secrets. It follows next_arg and parse_args of the kernel: spaces inside double quotes
// are part of a parameter, a dash in a name is an underscore, and the text after "--" is for init.
func BootParameters(line string) []string {
	var found []string
	for _, parameter := range splitParameters(line) {
		if parameter == "--" {
			break
		}
		name, value, hasValue := strings.Cut(parameter, "=")
		if !isClockParameter(name) {
			continue
		}
		if hasValue {
			name += "=" + strings.TrimSuffix(strings.TrimPrefix(value, `"`), `"`)
		}
		if name = strings.TrimSpace(name); len(name) <= maxParameter && printable.Line(name) == name {
			found = append(found, name)
		}
	}
	return found
}

func isClockParameter(name string) bool {
	name = strings.ReplaceAll(name, "-", "_")
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.Contains(clockParameters, name) || slices.ContainsFunc(clockParameterPrefixes, begins)
}

// splitParameters splits a command line at the spaces outside quotes, and removes the quotes around a whole parameter.
func splitParameters(line string) []string {
	quoted := false
	parameters := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	})
	for i, parameter := range parameters {
		if rest, ok := strings.CutPrefix(parameter, `"`); ok {
			parameters[i] = strings.TrimSuffix(rest, `"`)
		}
	}
	return parameters
}
