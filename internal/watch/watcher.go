package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// A watcher compares each turn with the one before. It measures nothing itself.
type watcher struct {
	settings Settings
	state    State
	last     *snapshot // nil before the first turn
	baseline map[string]*baseline
	moment   *moment // nil before the first beat
	examined *result.Document
	// due is whether something happened that no examination has seen yet.
	due bool
	// entered is the last known value of kernel_entry of each clock.
	entered map[string]string
	// examinedAt is the time of the last examination, by Go's monotonic clock.
	examinedAt time.Time
}

func newWatcher(s Settings) *watcher {
	return &watcher{settings: s, baseline: map[string]*baseline{}, entered: map[string]string{},
		state: State{Started: time.Now(), QuietNS: map[string]float64{}, Events: map[string]int64{}}}
}

func (w *watcher) beat(m moment) {
	if w.moment != nil {
		if m.marker == "" { // a failed read ends no comparison
			m.marker, m.generation = w.moment.marker, w.moment.generation
		}
		if events := between(*w.moment, m); len(events) > 0 {
			w.due = true
			w.report(events)
			w.publish()
		}
	}
	w.moment = &m
}

// turn compares a turn with the one before, and has the machine examined if that is due.
func (w *watcher) turn(ctx context.Context, l snapshot) {
	events := w.changes(w.last, l)
	sourceChanged := slices.ContainsFunc(events, func(e Event) bool { return e.Kind == ClockSource })
	w.due = w.due || len(events) > 0
	age := time.Since(w.examinedAt)
	if w.examinedAt.IsZero() || age >= examineEvery || sourceChanged || w.due && age >= examineAgain {
		log, found := w.examine(ctx)
		explain(events, log)
		events = append(events, found...)
	}
	if w.last == nil {
		events = append([]Event{w.start(l)}, events...)
	}
	w.last = &l
	w.state.Turns++
	w.state.LastTurn = time.Now()
	if l.timeSync != nil {
		w.state.TimeSync = l.timeSync
	}
	for _, c := range l.clocks {
		delete(w.state.QuietNS, c.ID)
		if c.Latency != nil {
			w.state.QuietNS[c.ID] = c.Latency.CostNS()
		}
	}
	w.report(events)
	w.publish()
}

// start returns the state at the first turn: the clock source, the cost of a read, and the findings.
func (w *watcher) start(now snapshot) Event {
	e := Event{Time: now.at, Kind: Start, To: now.source}
	var parts []string
	if now.source != "" {
		parts = append(parts, "clock source "+now.source)
	}
	if i := slices.IndexFunc(now.clocks, func(c compare.Clock) bool { return c.Latency != nil }); i >= 0 {
		c := now.clocks[i]
		e.Clocks, e.NewNS = []string{c.ID}, c.Latency.CostNS()
		parts = append(parts, fmt.Sprintf("%s costs %s/read", c.ID, words.Duration(e.NewNS)))
	}
	findings := "not examined"
	if w.examined != nil {
		var open []string
		for _, f := range w.examined.Findings {
			if f.Severity != result.Note {
				open = append(open, f.Kind+" ("+f.Severity+")")
			}
		}
		findings = cmp.Or(words.List(open), "no finding")
	}
	e.Message = strings.Join(append(parts, findings), "; ")
	return e
}

// changes returns what changed between two turns; nothing for the first turn.
func (w *watcher) changes(last *snapshot, now snapshot) []Event {
	events := append(w.entries(now), w.costs(now)...)
	if last == nil {
		return nil
	}
	before := *last
	if before.source != now.source {
		events = slices.Insert(events, 0, Event{
			Time: now.at, Kind: ClockSource, From: before.source, To: now.source,
			Message: fmt.Sprintf("the clock source changed from %s to %s", cmp.Or(before.source, unnamed),
				cmp.Or(now.source, unnamed)),
		})
	}
	return slices.Concat(events, synchronisation(before, now), stoodStill(before, now))
}

// unnamed stands for a clock source without a name.
const unnamed = "an unknown one"

