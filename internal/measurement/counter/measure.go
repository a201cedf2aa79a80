package counter

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// references are the clocks that measure the frequency, the best first: NTP does not slew them, or only by 500 ppm.
var references = []string{
	"CLOCK_MONOTONIC_RAW@vdso", "CLOCK_MONOTONIC_RAW@syscall", "CLOCK_MONOTONIC_RAW@libc", "QueryPerformanceCounter@winapi",
	"CLOCK_MONOTONIC@libc", "CLOCK_MONOTONIC@syscall",
}

// A Measurement of the frequency lasts from [Begin] to [Measurement.End], while the program does something else.
type Measurement struct {
	counter, reference clock.Clock
	cpu                int
	first              observe.Tightest
}

// Begin begins to measure the frequency of the CPU's counter; nil if there is no counter, or no clock to measure it.
func Begin() *Measurement {
	m, all := &Measurement{cpu: thread.Any}, clock.Catalog()
	if cpus := thread.Usable(); thread.Pinnable(cpus) == nil {
		m.cpu = cpus[0]
	}
	for _, id := range slices.Concat(clock.PlainCounters, references) {
		i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
		switch {
		case i < 0:
		case all[i].Kind == clock.Counter:
			m.counter = all[i]
		case m.reference.ID == "" && clock.Readable(all[i]) == nil:
			m.reference = all[i]
		}
	}
	if m.counter.ID == "" || m.reference.ID == "" {
		return nil
	}
	m.first = m.read()
	return m
}

// read returns the counter between two readings of the reference, the least disturbed of many; no bracket if one of
// them cannot be read.
func (m *Measurement) read() (tightest observe.Tightest) {
	_ = thread.Run(m.cpu, func() { // without the thread, the frequency stays unknown
		counter, err := m.counter.Open()
		reference, other := m.reference.Open()
		if cmp.Or(err, other) != nil {
			return
		}
		of := func(reader clock.Reader) func() int64 {
			tick := make([]int64, 1)
			return func() int64 { reader.Read(tick); return tick[0] }
		}
		tightest = observe.TightestOf(200, of(reference), of(counter))
	})
	return tightest
}

// End returns the section with the frequency and its sources, but for the kernel's; nil without a counter.
func (m *Measurement) End() *Counter {
	if m == nil {
		return nil
	}
	c := &Counter{Clock: m.counter.ID, Sources: systemRates(), Reasons: []CounterReason{}}
	if hz, bound := m.rate(m.read()); hz > 0 {
		c.HZ, c.HZBound, c.Reference = hz, bound, m.reference.ID
	}
	if m.counter.Hz > 0 {
		name, _, _ := strings.Cut(m.counter.ID, "@")
		c.Sources = append(c.Sources, CounterRate{Name: "nominal rate of " + name, HZ: m.counter.Hz})
	}
	return c
}

// rate returns the frequency and its error bound between the first bracket and the last; 0 if it is unknown.
func (m *Measurement) rate(last observe.Tightest) (hz, bound float64) {
	const shortestNS = 1e6
	nsPerTick := 1e9 / cmp.Or(observe.StatedHz(m.reference), 1e9)
	ticks := float64(last.Value - m.first.Value)
	spanNS := float64(last.Middle()-m.first.Middle()) * nsPerTick
	if m.first.Brackets == 0 || last.Brackets == 0 || ticks <= 0 || spanNS < shortestNS {
		return 0, 0
	}
	hz = ticks / spanNS * 1e9
	// Each end is known to half of its bracket, and a tick of either clock.
	unsureNS := float64(m.first.Width()+last.Width())/2*nsPerTick + 2*nsPerTick + 2e9/hz
	if strings.HasPrefix(m.reference.ID, "CLOCK_MONOTONIC@") {
		unsureNS += spanNS * maxPPM / 1e6 // a time service may slew it
	}
	return hz, math.Ceil(hz * unsureNS / spanNS)
}
