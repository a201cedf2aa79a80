package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// facts returns the known facts of the tool, the machine and the run; a kernel log shows few of them.
func facts(d *result.Document) []table.Fact {
	tool := strings.Join(words.Present(d.Tool.Version, d.Tool.Revision, d.Tool.Go), ", ")
	all := []table.Fact{
		{Name: "timebench", Value: tool + ", " + d.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC")}, labels(d),
	}
	return known(slices.Concat(all, hostFacts(d.Host), measured(d)))
}

// briefFacts returns the machine and the run in a few lines.
func briefFacts(d *result.Document, machine string) []table.Fact {
	return known(slices.Concat([]table.Fact{{Name: "System", Value: machine}, labels(d)}, measured(d)))
}

// known removes the facts without a value.
func known(facts []table.Fact) []table.Fact {
	return slices.DeleteFunc(facts, func(f table.Fact) bool { return f.Value == "" })
}

func labels(d *result.Document) table.Fact {
	return table.Fact{Name: "Labels", Value: strings.Join(d.Labels, ", ")}
}

func measured(d *result.Document) []table.Fact {
	var all []table.Fact
	for _, s := range section.In(d) {
		all = append(all, s.Fact(d))
	}
	return all
}

func hostFacts(h result.Host) []table.Fact {
	system := words.Present(strings.Join(words.Present(h.OS, h.Arch), "/"), h.Kernel, h.Distribution)
	if h.WSL > 0 {
		system = append(system, fmt.Sprintf("WSL %d", h.WSL))
	}
	edition := words.Part(h.Windows, func(w *result.Windows) string { return w.Edition })
	system = append(system, words.Present(edition)...)
	switch h.Container {
	case "":
	case "unknown":
		system = append(system, "in a container")
	default:
		system = append(system, "in a "+h.Container+" container")
	}
	all := []table.Fact{
		{Name: "System", Value: strings.Join(system, ", ")},
		{Name: "CPU", Value: cpu(h.CPU)},
		{Name: "CPUs usable", Value: usable(h.CPU)},
		{Name: "Virtualization", Value: virtualization(h)},
		{Name: "Clock source", Value: words.Part(h.ClockSource, clockSource)},
		{Name: "Boot parameters", Value: strings.Join(h.BootParameters, " ")},
		{Name: "TSC", Value: tscRates(h.CPU)},
		{Name: "Governor", Value: strings.Join(h.CPU.Governors, ", ")},
	}
	all = append(all, timeFacts(h)...)
	if h.Windows != nil {
		all = append(all, windowsFacts(*h.Windows, h.Arch)...)
	}
	return known(append(all, table.Fact{Name: "Mach time", Value: words.Part(h.MacOS, machTime)}))
}

// tscRates returns the rates of the TSC, if there are several.
func tscRates(c result.CPU) string {
	var rates []string
	for _, r := range []struct {
		hz  float64
		how string
	}{{c.TSCAsleepHz, "idle"}, {c.TSCLoadedHz, "under load"}, {c.KernelTSCHz, "as calibrated by the kernel"}} {
		if r.hz > 0 {
			rates = append(rates, fmt.Sprintf("%.3f MHz %s", r.hz/1e6, r.how))
		}
	}
	if len(rates) < 2 {
		return ""
	}
	return strings.Join(rates, ", ")
}

// clockSource returns the clock source and the available ones, with their qualities if the system has them.
func clockSource(c *result.ClockSource) string {
	available := c.Available
	if len(c.Qualities) > 0 {
		available = nil
	}
	for _, of := range c.Qualities {
		available = append(available, fmt.Sprintf("%s(%d)", of.Name, of.Quality))
	}
	current := c.Current
	if len(available) > 0 {
		current += " (available: " + strings.Join(available, ", ") + ")"
	}
	return strings.Join(words.Present(current, strings.Join(c.Settings, " "), userMode(c)), "; ")
}

// userMode returns how the C library of a BSD reads the clock source; empty if that is unknown.
func userMode(c *result.ClockSource) string {
	switch {
	case c.UserMode == nil:
		return ""
	case !*c.UserMode:
		return "libc makes a system call"
	case c.Algorithm == "":
		return "libc reads it in user mode"
	}
	return "libc reads it in user mode (" + c.Algorithm + ")"
}

// machTime returns the rate of mach_absolute_time, and how it is read.
func machTime(m *result.MacOS) string {
	text := fmt.Sprintf("%s (mach_timebase_info %d/%d)",
		words.Hertz(1e9*float64(m.TimebaseDenominator)/float64(m.TimebaseNumerator)), m.TimebaseNumerator,
		m.TimebaseDenominator)
	if m.UserMode != nil && *m.UserMode {
		text += "; read in user mode"
	} else if m.UserMode != nil {
		text += "; each read enters the kernel"
	}
	if m.Translated {
		text += "; Rosetta translates timebench, use the build for arm64"
	}
	return text
}

func windowsFacts(w result.Windows, arch string) []table.Fact {
	throttling := map[string]string{"on": "the process is slowed down to save power",
		"system": "Windows decides whether to slow the process down", "off": "the process is not slowed down"}
	return known([]table.Fact{
		{Name: "Wine", Value: words.Part(w.Wine, func(wine *result.Wine) string {
			return strings.Join(words.Present(wine.Version, wine.Host), ", on ")
		})},
		{Name: "System timer", Value: words.Part(w.Timer, func(t *result.Timer) string {
			return fmt.Sprintf("every %s; it can be from %s to %s", words.Duration(float64(t.PeriodNS)),
				words.Duration(float64(t.FinestNS)), words.Duration(float64(t.CoarsestNS)))
		})},
		{Name: "QPC", Value: words.Part(w.QPC, func(q *result.QPC) string {
			text := words.Hertz(float64(q.Hz))
			if w.Wine == nil {
				text, _ = diagnose.Frequency(q.Hz, arch)
			}
			return text + "; " + qpc(w)
		})},
		{Name: "Windows Time",
			Value: words.Part(w.W32Time, func(t *result.W32Time) string { return diagnose.W32TimeText(*t) })},
		{Name: "Clock rate",
			Value: words.Part(w.Adjustment, func(a *result.Adjustment) string { return diagnose.AdjustmentText(*a) })},
		{Name: "Power", Value: strings.Join(words.Present(w.Power, throttling[w.PowerThrottling]), "; ")},
	})
}

// qpc returns how the counter is read.
func qpc(w result.Windows) string {
	switch q := w.QPC; {
	case q.HypervisorPage && q.UserMode == nil:
		return "read through the hypervisor page, and by the kernel while that page is not valid, which is unknown"
	case q.HypervisorPage && *q.UserMode:
		return "read in user mode through the hypervisor page"
	case q.HypervisorPage:
		return "each read enters the kernel, because the hypervisor page is not valid"
	case q.UserMode == nil && w.Wine != nil:
		return "Wine's shared page does not show how it is read"
	case q.UserMode == nil:
		return "no shared page shows how it is read"
	case *q.UserMode:
		return "read in user mode"
	default:
		return "each read enters the kernel"
	}
}

func cpu(c result.CPU) string {
	var physical, tsc string
	if c.Physical > 0 {
		physical = words.Plural(c.Physical, "core")
		if c.Packages > 0 {
			physical += " in " + words.Plural(c.Packages, "package")
		}
		if c.Groups > 1 {
			physical += " in " + words.Plural(c.Groups, "processor group")
		}
	}
	if c.InvariantTSC != nil {
		tsc = "TSC not invariant"
		if *c.InvariantTSC {
			tsc = "invariant TSC"
		}
	}
	if c.TSCHz > 0 {
		tsc = cmp.Or(tsc, "TSC") + " at " + words.Hertz(c.TSCHz)
	}
	return strings.Join(words.Present(cmp.Or(c.Model, "unknown model"), physical, tsc), ", ")
}

func usable(c result.CPU) string {
	if c.Logical == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d", c.Usable, c.Logical)
	if c.Quota > 0 {
		text += ", limited by a quota to the time of " + words.ThreeDigits(c.Quota)
	}
	return text
}

func virtualization(h result.Host) string {
	var seen string
	machine := words.Part(h.Machine, (*result.Machine).Name)
	switch {
	case h.Virtualization != nil:
		seen = h.Virtualization.System + ", " + h.Virtualization.Role
	case h.Arch == "amd64" || h.Arch == "386": // only these CPUs report a hypervisor
		seen = "none seen"
	default:
		seen = "unknown"
	}
	return strings.Join(words.Present(seen, machine), "; ")
}

func timeFacts(h result.Host) []table.Fact {
	all := []table.Fact{{Name: "Wall clock", Value: words.Part(h.TimeSync, synchronisation)},
		{Name: "VMClock", Value: words.Part(h.VMClock, vmClock)}}
	for _, of := range h.WallOffsets {
		name := of.Against
		if of.Name != "" {
			name += " (" + of.Name + ")"
		}
		all = append(all, table.Fact{Name: "Wall clock against", Value: name + ": " + wallOffset(of)})
	}
	var services, refused []string
	for _, of := range h.TimeServices {
		services = append(services, strings.Join(words.Present(of.Name, of.Setting), " "))
	}
	for _, of := range h.RefusedCalls {
		refused = append(refused, of.Call+" ("+of.Errno+")")
	}
	return known(append(all, table.Fact{Name: "Time services", Value: strings.Join(services, ", ")},
		table.Fact{Name: "Refused calls", Value: strings.Join(refused, ", ")}))
}

func synchronisation(s *result.TimeSync) string {
	text := "not synchronised"
	if s.Synchronised {
		text = "synchronised; the error is at most " + words.Duration(float64(s.MaxErrorNS))
	}
	if s.FrequencyPPM != 0 {
		text += fmt.Sprintf("; its rate is corrected by %+.3g ppm", s.FrequencyPPM)
		if s.FrequencyLimitPPM > 0 {
			text += fmt.Sprintf(" of at most %.3g", s.FrequencyLimitPPM)
		}
	}
	return text
}

func vmClock(c *result.VMClock) string {
	if c.Reason != "" {
		return c.Reason
	}
	text := "disruption marker " + c.DisruptionMarker
	if c.Disruptions > 0 {
		text += " (" + words.Plural(int(c.Disruptions), "disruption") + ")"
	}
	if c.Generation != "" {
		text += "; generation " + c.Generation
	}
	if c.Status != "" {
		text += "; status " + c.Status
	}
	if c.MaxErrorNS != nil {
		text += "; error at most " + words.Duration(float64(*c.MaxErrorNS))
	}
	return text
}

func wallOffset(of result.WallOffset) string {
	if of.OffsetNS == nil {
		return of.Reason
	}
	offset, side := *of.OffsetNS, "behind"
	if offset < 0 {
		offset, side = -offset, "ahead"
	}
	text := side + " by " + words.SignedDuration(float64(offset))
	if of.BoundNS > 0 {
		text += " ± " + words.Duration(float64(of.BoundNS))
	}
	if offset < of.BoundNS {
		text = "no difference within ±" + words.Duration(float64(of.BoundNS))
	}
	if of.By != "" {
		text += " (" + of.By + ")"
		if !host.IsHostClock(of.Name) {
			text += "; the clock of a network card, which may be TAI or count from its start"
		}
	}
	if of.ZoneNS != 0 {
		text += fmt.Sprintf("; it is in local time, UTC%+.4g h", float64(of.ZoneNS)/3600e9)
	}
	return text
}