// entries returns an event for all clocks whose reads now enter the kernel, or no longer do. Their costs begin anew.
func (w *watcher) entries(now snapshot) []Event {
	var events []Event
	for i, c := range now.clocks {
		if entryWords[c.KernelEntry] == "" {
			continue // unknown
		}
		old := w.entered[c.ID]
		w.entered[c.ID] = c.KernelEntry
		if old == "" || old == c.KernelEntry {
			continue
		}
		was := w.baseline[c.ID].usual()
		delete(w.baseline, c.ID)
		if j := slices.IndexFunc(events, func(e Event) bool { return e.From == old && e.To == c.KernelEntry }); j >= 0 {
			events[j].Clocks = append(events[j].Clocks, c.ID)
			continue
		}
		e := Event{Time: now.at, Kind: KernelEntry, From: old, To: c.KernelEntry, Clocks: []string{c.ID}, OldNS: was}
		if l := now.clocks[i].Latency; l != nil {
			e.NewNS = l.CostNS()
		}
		events = append(events, e)
	}
	for i := range events {
		e := &events[i]
		e.Message = fmt.Sprintf("reads of %s %s%s", words.List(e.Clocks), entryWords[e.To], costWords(*e))
	}
	return events
}

// entryWords are the values of kernel_entry after a change.
var entryWords = map[string]string{
	result.Always:    "now enter the kernel",
	result.Sometimes: "now sometimes enter the kernel",
	result.Never:     "no longer enter the kernel",
}

// costWords returns the old and the new cost of the first clock of an event; "" if either is unknown.
func costWords(e Event) string {
	if e.OldNS <= 0 || e.NewNS <= 0 {
		return ""
	}
	return fmt.Sprintf(": %s cost %s/read and now %s/read", e.Clocks[0], words.Duration(e.OldNS), words.Duration(e.NewNS))
}

func (w *watcher) costs(now snapshot) []Event {
	var events []Event
	for _, c := range now.clocks {
		if c.Latency == nil {
			continue
		}
		b := w.baseline[c.ID]
		if b == nil {
			b = &baseline{}
			w.baseline[c.ID] = b
		}
		if old, new, changed := b.next(c.Latency.CostNS(), now.floorNS); changed {
			events = append(events, Event{
				Time: now.at, Kind: Cost, Clocks: []string{c.ID}, OldNS: old, NewNS: new,
				Message: fmt.Sprintf("%s cost %s/read and now %s/read", c.ID, words.Duration(old), words.Duration(new)),
			})
		}
	}
	return events
}

func synchronisation(before, now snapshot) []Event {
	if before.timeSync == nil || now.timeSync == nil || before.timeSync.Synchronised == now.timeSync.Synchronised {
		return nil
	}
	e := Event{Time: now.at, Kind: TimeSync, From: "synchronised", To: "not synchronised",
		Message: "the wall clock is no longer synchronised"}
	if now.timeSync.Synchronised {
		e.From, e.To, e.Message = e.To, e.From, "the wall clock is synchronised"
	}
	return []Event{e}
}

const (
	// rtcStep is the smallest difference of two readings of the real-time clock, which are whole seconds, that is
	// not due to rounding.
	rtcStep = 1500 * time.Millisecond
	// rtcDrift: a real-time clock may be fast by one part in rtcDrift, ten times the error of a bad one.
	rtcDrift = 1000
	// localTime divides the offset of every time zone: the real-time clock may be in local time.
	localTime = 15 * time.Minute
)

// stoodStill returns an event if the real-time clock went on while all clocks of the system stood still: a
// hypervisor that pauses a machine can stop these with it.
func stoodStill(before, now snapshot) []Event {
	if !before.hasRTC || !now.hasRTC {
		return nil
	}
	ahead := time.Duration(now.rtcSeconds-before.rtcSeconds)*time.Second - time.Duration(now.bootNS-before.bootNS)
	if ahead < rtcStep+time.Duration(now.bootNS-before.bootNS)/rtcDrift {
		return nil
	}
	// A real-time clock that was set agrees with the wall clock now.
	off := time.Duration(now.rtcSeconds)*time.Second - time.Duration(now.wallNS)
	if off -= off.Round(localTime); off < rtcStep && off > -rtcStep {
		return nil
	}
	ahead = ahead.Round(time.Second)
	return []Event{{
		Time: now.at, Kind: Stall, DurationNS: int64(ahead),
		Message: fmt.Sprintf("the clocks stood still for about %s, which the real-time clock counted: the "+
			"machine was paused; its wall clock may be behind", words.Duration(float64(ahead))),
	}}
}

