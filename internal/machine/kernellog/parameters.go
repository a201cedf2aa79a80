package kernellog

import (
	"slices"
	"strings"
	"unicode"

	"github.com/timebench/timebench/internal/show/printable"
)

// maxParameter bounds a boot parameter, in bytes.
const maxParameter = 200

// clockParameters are the kernel parameters that select, disable or tune clocks and timers, or change the cost of a
// system call, spelt with underscores (Documentation/admin-guide/kernel-parameters.txt).
var clockParameters = []string{
	"acpi", "acpi_pm", "acpi_pm_good", "amd_pstate", "apicpmtimer", "clearcpuid", "clocksource", "cpufreq.default_governor",
	"cpufreq.off", "cpuidle.governor", "cpuidle.off", "disable_timer_pin_1", "highres", "hpet", "hpet_mmap", "idle",
	"intel_idle.max_cstate", "intel_pstate", "isolcpus", "lapic", "lapic_timer_c2_ok", "mitigations", "no_hlt",
	"no_kvmclock", "no_kvmclock_vsyscall", "no_steal_acc", "no_timer_check", "noapictimer", "nohalt", "nohpet", "nohz",
	"nohz_full", "nolapic", "nolapic_timer", "nopti", "nopv", "nopvspin", "notsc", "noxen", "pmtmr",
	"processor.max_cstate", "pti", "skew_tick", "tsc", "tsc_early_khz", "vdso", "vdso32",
}

// clockParameterPrefixes are prefixes shared by several such parameters.
var clockParameterPrefixes = []string{"arm_arch_timer.", "clocksource.", "haltpoll.", "cpuidle_haltpoll.", "hv_", "xen_"}

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
	return slices.Contains(clockParameters, name) || slices.ContainsFunc(clockParameterPrefixes, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
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
