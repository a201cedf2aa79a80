package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/test/need"
)

// A machine is what a planted machine shows in a turn, and in an examination.
type machine struct {
	source   string
	ns       float64
	entry    string
	synced   bool
	floor    float64
	findings []result.Finding
	log      []string
	failing  bool // no examination is possible
	// unmeasured are clocks that an examination had no time for.
	unmeasured []compare.Clock
}

var healthy = machine{source: "tsc", ns: 22, entry: result.Never, synced: true, floor: 2}

// snapshot returns a turn of the machine.
func (m machine) snapshot() snapshot {
	c := compare.Clock{ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Available: true, KernelEntry: m.entry,
		Latency: compare.LatencyOf([]float64{m.ns, m.ns, 3 * m.ns}, []float64{m.ns, m.ns, 3 * m.ns})}
	return snapshot{at: time.Unix(2e9, 0), source: m.source, timeSync: &result.TimeSync{Synchronised: m.synced}, clocks: []compare.Clock{c}, floorNS: m.floor}
}

// A planted is a watcher of a planted machine, and what it reported and published.
type planted struct {
	*watcher
	machine      machine
	events       []Event
	states       []*State
	examinations int
	atStart      []string // what it reported in its first turns
}

func plant() *planted {
	p := &planted{machine: healthy}
	p.watcher = newWatcher(Settings{
		Report:  func(e Event) { p.events = append(p.events, e) },
		Publish: func(s *State) *Event { p.states = append(p.states, s); return nil },
		Examine: func(context.Context) (*result.Document, error) {
			p.examinations++
			if p.machine.failing {
				return nil, errors.New("no thread")
			}
			return &result.Document{Findings: p.machine.findings, Host: result.Host{
				ClockSource: &result.ClockSource{Current: p.machine.source}, KernelLog: &result.KernelLog{Lines: p.machine.log},
			}, Sections: []result.Section{&compare.Costs{Clocks: p.machine.unmeasured}}}, nil
		},
	})
	p.turns(5)
	p.atStart = p.reported()
	return p
}

func (p *planted) turns(n int) {
	for range n {
		p.turn(context.Background(), p.machine.snapshot())
	}
}

// reported returns the kinds and messages since the last call.
func (p *planted) reported() (texts []string) {
	for _, e := range p.events {
		texts = append(texts, e.Kind+": "+e.Message)
	}
	p.events = nil
	return texts
}

func TestNothingChanges(t *testing.T) {
	p := plant()
	require.Equal(t, []string{"start: clock source tsc; CLOCK_MONOTONIC@vdso costs 22 ns/read; no finding"}, p.atStart)
	p.turns(100)
	require.Empty(t, p.reported())
	require.Equal(t, 1, p.examinations)
	require.Len(t, p.states, 105)
	last := p.states[104]
	require.EqualValues(t, 105, last.Turns)
	require.True(t, last.TimeSync.Synchronised)
	require.True(t, last.Examined)
	require.Equal(t, map[string]float64{"CLOCK_MONOTONIC@vdso": 22}, last.QuietNS)
	require.Equal(t, "tsc", last.Document.Host.ClockSource.Current)
}

