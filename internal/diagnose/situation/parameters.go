package situation

import (
	"slices"
	"strings"
)

// A Parameter is a parameter of the kernel command line.
type Parameter struct {
	Name  string // with underscores for dashes
	Value string // "" without a value
	Text  string // as written
}

// Parameters returns the boot parameters with one of the names, or with the value of a name=value, in order. In a name
// the kernel treats a dash as an underscore (parameq in kernel/params.c).
func (s *Situation) Parameters(names ...string) []Parameter {
	var found []Parameter
	for _, text := range s.Host.BootParameters {
		name, value, _ := strings.Cut(text, "=")
		name = underscored(name)
		if slices.ContainsFunc(names, func(sought string) bool {
			return underscored(sought) == name || underscored(sought) == underscored(text)
		}) {
			found = append(found, Parameter{name, value, text})
		}
	}
	return found
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

// IsSet reports whether a boot parameter is set to exactly this text.
func (s *Situation) IsSet(parameter string) bool {
	return slices.ContainsFunc(s.Host.BootParameters,
		func(text string) bool { return underscored(text) == underscored(parameter) })
}

// Unset reports whether none of the boot parameters is set.
func (s *Situation) Unset(all ...string) bool { return !slices.ContainsFunc(all, s.IsSet) }

// BootChoice returns the last boot parameter that names a clock source, which counts.
func (s *Situation) BootChoice() Parameter {
	var last Parameter
	for _, p := range s.Parameters("clocksource") {
		if p.Value != "" {
			last = p
		}
	}
	return last
}

// HidesTimers returns the boot parameters that hide timers from the kernel. If the command line is unknown, a log that
// shows ACPI off stands for acpi=off.
func (s *Situation) HidesTimers() []Parameter {
	found := s.Parameters("acpi=off", "nohpet", "hpet=disable", "pmtmr")
	if len(found) == 0 && len(s.Host.BootParameters) == 0 && s.Logs("acpi-off") {
		return []Parameter{{Name: "acpi", Value: "off", Text: "acpi=off"}}
	}
	return found
}

// PageOff returns the boot parameters that keep user mode from reading kvm-clock, which is in use
// (arch/x86/kernel/kvmclock.c: kvm_setup_vsyscall_timeinfo).
func (s *Situation) PageOff() []Parameter {
	if s.ClockSource != "kvm-clock" {
		return nil
	}
	return s.Parameters("no_kvmclock_vsyscall")
}

// LeftByExperiment reports whether an experiment of timebench left the clock source switched.
func (s *Situation) LeftByExperiment() bool {
	left := s.Host.UnrestoredClockSource
	return left != nil && left.Original != s.ClockSource
}