// examine has the machine examined, and returns the new lines of the kernel's log, and the findings that
// are new or gone.
func (w *watcher) examine(ctx context.Context) (log []string, events []Event) {
	document, err := w.settings.Examine(ctx)
	w.examinedAt = time.Now()
	if w.due = err != nil || document == nil || ctx.Err() != nil; w.due { // again after examineAgain
		debuglog.Printf("watch", "the machine was not examined: %v", err)
		return nil, nil
	}
	before := w.examined
	w.examined = document
	if before == nil {
		return nil, nil
	}
	events = findingEvents(before.Findings, document.Findings)
	unmeasured := func(c compare.Clock) bool { return c.Available && c.Latency == nil }
	if slices.ContainsFunc(compare.Of(document).Clocks, unmeasured) { // an unmeasured clock clears no finding
		events = slices.DeleteFunc(events, func(e Event) bool { return e.Kind == FindingGone })
	}
	return newLines(before, document), events
}

func newLines(before, now *result.Document) []string {
	if before.Host.KernelLog == nil || now.Host.KernelLog == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(now.Host.KernelLog.Lines), func(line string) bool {
		return slices.Contains(before.Host.KernelLog.Lines, line)
	})
}

// passing are the kinds of findings about the quarter of a second of an examination: a neighbour comes and goes.
var passing = map[string]bool{"steal": true}

// findingEvents returns the findings that are new or have another severity, and those that are gone, by kind.
func findingEvents(before, now []result.Finding) []Event {
	severity := func(all []result.Finding, kind string) string {
		if i := slices.IndexFunc(all, func(f result.Finding) bool { return f.Kind == kind }); i >= 0 {
			return all[i].Severity
		}
		return ""
	}
	at := time.Now()
	var events []Event
	for _, f := range now {
		if !passing[f.Kind] && severity(before, f.Kind) != f.Severity {
			events = append(events, Event{Time: at, Kind: NewFinding, Finding: &f,
				Message: fmt.Sprintf("%s (%s): %s", f.Kind, f.Severity, f.Title)})
		}
	}
	for _, f := range before {
		if !passing[f.Kind] && severity(now, f.Kind) == "" {
			events = append(events, Event{Time: at, Kind: FindingGone, Finding: &f,
				Message: fmt.Sprintf("%s (%s): no longer found", f.Kind, f.Severity)})
		}
	}
	return events
}

func explain(events []Event, log []string) {
	if len(log) == 0 {
		return
	}
	// The line with the verdict of the kernel's watchdog explains most, or else the last.
	i := slices.IndexFunc(log, func(line string) bool { return strings.Contains(line, "Marking clocksource") })
	if i < 0 {
		i = len(log) - 1
	}
	for k := range events {
		if e := &events[k]; e.Kind == ClockSource {
			e.KernelLog = log
			e.Message += "; the kernel log shows: " + strings.TrimRight(log[i], ":. ")
		}
	}
}

func (w *watcher) report(events []Event) {
	for _, e := range events {
		e.Time = e.Time.UTC()
		w.state.Events[e.Kind]++
		switch e.Kind {
		case Stall:
			w.state.StallSeconds += float64(e.DurationNS) / 1e9
		case Suspend:
			w.state.SuspendSeconds += float64(e.DurationNS) / 1e9
		}
		w.settings.Report(e)
	}
}

func (w *watcher) publish() {
	if w.last == nil {
		return
	}
	s := w.state
	s.Events, s.QuietNS = maps.Clone(s.Events), maps.Clone(s.QuietNS)
	var document result.Document
	if s.Examined = w.examined != nil; s.Examined {
		document = *w.examined
	}
	document.GeneratedAt = s.LastTurn.UTC()
	if w.last.source != "" {
		document.Host.ClockSource = &result.ClockSource{Current: w.last.source}
	}
	document.Host.TimeSync = w.last.timeSync
	document.Sections = []result.Section{&compare.Costs{FloorNS: w.last.floorNS, Clocks: w.last.clocks}}
	s.Document = &document
	if e := w.settings.Publish(&s); e != nil {
		w.report([]Event{*e})
	}
}