// The kernel no longer trusts the TSC: the change is reported in the next turn, with the kernel's reason,
// what reads cost, and the finding.
func TestDemotion(t *testing.T) {
	p := plant()
	p.machine = machine{
		source: "hpet", ns: 1600, entry: result.Always, synced: true, floor: 2,
		findings: []result.Finding{{Kind: "kernel-entry", Severity: result.Error, Title: "reads enter the kernel"}},
		log: []string{
			"[   12.1] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:",
			"[   12.2] clocksource: Switched to clocksource hpet",
		},
	}
	p.turns(1)
	require.Equal(t, p.machine.log, p.events[0].KernelLog)
	require.Equal(t, []string{
		"clock_source: the clock source changed from tsc to hpet; the kernel log shows: " + strings.TrimSuffix(p.machine.log[0], ":"),
		"kernel_entry: reads of CLOCK_MONOTONIC@vdso now enter the kernel: CLOCK_MONOTONIC@vdso cost 22 ns/read and now 1.6 µs/read",
		"finding: kernel-entry (error): reads enter the kernel",
	}, p.reported())
	last := p.states[len(p.states)-1]
	require.EqualValues(t, 1, last.Events[ClockSource])
	require.Equal(t, "hpet", last.Document.Host.ClockSource.Current)
	require.Equal(t, p.machine.findings, last.Document.Findings)

	p.turns(50)
	require.Empty(t, p.reported(), "the new cost is no further change")

	p.machine = healthy
	p.turns(1)
	require.Equal(t, []string{
		"clock_source: the clock source changed from hpet to tsc",
		"kernel_entry: reads of CLOCK_MONOTONIC@vdso no longer enter the kernel: CLOCK_MONOTONIC@vdso cost 1.6 µs/read and now 22 ns/read",
		"finding_gone: kernel-entry (error): no longer found",
	}, p.reported())
	p.turns(50)
	require.Empty(t, p.reported())
}

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*machine)
		turns  int
		want   []string
	}{
		"slower":              {func(m *machine) { m.ns = 45 }, 3, []string{"cost: CLOCK_MONOTONIC@vdso cost 22 ns/read and now 45 ns/read"}},
		"faster":              {func(m *machine) { m.ns = 11 }, 3, []string{"cost: CLOCK_MONOTONIC@vdso cost 22 ns/read and now 11 ns/read"}},
		"slower in two turns": {func(m *machine) { m.ns = 45 }, 2, nil},
		"a busy neighbour":    {func(m *machine) { m.ns, m.floor = 69, 3.6 }, 50, nil},
		"not synchronised":    {func(m *machine) { m.synced = false }, 1, []string{"time_sync: the wall clock is no longer synchronised"}},
		"unknown entry":       {func(m *machine) { m.entry = result.Unknown }, 9, nil},
		"kvm-clock": {func(m *machine) {
			m.source, m.ns, m.log = "kvm-clock", 26, []string{"[    1.0] tsc: a", "[    2.0] clocksource: b."}
		}, 9, []string{"clock_source: the clock source changed from tsc to kvm-clock; the kernel log shows: [    2.0] clocksource: b"}},
		"no name": {func(m *machine) { m.source = "" }, 1, []string{"clock_source: the clock source changed from tsc to an unknown one"}},
	} {
		p := plant()
		c.change(&p.machine)
		p.turns(c.turns)
		require.Equal(t, c.want, p.reported(), name)
	}
}

// A clock that changes in every turn has one examination in ten minutes, and a new clock source one at once.
func TestExaminationsAreRare(t *testing.T) {
	p := plant()
	for i := range 20 {
		p.machine.synced = i%2 == 1
		p.turns(1)
	}
	require.Len(t, p.reported(), 20)
	require.Equal(t, 1, p.examinations)
	p.examinedAt = p.examinedAt.Add(-examineAgain)
	p.turns(1)
	require.Equal(t, 2, p.examinations, "of what changed before")
	p.examinedAt = p.examinedAt.Add(-examineAgain)
	p.turns(1)
	require.Equal(t, 2, p.examinations, "nothing changed")
	p.machine.source = "hpet"
	p.turns(1)
	require.Equal(t, 3, p.examinations)
	p.examinedAt = p.examinedAt.Add(-examineEvery)
	p.turns(2)
	require.Equal(t, 4, p.examinations)
	p.beat(first)
	stalled := after(first, beat)
	stalled.lateNS = 5e9
	p.beat(stalled)
	p.turns(1)
	require.Equal(t, 4, p.examinations)
	p.machine.failing, p.examinedAt = true, p.examinedAt.Add(-examineAgain)
	p.turns(1)
	require.Equal(t, 5, p.examinations)
	p.machine.failing, p.examinedAt = false, p.examinedAt.Add(-examineAgain)
	p.turns(2)
	require.Equal(t, 6, p.examinations, "once more after one that failed")
}

// A neighbour that takes CPU time during an examination is no event, and a worse finding is one. A finding about a
// clock that an examination had no time to measure is not gone.
func TestFindingsOfAMoment(t *testing.T) {
	p := plant()
	examined := func(findings ...result.Finding) []string {
		p.machine.findings, p.examinedAt = findings, p.examinedAt.Add(-examineEvery)
		p.turns(1)
		return p.reported()
	}
	require.Empty(t, examined(result.Finding{Kind: "steal", Severity: result.Note}))
	require.Empty(t, examined())
	require.Equal(t, []string{"finding: unsynchronised (note): "}, examined(result.Finding{Kind: "unsynchronised", Severity: result.Note}))
	require.Equal(t, []string{"finding: unsynchronised (warn): "}, examined(result.Finding{Kind: "unsynchronised", Severity: result.Warn}))
	p.machine.unmeasured = []compare.Clock{{ID: "CLOCK_MONOTONIC@vdso", Available: true}}
	require.Empty(t, examined())
	p.machine.unmeasured = nil
	require.Equal(t, []string{"finding: unsynchronised (warn): "}, examined(result.Finding{Kind: "unsynchronised", Severity: result.Warn}))
	require.Equal(t, []string{"finding_gone: unsynchronised (warn): no longer found"}, examined())
}

