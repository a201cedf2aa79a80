package profile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// clocked returns the latency of a clock.
func clocked(id string, median, low, high float64) compare.Clock {
	return compare.Clock{ID: id, Latency: &compare.Latency{MedianNS: median, LowNS: low, HighNS: high}}
}

// estimated returns the profile of records, of 10 seconds at 100 samples a second. Without samples of the kernel, the
// process has used this CPU time.
func estimated(used *usage, entry string, clocks []compare.Clock, records ...perfevent.Record) Profile {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: used == nil, KernelEntry: entry}
	t := tallied(nil, records...)
	if used != nil {
		t.programs[0].used = *used
	}
	estimate{profile: &s, costs: costsOf(clocks)}.fill(t)
	return s
}

var fast = []compare.Clock{
	clocked(FineID, 20, 19, 22), clocked(syscallID, 200, 199, 202), clocked(clock.UserModeID, 19, 18, 21),
	clocked(gettimeofdayID, 160, 160, 160), {ID: "time@vdso"},
}

func TestShareAndReads(t *testing.T) {
	records := append(times(400, sample(10, nil, inGettime, inProgram)), times(600, sample(10, nil, inProgram))...)
	s := estimated(nil, result.Never, fast, records...)
	p := s.Processes[0]
	require.InDelta(t, 0.4, *p.ClockShare, 1e-9)
	require.InDelta(t, 0.37, p.ClockShareLow, 0.001)
	require.InDelta(t, 0.431, p.ClockShareHigh, 0.001)
	require.InDelta(t, 1, p.CPUsUsed, 1e-9)
	require.InDelta(t, 0.4, p.ClockCPUs, 1e-9)
	require.InEpsilon(t, 0.4e9/20, p.ReadsPerSecond, 1e-9)
	require.InDelta(t, 200, s.SyscallNS, 1e-9)
	require.Zero(t, s.UserModeNS, "it is in user mode")
	require.Zero(t, s.ClockCPUsUserMode)
	require.Equal(t, []Thread{{TID: 10, Name: "main", Samples: 1000, ClockSamples: 400}}, p.Threads)
}

// A document with contradictory figures is refused, so the figures of an estimate must agree, whatever the samples.
func TestEstimatesDoNotContradictThemselves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	kinds := []perfevent.Record{
		sample(10, nil, inGettime, inProgram), sample(10, nil, inProgram), sample(10, []uint64{gettime}, afterEntry),
		sample(10, []uint64{entryCode}, afterEntry),
		sample(10, []uint64{gettime}, inWrapper), sample(10, []uint64{write}, inWrapper),
		sample(10, []uint64{entryCode}, inWrapper), sample(10, nil, inWrapper),
		sample(10, []uint64{cpuTime}, inWrapper), sample(10, []uint64{interrupt}), sample(10, nil, vsyscall.start),
	}
	with := 0
	for range 300 {
		var records []perfevent.Record
		for _, kind := range kinds {
			records = append(records, times(random.IntN(2)*random.IntN(30), kind)...)
		}
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		s := Profile{
			DurationNS: 1 + random.Int64N(1e10), RateHz: MinRate + random.IntN(MaxRate), CPUs: 1 + random.IntN(4),
			Scope: Machine, SeesKernel: random.IntN(2) > 0,
			KernelEntry: []string{result.Never, result.Always, result.Sometimes, result.Unknown}[random.IntN(4)],
		}
		all := tallied(nil, records...)
		for _, p := range all.programs {
			p.reason = []string{"", "", "it had ended"}[random.IntN(3)]
			p.used = usage{random.Float64() * 1e10, random.Float64() * 1e9 * float64(random.IntN(2))}
		}
		estimate{profile: &s, costs: costsOf(fast)}.fill(all)
		require.NoError(t, readBack(t, &s), "%+v", s)
		if len(s.Processes) > 0 && s.Processes[0].ReadsPerSecond > 0 {
			with++
		}
	}
	require.Greater(t, with, 18, "estimates with a number of reads")
}

// The projection of a clock source that enters the kernel: 19 ns instead of 1000 ns.
func TestUserMode(t *testing.T) {
	slow := append([]compare.Clock{clocked(FineID, 1000, 998, 1002)}, fast[1:]...)
	records := append(times(800, sample(10, []uint64{gettime}, afterEntry)), times(200, sample(10, nil, inProgram))...)
	s := estimated(nil, result.Always, slow, records...)
	require.InDelta(t, 19, s.UserModeNS, 1e-9)
	require.InDelta(t, 0.8, s.ClockCPUs, 1e-9)
	require.InDelta(t, 0.8*0.019, s.ClockCPUsUserMode, 1e-9)
	require.InEpsilon(t, 0.8e6, s.Processes[0].ReadsPerSecond, 1e-9)
	require.InDelta(t, 0.8, s.Processes[0].KernelShare, 1e-9)

	emulated := append([]compare.Clock{clocked(clock.UserModeID, 150, 150, 150)}, slow[0], slow[1])
	s = estimated(nil, result.Always, emulated, records...)
	require.Zero(t, s.UserModeNS, "reading the counter enters the kernel too")
	require.Zero(t, s.ClockCPUsUserMode)
}

