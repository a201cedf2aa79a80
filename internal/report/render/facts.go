package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// facts returns the known facts of the tool, the machine and the run; a kernel log shows few of them.
func facts(d *result.Document) []table.Fact {
	tool := strings.Join(words.Present(d.Tool.Version, d.Tool.Revision, d.Tool.Go), ", ")
	all := []table.Fact{{Name: "timebench", Value: tool + ", " + d.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC")}}
	return known(slices.Concat(all, labels(d), hostFacts(d.Host), measured(d)))
}

// briefFacts returns the machine and the run in a few lines.
func briefFacts(d *result.Document, machine string) []table.Fact {
	return known(slices.Concat([]table.Fact{{Name: "System", Value: machine}}, labels(d), measured(d)))
}

// known removes the facts without a value.
func known(facts []table.Fact) []table.Fact {
	return slices.DeleteFunc(facts, func(f table.Fact) bool { return f.Value == "" })
}

func labels(d *result.Document) []table.Fact {
	if len(d.Labels) == 0 {
		return nil
	}
	return []table.Fact{{Name: "Labels", Value: strings.Join(d.Labels, ", ")}}
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
	if h.Windows != nil {
		system = append(system, words.Present(h.Windows.Edition)...)
	}
	if h.Container != "" {
		system = append(system, "in a "+h.Container+" container")
	}
	all := []table.Fact{
		{Name: "System", Value: strings.Join(system, ", ")},
		{Name: "CPU", Value: cpu(h.CPU)},
		{Name: "CPUs usable", Value: usable(h.CPU)},
		{Name: "Virtualization", Value: virtualization(h)},
	}
	if h.ClockSource != nil {
		all = append(all, table.Fact{Name: "Clock source", Value: clockSource(*h.ClockSource)})
	}
	all = append(all, linuxFacts(h)...)
	all = append(all, timeFacts(h)...)
	if h.Windows != nil {
		all = append(all, windowsFacts(*h.Windows, h.Arch)...)
	}
	if h.MacOS != nil {
		all = append(all, macFact(*h.MacOS))
	}
	return all
}

func linuxFacts(h result.Host) []table.Fact {
	var all []table.Fact
	if len(h.BootParameters) > 0 {
		all = append(all, table.Fact{Name: "Boot parameters", Value: strings.Join(h.BootParameters, " ")})
	}
	var rates []string
	for _, r := range []struct {
		hz  float64
		how string
	}{{h.CPU.TSCAsleepHz, "idle"}, {h.CPU.TSCLoadedHz, "under load"},
		{h.CPU.KernelTSCHz, "as calibrated by the kernel"}} {
		if r.hz > 0 {
			rates = append(rates, fmt.Sprintf("%.3f MHz %s", r.hz/1e6, r.how))
		}
	}
	if len(rates) > 1 {
		all = append(all, table.Fact{Name: "TSC", Value: strings.Join(rates, ", ")})
	}
	if len(h.CPU.Governors) > 0 {
		all = append(all, table.Fact{Name: "Governor", Value: strings.Join(h.CPU.Governors, ", ")})
	}
	return all
}

// clockSource returns the clock source and the available ones, with their qualities if the system has them.
func clockSource(c result.ClockSource) string {
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
func userMode(c result.ClockSource) string {
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

func macFact(m result.MacOS) table.Fact {
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
	return table.Fact{Name: "Mach time", Value: text}
}

func windowsFacts(w result.Windows, arch string) []table.Fact {
	var all []table.Fact
	if w.Wine != nil {
		all = append(all, table.Fact{Name: "Wine", Value: strings.Join(words.Present(w.Wine.Version, w.Wine.Host),
			", on ")})
	}
	if w.Timer != nil {
		all = append(all, table.Fact{Name: "System timer", Value: fmt.Sprintf("every %s; it can be from %s to %s",
			words.Duration(float64(w.Timer.PeriodNS)), words.Duration(float64(w.Timer.FinestNS)),
			words.Duration(float64(w.Timer.CoarsestNS)))})
	}
	if w.QPC != nil {
		text := words.Hertz(float64(w.QPC.Hz))
		if w.Wine == nil {
			text, _ = diagnose.Frequency(w.QPC.Hz, arch)
		}
		all = append(all, table.Fact{Name: "QPC", Value: text + "; " + qpc(w)})
	}
	if w.W32Time != nil {
		all = append(all, table.Fact{Name: "Windows Time", Value: diagnose.W32TimeText(*w.W32Time)})
	}
	if w.Adjustment != nil {
		all = append(all, table.Fact{Name: "Clock rate", Value: diagnose.AdjustmentText(*w.Adjustment)})
	}
	throttling := map[string]string{"on": "the process is slowed down to save power",
		"system": "Windows decides whether to slow the process down", "off": "the process is not slowed down"}
	if text := strings.Join(words.Present(w.Power, throttling[w.PowerThrottling]), "; "); text != "" {
		all = append(all, table.Fact{Name: "Power", Value: text})
	}
	return all
}

// qpc returns how the counter is read, with the values of the shared page.
func qpc(w result.Windows) string {
	q, bypass := w.QPC, "on"
	var how string
	switch {
	case q.HypervisorPage && q.UserMode == nil:
		how = "read through the hypervisor page, and by the kernel while that page is not valid, which is unknown"
	case q.HypervisorPage && *q.UserMode:
		how = "read in user mode through the hypervisor page"
	case q.HypervisorPage:
		how = "each read enters the kernel, because the hypervisor page is not valid"
	case q.UserMode == nil && w.Wine != nil:
		how = "Wine's shared page does not show how it is read"
	case q.UserMode == nil:
		how = "no shared page shows how it is read"
	case *q.UserMode:
		how = "read in user mode"
	default:
		how, bypass = "each read enters the kernel", "off"
	}
	if q.Shift != nil {
		how += fmt.Sprintf(" (shared page: bypass %s, bias %s, shift %d)", bypass, q.Bias, *q.Shift)
	}
	return how
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
	var machine, seen string
	if h.Machine != nil {
		machine = strings.TrimSpace(h.Machine.Vendor + " " + h.Machine.Product)
	}
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
	var all []table.Fact
	if s := h.TimeSync; s != nil {
		all = append(all, table.Fact{Name: "Wall clock", Value: synchronisation(*s)})
	}
	if h.VMClock != nil {
		all = append(all, table.Fact{Name: "VMClock", Value: vmClock(*h.VMClock)})
	}
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
	if len(services) > 0 {
		all = append(all, table.Fact{Name: "Time services", Value: strings.Join(services, ", ")})
	}
	for _, of := range h.RefusedCalls {
		refused = append(refused, of.Call+" ("+of.Errno+")")
	}
	if len(refused) > 0 {
		all = append(all, table.Fact{Name: "Refused calls", Value: strings.Join(refused, ", ")})
	}
	return all
}

func synchronisation(s result.TimeSync) string {
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

func vmClock(c result.VMClock) string {
	if c.Reason != "" {
		return c.Reason
	}
	parts := []string{"disruption marker " + c.DisruptionMarker}
	if c.Disruptions > 0 {
		parts[0] += " (" + words.Plural(int(c.Disruptions), "disruption") + ")"
	}
	duration := func(ns *int64) string {
		if ns == nil {
			return ""
		}
		return words.Duration(float64(*ns))
	}
	for _, part := range []struct{ name, value string }{
		{"generation", c.Generation}, {"status", c.Status}, {"time", c.TimeType},
		{"error about", duration(c.EstimatedErrorNS)}, {"error at most", duration(c.MaxErrorNS)}, {"the next within about", c.DisruptionDue},
	} {
		if part.value != "" {
			parts = append(parts, part.name+" "+part.value)
		}
	}
	return strings.Join(parts, "; ")
}

func wallOffset(of result.WallOffset) string {
	if of.OffsetNS == nil {
		return of.Reason
	}
	offset, side := *of.OffsetNS, "behind"
	if offset < 0 {
		offset, side = -offset, "ahead"
	}
	text := fmt.Sprintf("%s by %s", side, words.BoundedNS(float64(offset), float64(of.BoundNS)))
	if offset <= of.BoundNS {
		text = "no difference within ±" + words.Duration(float64(of.BoundNS))
	}
	if of.ZoneNS != 0 {
		text += fmt.Sprintf("; it is in local time, UTC%+.4g h", float64(of.ZoneNS)/3600e9)
	}
	return text
}
