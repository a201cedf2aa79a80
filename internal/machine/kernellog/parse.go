package kernellog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/printable"
)

const (
	// maxLine bounds the text of an event, in bytes. The kernel's own records are shorter (LOG_LINE_MAX).
	maxLine = 1024
	// maxOfKind bounds the events of each kind. A flood repeats its first lines.
	maxOfKind = 1000
)

// Parse returns the events in lines of the kernel log of a single boot, in their order. The lines may have stamps, as
// dmesg, journalctl and syslog daemons print them and as Select keeps them. Parse never fails: an unknown line, or a
// line of a program, yields no event. After a thousand events of a kind, later events only raise the count of the last
// kept.
func Parse(lines []string) []Event {
	var events []Event
	kept := map[Kind][]int{} // their indexes in events
	for i, line := range lines {
		found, ok := recognize(line)
		if !ok {
			continue
		}
		of := kept[found.kind]
		if len(of) == maxOfKind {
			events[of[maxOfKind-1]].Count += found.count
			continue
		}
		kept[found.kind] = append(of, len(events))
		e := found.event()
		e.Index = i
		events = append(events, e)
	}
	addIntervals(events)
	return events
}

// A recognized line has a known format.
type recognized struct {
	*format
	Message
	// count is how often the line was logged.
	count int
}

// recognize returns a line with its format; false for an unknown line, or a line of a program.
func recognize(line string) (recognized, bool) {
	if !mayHave(strings.ToLower(cut(line))) {
		return recognized{}, false
	}
	text, count := unfold(line)
	m := Split(text)
	if len(m.Text) > maxLine {
		m.Text = m.Text[:maxLine]
	}
	m.Text = printable.Line(m.Text)
	f := formatOf(m.Text)
	return recognized{f, m, count}, f != nil && (f.program || !m.Program)
}

func (r recognized) event() Event {
	e := Event{Kind: r.kind, Line: strings.TrimSpace(r.Text), AtNS: r.AtNS, Timed: r.Timed, Stamp: r.Stamp, Count: r.count, Clock: r.clock}
	found := r.compiled().FindStringSubmatch(r.Text)
	for i, group := range r.compiled().SubexpNames() {
		if group != "" && found[i] != "" {
			fields[group](&e, found[i])
		}
	}
	if slices.Contains(e.CPUs, unknownCPU) {
		e.CPUs = nil
	}
	if r.kind == commandLine { // the rest may hold secrets
		e.Name = strings.Join(BootParameters(e.Name), " ")
		e.Line = "Kernel command line: " + e.Name
	}
	return e
}

// knownRates are rates of clock sources that every machine has, in Hz: drivers/clocksource/acpi_pm.c,
// arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c, drivers/clocksource/hyperv_timer.c (units of 100 ns).
var knownRates = map[string]float64{
	"acpi_pm": 3579545, "kvm-clock": 1e9, "xen": 1e9, "pit": 1193182,
	"hyperv_clocksource": 1e7, "hyperv_clocksource_tsc_page": 1e7, "hyperv_clocksource_msr": 1e7,
}

// usualHPET is the rate of almost every HPET whose rate the log does not name, in Hz.
const usualHPET = 14318180

// exactness ranks the lines with rates. The kernel keeps the rate of rateBefore.
var exactness = map[Kind]int{registered: 1, tscRate: 2, hostRate: 4, hpetRate: 4, armRate: 4, rateBefore: 4, tscRefined: 5}

// rates returns the rates of clock sources, in Hz, by their names: the most exact of the log's figures.
func rates(events []Event) map[string]float64 {
	found := map[string]float64{}
	exact := map[string]int{}
	for _, e := range events {
		rank := exactness[e.Kind]
		if e.Kind == tscRate && strings.EqualFold(e.Name, "TSC") { // where it differs from that of the processor
			rank++
		}
		if rank > exact[e.Clock] && e.Hz >= 10 && e.Hz <= 1e11 {
			found[e.Clock], exact[e.Clock] = e.Hz, rank
		}
	}
	maps.Copy(found, knownRates)
	found["tsc"] = cmp.Or(found["tsc"], found["tsc-early"])
	found["tsc-early"] = found["tsc"]
	return found
}

// TSCHz returns the rate of the TSC that the kernel uses, in Hz, from its log; 0 if it is not there. A rate computed
// from max_idle_ns does not count.
func TSCHz(events []Event) float64 {
	return math.Round(rates(slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Kind == registered }))["tsc"])
}

func addIntervals(events []Event) {
	all := rates(events)
	for i := range events {
		e := &events[i]
		if !e.HasCounter || e.Mask == 0 || e.Kind != watchdogInterval && e.Kind != clockInterval {
			continue
		}
		e.Hz = all[e.Clock]
		if e.Hz == 0 && e.Clock == "hpet" {
			e.Hz, e.assumed = usualHPET, true
		}
		if e.Hz == 0 {
			continue
		}
		ns := cycles(*e) / e.Hz * 1e9
		// From 5.13 on the kernel prints ns. Its product of cycles and multiplier overflows on long intervals, and it
		// prints 0 for a counter that went back.
		if !e.Measured || math.Abs(ns) > overflowNS || ns < 0 || e.Kind == clockInterval && !possible(cycles(*e), e.IntervalNS) {
			e.IntervalNS, e.Measured, e.printed = ns, true, false
		} else {
			e.assumed = false
		}
	}
}

// overflowNS is an interval within which the kernel converts cycles to ns without overflow, in ns: less than twice the
// max_idle_ns of any TSC.
const overflowNS = 400e9

// wideMask is the smallest mask of a counter that does not wrap within a check.
const wideMask = 1<<48 - 1

// cycles returns what a counter advanced between two reads; negative if it went back. A narrow counter wraps, so it
// cannot be seen to go back.
func cycles(e Event) float64 {
	forward, back := (e.Now-e.Last)&e.Mask, (e.Last-e.Now)&e.Mask
	if e.Mask >= wideMask && back < forward {
		return -float64(back)
	}
	return float64(forward)
}

func ofKind(events []Event, kinds ...Kind) []Event {
	var found []Event
	for _, e := range events {
		if slices.Contains(kinds, e.Kind) {
			found = append(found, e)
		}
	}
	return found
}

// possible returns whether a TSC can count these cycles in an interval, or either is unknown.
func possible(cycles, ns float64) bool {
	if !(cycles > 0) || !(ns > 0) {
		return true
	}
	hz := cycles / ns * 1e9
	return slowestHz < hz && hz < fastestHz
}

// slowestHz and fastestHz are beyond the rates of all TSCs.
const slowestHz, fastestHz = 0.5e9, 6.5e9