// Without samples of the kernel, all of the system time may be reads.
func TestKernelThatIsNotSeen(t *testing.T) {
	records := append(times(400, sample(10, nil, inGettime)), times(400, sample(10, nil, inProgram))...)
	p := estimated(&usage{8e9, 2e9}, result.Always, fast, records...).Processes[0]
	require.Nil(t, p.ClockShare)
	require.InDelta(t, 0.4, p.UserShare, 1e-9)
	require.Less(t, p.ClockShareLow, 0.4)
	require.InDelta(t, 0.628, p.ClockShareHigh, 0.001)
	require.Zero(t, p.ReadsPerSecond)

	p = estimated(&usage{8e9, 0}, result.Never, fast, records...).Processes[0]
	require.NotNil(t, p.ClockShare, "there was no system time")
	require.NotZero(t, p.ReadsPerSecond)

	p = estimated(&usage{}, result.Never, fast, records...).Processes[0]
	require.Nil(t, p.ClockShare)
	require.InDelta(t, 1, p.ClockShareHigh, 1e-9, "the system time is unknown")
	require.InDelta(t, 0.5, p.UserShare, 1e-9, "that of user mode, which is the least")
	require.InDelta(t, 0.8, p.CPUsUsed, 1e-9)
}

// Where /proc/kallsyms hides its addresses, no system call is known. The system calls of the vDSO
// read clocks, and all others may.
func TestSystemCallsThatAreHidden(t *testing.T) {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: true, KernelEntry: result.Always}
	tally := newTally(faked{10: normal, 11: normal}, nil, fakeVDSO, nil)
	tally.hidden, tally.enters = true, true
	for _, r := range slices.Concat(
		times(90, sample(10, []uint64{entryCode}, afterEntry)), times(10, sample(10, nil, inGettime)),
		times(50, sample(11, []uint64{entryCode}, inWrapper)), times(50, sample(11, nil, inProgram)),
	) {
		r.TimeNS = 1
		tally.add(&r)
	}
	estimate{profile: &s, costs: costsOf(fast)}.fill(tally)
	require.InDelta(t, 1, *s.Processes[0].ClockShare, 1e-9, "the vDSO enters the kernel for nothing else")
	require.Nil(t, s.Processes[1].ClockShare)
	require.Zero(t, s.Processes[1].ClockShareLow)
	require.InDelta(t, 0.6, s.Processes[1].ClockShareHigh, 0.01)
}

// The number of reads is their CPU time divided by the cost of a read. It is unknown if many reads are of unknown cost.
func TestReads(t *testing.T) {
	vdso, slow := sample(10, nil, inGettime, inProgram), sample(10, []uint64{gettime}, afterEntry, inProgram)
	call := func(in uint64) perfevent.Record { return sample(10, []uint64{in}, inWrapper) }
	of := func(n int, r perfevent.Record, more ...perfevent.Record) []perfevent.Record {
		return append(times(n, r), more...)
	}
	for name, c := range map[string]struct {
		records []perfevent.Record // of 1000, which take a second each second
		entry   string
		want    float64
	}{
		"system calls": {of(500, call(gettime)), result.Never, 0.5e9 / 200},
		"of two kinds": {of(300, call(gettime), of(200, call(gettimeofday))...), result.Never,
			0.3e9/200 + 0.2e9/160},
		"by both ways":                 {of(400, vdso, of(200, call(gettime))...), result.Never, 0.4e9/20 + 0.2e9/200},
		"few of CPU time":              {of(480, call(gettime), of(20, call(cpuTime))...), result.Always, 0.48e9 / 200},
		"many of CPU time":             {of(460, call(gettime), of(40, call(cpuTime))...), result.Always, 0},
		"all of CPU time":              {of(500, call(cpuTime)), result.Always, 0},
		"at the ends of a call":        {of(20, call(cpuTime), of(960, call(entryCode))...), result.Always, 0},
		"slow source":                  {of(500, slow), result.Always, 0.5e9 / 20},
		"few by the vDSO of CPU time":  {of(400, vdso, of(10, slow)...), result.Never, 0.4e9 / 20},
		"many by the vDSO of CPU time": {of(400, vdso, of(400, slow)...), result.Never, 0},
		"the page vsyscall":            {of(100, sample(10, nil, vsyscall.start, inProgram)), result.Never, 0},
		"no read":                      {nil, result.Never, 0},
	} {
		idle := times(1000-len(c.records), sample(10, nil, inProgram))
		p := estimated(nil, c.entry, fast, append(c.records, idle...)...).Processes[0]
		require.InDelta(t, c.want, p.ReadsPerSecond, 1e-3, name)
	}
}