// A change is seen across turns without a result, or without a thread.
func TestAChangeAcrossAGap(t *testing.T) {
	p := plant()
	p.machine.entry = result.Unknown
	p.turns(3)
	p.turn(context.Background(), snapshot{source: "tsc"})
	p.machine.entry = result.Always
	p.turns(1)
	require.Len(t, p.events, 1)
	require.Equal(t, KernelEntry, p.events[0].Kind)
	require.Equal(t, result.Never, p.events[0].From)
}

// Without an examination there are costs, and no findings: their number is unknown, and not 0.
func TestNoExamination(t *testing.T) {
	p := &planted{machine: healthy}
	failing := plant()
	p.watcher = newWatcher(failing.settings)
	failing.machine.failing, failing.states = true, nil
	p.turns(2)
	require.Len(t, failing.states, 2)
	require.False(t, failing.states[1].Examined)
	require.Len(t, compare.Of(failing.states[1].Document).Clocks, 1)
	require.Equal(t, 2, failing.examinations, "one of each watcher")
	agent := Agent{Textfile: filepath.Join(need.Folder(t), "timebench.prom"), Metrics: func(*result.Document) []exposition.Family {
		return []exposition.Family{exposition.One("timebench_findings", exposition.Gauge, "Findings.", 0)}
	}}
	for _, examined := range []bool{true, false} {
		failing.states[1].Examined = examined
		require.Nil(t, agent.Publish(failing.states[1]))
		text, err := os.ReadFile(agent.Textfile)
		require.NoError(t, err)
		require.Equal(t, examined, strings.Contains(string(text), "timebench_finding"))
	}
}

func TestStoodStill(t *testing.T) {
	const turn = 30
	before := snapshot{hasRTC: true, rtcSeconds: 1000, wallNS: 1000e9, bootNS: 50e9}
	later := func(rtc, wall, boot int64) snapshot {
		return snapshot{hasRTC: true, rtcSeconds: 1000 + rtc, wallNS: 1000e9 + wall*1e9, bootNS: 50e9 + boot*1e9}
	}
	for what, now := range map[string]snapshot{
		"nothing": later(turn, turn, turn), "rounding": later(turn+1, turn, turn), "rounding down": later(turn-1, turn, turn),
		"the real-time clock was set back": later(turn-60, turn, turn), "both were set": later(turn+60, turn+60, turn),
		"a fast real-time clock over a day": later(86400+40, 86400, 86400),
	} {
		require.Nil(t, stoodStill(before, now), what)
	}
	for _, part := range []int64{0, 1e8, 6e8, 9e8} { // of a second, of which the real-time clock has none
		for _, zone := range []int64{7200, -5 * 3600, 5*3600 + 1800} {
			local := later(turn+zone, turn, turn)
			local.wallNS += part
			require.Nil(t, stoodStill(before, local), "local time, %d s, %d ns", zone, part)
		}
	}
	require.Nil(t, stoodStill(snapshot{}, later(60, turn, turn)), "there was no real-time clock")
	e := stoodStill(before, later(turn+5, turn, turn))
	require.Len(t, e, 1)
	require.Equal(t, int64(5e9), e[0].DurationNS)
	require.Equal(t, "the clocks stood still for about 5 s, which the real-time clock counted: the machine was paused; its wall clock may be behind", e[0].Message)
}

// Each event of a beat is counted, and published at once. So is an event of the publisher.
func TestBeats(t *testing.T) {
	p := plant()
	m := first
	p.beat(m)
	published := len(p.states)
	for range 3 {
		m = after(m, beat)
		p.beat(m)
	}
	require.Len(t, p.states, published, "nothing happened")
	stalled := after(m, 6*time.Second)
	stalled.lateNS = 5e9
	stalled.wall.Value += 7e9
	p.beat(stalled)
	require.Len(t, p.reported(), 2)
	require.Len(t, p.states, published+1)
	last := p.states[published]
	require.InDelta(t, 5, last.StallSeconds, 1e-9)
	require.EqualValues(t, 1, last.Events[WallClockStep])
	require.EqualValues(t, 1, last.Events[Stall])
	require.Zero(t, p.states[published-1].Events[Stall], "a published state never changes")
	p.settings.Publish = func(*State) *Event { return &Event{Kind: Textfile, Message: "no space"} }
	p.turns(1)
	require.Equal(t, []string{"textfile: no space"}, p.reported())
	require.EqualValues(t, 1, p.state.Events[Textfile])
}

// docs/watch.md has every kind of event, and every metric.
func TestDocs(t *testing.T) {
	content, err := os.ReadFile("../../docs/watch.md")
	require.NoError(t, err)
	for _, kind := range Kinds {
		require.Contains(t, string(content), "`"+kind+"`")
	}
	for _, f := range (&State{TimeSync: &result.TimeSync{Synchronised: true}}).Metrics() {
		require.Contains(t, string(content), "`"+f.Name)
	}
}
