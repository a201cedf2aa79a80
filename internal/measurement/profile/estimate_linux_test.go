package profile

import (
	"math/rand/v2"
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

// estimated returns the profile of records, of 10 seconds at 100 samples a second. The process has
// used this CPU time.
func estimated(seesKernel bool, used usage, entry string, clocks []compare.Clock, records ...perfevent.Record) Profile {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: seesKernel, KernelEntry: entry}
	estimate{profile: &s, costs: costsOf(clocks), used: func(int) usage { return used }}.fill(tallied(nil, records...))
	return s
}

var fast = []compare.Clock{clocked(fineID, 20, 19, 22), clocked(syscallID, 200, 199, 202), clocked(clock.UserModeID, 19, 18, 21), {ID: "time@vdso"}}

func TestShareAndReads(t *testing.T) {
	records := append(times(400, sample(10, nil, inGettime, inProgram)), times(600, sample(10, nil, inProgram))...)
	s := estimated(true, usage{userNS: 4.5e9, systemNS: 0.5e9, whole: true}, result.Never, fast, records...)
	p := s.Processes[0]
	require.InDelta(t, 0.4, *p.ClockShare, 1e-9)
	require.InDelta(t, 0.37, p.ClockShareLow, 0.001)
	require.InDelta(t, 0.431, p.ClockShareHigh, 0.001)
	require.InDelta(t, 0.5, p.CPUsUsed, 1e-9, "by the accounting of the kernel")
	require.InDelta(t, 0.2, p.ClockCPUs, 1e-9)
	require.InEpsilon(t, 0.2e9/20, p.ReadsPerSecond, 1e-9)
	require.Equal(t, byCost, p.ReadsBy)
	require.Zero(t, s.UserModeNS, "it is in user mode")
	require.Zero(t, s.ClockCPUsUserMode)
	require.Equal(t, []Thread{{TID: 10, Name: "main", Samples: 1000, ClockSamples: 400}}, p.Threads)

	s = estimated(true, usage{userNS: 4.5e9}, result.Never, fast, records...)
	require.InDelta(t, 1, s.Processes[0].CPUsUsed, 1e-9, "by samples where the process began or ended")
}

// A document is refused whose figures contradict each other, so those of an estimate must not, whatever the samples.
func TestEstimatesDoNotContradictThemselves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	kinds := []perfevent.Record{
		sample(10, nil, inGettime, inProgram), sample(10, nil, inProgram), sample(10, []uint64{gettime}, afterEntry), sample(10, []uint64{entryCode}, afterEntry),
		sample(10, []uint64{gettime}, inWrapper), sample(10, []uint64{write}, inWrapper), sample(10, []uint64{entryCode}, inWrapper), sample(10, nil, inWrapper),
		sample(10, []uint64{cpuTime}, inWrapper), sample(10, []uint64{interrupt}), sample(10, nil, vsyscall.start),
	}
	with := 0
	for range 5000 {
		var records []perfevent.Record
		for _, kind := range kinds {
			records = append(records, times(random.IntN(2)*random.IntN(30), kind)...)
		}
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		s := Profile{
			DurationNS: 1 + random.Int64N(1e10), RateHz: MinRate + random.IntN(MaxRate), CPUs: 1 + random.IntN(4), Scope: Machine, SeesKernel: random.IntN(2) > 0,
			KernelEntry: []string{result.Never, result.Always, result.Sometimes, result.Unknown}[random.IntN(4)],
		}
		used := usage{userNS: random.Float64() * 1e10, systemNS: random.Float64() * 1e9 * float64(random.IntN(2)), whole: random.IntN(2) > 0}
		all := tallied(nil, records...)
		for _, p := range all.programs {
			p.reason = []string{"", "", "it had ended"}[random.IntN(3)]
		}
		estimate{
			profile: &s, costs: costsOf(fast), callsAreHidden: random.IntN(3) == 0,
			used: func(int) usage { return used },
		}.fill(all)
		require.NoError(t, readBack(t, &s), "%+v", s)
		if len(s.Processes) > 0 && s.Processes[0].ReadsPerSecond > 0 {
			with++
		}
	}
	require.Greater(t, with, 300, "estimates with a number of reads")
}

// A machine does not keep its speed: a cost is the mean of before and after.
func TestCostsOfBothEnds(t *testing.T) {
	all := between(costsOf(fast), costsOf([]compare.Clock{clocked(fineID, 24, 23, 25), clocked("gettimeofday@vdso", 30, 30, 30)}))
	require.InDelta(t, 22, all[fineID], 1e-9)
	require.InDelta(t, 200, all[syscallID], 1e-9, "it was not measured again")
	require.NotContains(t, all, "gettimeofday@vdso")
}

// The projection of a clock source that enters the kernel: 19 ns instead of 1000 ns.
func TestUserMode(t *testing.T) {
	slow := append([]compare.Clock{clocked(fineID, 1000, 998, 1002)}, fast[1:]...)
	records := append(times(800, sample(10, []uint64{gettime}, afterEntry)), times(200, sample(10, nil, inProgram))...)
	s := estimated(true, usage{}, result.Always, slow, records...)
	require.InDelta(t, 19, s.UserModeNS, 1e-9)
	require.InDelta(t, 0.8, s.ClockCPUs, 1e-9)
	require.InDelta(t, 0.8*0.019, s.ClockCPUsUserMode, 1e-9)
	require.InEpsilon(t, 0.8e6, s.Processes[0].ReadsPerSecond, 1e-9)
	require.InDelta(t, 0.8, s.Processes[0].KernelShare, 1e-9)

	emulated := append([]compare.Clock{clocked(clock.UserModeID, 150, 150, 150)}, slow[0], slow[1])
	s = estimated(true, usage{}, result.Always, emulated, records...)
	require.Zero(t, s.UserModeNS, "reading the counter enters the kernel too")
	require.Zero(t, s.ClockCPUsUserMode)
}

// Without samples of the kernel all of the system time may be of reads.
func TestKernelThatIsNotSeen(t *testing.T) {
	records := append(times(400, sample(10, nil, inGettime)), times(400, sample(10, nil, inProgram))...)
	p := estimated(false, usage{userNS: 8e9, systemNS: 2e9, whole: true}, result.Always, fast, records...).Processes[0]
	require.Nil(t, p.ClockShare)
	require.InDelta(t, 0.4, p.UserShare, 1e-9)
	require.Less(t, p.ClockShareLow, 0.4)
	require.InDelta(t, 0.628, p.ClockShareHigh, 0.001)
	require.Zero(t, p.ReadsPerSecond)

	p = estimated(false, usage{userNS: 8e9, whole: true}, result.Never, fast, records...).Processes[0]
	require.NotNil(t, p.ClockShare, "there was no system time")
	require.NotZero(t, p.ReadsPerSecond)

	p = estimated(false, usage{}, result.Never, fast, records...).Processes[0]
	require.Nil(t, p.ClockShare)
	require.InDelta(t, 1, p.ClockShareHigh, 1e-9, "the system time is unknown")
	require.InDelta(t, 0.5, p.UserShare, 1e-9, "that of user mode, which is the least")
	require.InDelta(t, 0.8, p.CPUsUsed, 1e-9)
}

// Where /proc/kallsyms hides its addresses, no system call is known. All of them may be of clocks.
func TestSystemCallsThatAreHidden(t *testing.T) {
	s := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: true, KernelEntry: result.Always}
	tally := newTally(faked{10: normal, 11: normal}, &kernel{}, newFunctions(vdsoSize, nil), nil)
	e := estimate{profile: &s, costs: costsOf(fast), callsAreHidden: true, used: func(int) usage { return usage{} }}
	tally.addAll(append(times(90, sample(10, []uint64{entryCode}, afterEntry)), times(10, sample(10, nil, inGettime))...))
	tally.addAll(append(times(50, sample(11, []uint64{entryCode}, inWrapper)), times(50, sample(11, nil, inProgram))...))
	e.fill(tally)
	require.InDelta(t, 1, *s.Processes[0].ClockShare, 1e-9, "the vDSO enters the kernel for nothing else")
	require.Nil(t, s.Processes[1].ClockShare)
	require.Zero(t, s.Processes[1].ClockShareLow)
	require.InDelta(t, 0.6, s.Processes[1].ClockShareHigh, 0.01)
}

func TestUnknownVDSO(t *testing.T) {
	p := estimated(true, usage{}, result.Never, fast, sample(13, nil, inGettime)).Processes[0]
	require.Nil(t, p.ClockShare)
	require.InDelta(t, 1, p.ClockShareHigh, 1e-9)
	require.NotEmpty(t, p.Reason)
}

// A read by a system call has a cost of its own; without the cost there is no number.
func TestReadsBySystemCalls(t *testing.T) {
	records := append(times(500, sample(10, []uint64{gettime}, inWrapper)), times(500, sample(10, nil, inProgram))...)
	p := estimated(true, usage{}, result.Never, fast, records...).Processes[0]
	require.InDelta(t, 0.5, p.SyscallShare, 1e-9)
	require.InEpsilon(t, 0.5e9/200, p.ReadsPerSecond, 1e-9)
	p = estimated(true, usage{}, result.Never, fast[:1], records...).Processes[0]
	require.Zero(t, p.ReadsPerSecond)
}

// What direct system calls of clocks of CPU time cost is not measured, and that of gettimeofday may fail.
// Calls from the vDSO have the cost of its function.
func TestUntimedSystemCalls(t *testing.T) {
	for name, inCall := range map[string]uint64{"a clock of CPU time": cpuTime, "gettimeofday": gettimeofday} {
		of := func(untimed int, user uint64) Process {
			records := append(times(500-untimed, sample(10, []uint64{gettime}, user)), times(untimed, sample(10, []uint64{inCall}, user))...)
			records = append(records, times(500, sample(10, nil, inProgram))...)
			return estimated(true, usage{}, result.Always, fast, records...).Processes[0]
		}
		require.InEpsilon(t, 0.5e9/200, of(20, inWrapper).ReadsPerSecond, 1e-9, "%s: few", name)
		many := of(40, inWrapper)
		require.InDelta(t, 0.5, *many.ClockShare, 1e-9, name)
		require.Zero(t, many.ReadsPerSecond, name)
		require.Empty(t, many.ReadsBy, name)
		require.InEpsilon(t, 0.5e9/20, of(400, afterEntry).ReadsPerSecond, 1e-9, name)

		// Of a short call most samples are at its beginning and its end.
		records := append(times(20, sample(10, []uint64{inCall}, inWrapper)), times(980, sample(10, []uint64{entryCode}, inWrapper))...)
		p := estimated(true, usage{}, result.Always, fast, records...).Processes[0]
		require.InDelta(t, 1, *p.ClockShare, 1e-9, name)
		require.Zero(t, p.ReadsPerSecond, name)
	}
}

// Each system call has its own cost.
func TestTimedSystemCalls(t *testing.T) {
	records := append(times(300, sample(10, []uint64{gettime}, inWrapper)), times(200, sample(10, []uint64{gettimeofday}, inWrapper))...)
	clocks := append([]compare.Clock{clocked(gettimeofdayID, 160, 160, 160)}, fast...)
	s := estimated(true, usage{userNS: 10e9, whole: true}, result.Never, clocks, append(records, times(500, sample(10, nil, inProgram))...)...)
	require.InEpsilon(t, 0.3e9/200+0.2e9/160, s.Processes[0].ReadsPerSecond, 1e-9)
	require.InDelta(t, 200, s.SyscallNS, 1e-9, "that of the fine clocks")
}

// The kernel emulates the page vsyscall, and a read by the vDSO without any cost is not that of another.
func TestReadsWithoutACost(t *testing.T) {
	p := estimated(true, usage{}, result.Never, fast, times(100, sample(10, nil, vsyscall.start, inProgram))...).Processes[0]
	require.InDelta(t, 1, *p.ClockShare, 1e-9)
	require.Zero(t, p.ReadsPerSecond)

	e := estimate{costs: map[string]float64{"time@vdso": 2}}
	ns, unknown := e.meanCost(&program{clocks: map[string]int{"time@vdso": 10, fineID: 10}}, false)
	require.InDelta(t, 2, ns, 1e-9)
	require.InDelta(t, 0.5, unknown, 1e-9)
	ns, unknown = e.meanCost(&program{clocks: map[string]int{fineID: 10}}, false)
	require.Zero(t, ns)
	require.InDelta(t, 1, unknown, 1e-9)
}

// The program that takes most CPU time with its reads is the first.
func TestOrder(t *testing.T) {
	records := append(times(10, sample(11, nil, inGettime)), times(30, sample(10, nil, inGettime))...)
	records = append(records, times(500, sample(12, nil, inProgram))...)
	s := estimated(true, usage{}, result.Never, fast, records...)
	var pids []int
	for _, p := range s.Processes {
		pids = append(pids, p.PID)
	}
	require.Equal(t, []int{10, 11, 12}, pids)
	require.InDelta(t, 0, *s.Processes[2].ClockShare, 0)
	require.Equal(t, 540, s.Samples)
}

// An interval contains the share as often as it says, also where few samples say how the others of a site are divided.
func TestIntervalCoversDividedSamples(t *testing.T) {
	const tries = 2000
	random := rand.New(rand.NewPCG(1, 2))
	for _, of := range []struct {
		samples       int
		inCall        float64 // the part of samples that are in calls of the site
		known, clocks float64 // the part of these whose call is known, and of those that are of clocks
		least, before float64 // the least coverage, and the most without the variance of the division
	}{
		{1000, 0.3, 0.05, 0.2, 0.88, 0.4}, // some 15 samples in known calls, so that the estimate is skewed
		{1000, 0.3, 0.05, 0.5, 0.92, 0.5}, {1000, 0.3, 0.05, 0.9, 0.93, 0.7},
		{1000, 0.3, 0.2, 0.2, 0.93, 0.7}, {1000, 0.3, 0.2, 0.5, 0.93, 0.75}, {1000, 0.3, 0.2, 0.9, 0.93, 0.91},
		{1000, 0.3, 0.9, 0.2, 0.93, 0.96}, {1000, 0.3, 0.9, 0.5, 0.93, 0.96}, {1000, 0.3, 0.9, 0.9, 0.93, 0.96},
		// All samples in calls, and by chance all that are known of clocks.
		{100, 1, 0.1, 0.9, 0.93, 0.6}, {300, 1, 0.05, 0.97, 0.93, 0.4}, {1000, 1, 0.05, 0.97, 0.93, 0.8},
	} {
		hit, without := 0, 0
		for range tries {
			p := &program{outside: map[uint64]*site{1: {}}}
			s := p.outside[1]
			for range of.samples {
				switch {
				case random.Float64() >= of.inCall:
				case random.Float64() >= of.known:
					s.unknown++
				case random.Float64() < of.clocks:
					s.clock++
				default:
					s.other++
				}
			}
			covers := func(variance float64) int {
				low, high := shareInterval(s.clocks(), float64(of.samples), variance)
				if share := of.inCall * of.clocks; low <= share && share <= high {
					return 1
				}
				return 0
			}
			hit += covers(p.dividedVariance())
			without += covers(0)
		}
		covered, before := float64(hit)/tries, float64(without)/tries
		t.Logf("%+v: %g, without the division %g", of, covered, before)
		require.Less(t, covered, 0.995)
		require.Greater(t, covered, of.least, "%+v", of)
		require.Less(t, before, of.before, "%+v", of)
	}
}

// A read of a clock of CPU time enters the kernel under any clock source, and costs more than one of the fine clocks.
func TestReadsOfOtherClocksAreNotCounted(t *testing.T) {
	of := func(kernel int) Process {
		records := append(times(kernel, sample(10, []uint64{gettime}, afterEntry, inProgram)), times(400, sample(10, nil, inGettime, inProgram))...)
		return estimated(true, usage{userNS: 5e9, whole: true}, result.Never, fast, append(records, times(600-kernel, sample(10, nil, inProgram))...)...).Processes[0]
	}
	require.InDelta(t, 0.8, *of(400).ClockShare, 1e-9)
	require.Zero(t, of(400).ReadsPerSecond)
	require.InEpsilon(t, 0.4*0.5*1e9/20, of(0).ReadsPerSecond, 1e-9)
	require.InEpsilon(t, 0.4*0.5*1e9/20+0.01*0.5*1e9/200, of(10).ReadsPerSecond, 1e-9, "few of them count as system calls")
}

// The CPU time of a process is divided by the time between its two readings.
func TestCPUsOfALongReading(t *testing.T) {
	p := estimated(true, usage{userNS: 11e9, spanNS: 11e9, whole: true}, result.Never, fast, times(10, sample(10, nil, inProgram))...).Processes[0]
	require.InDelta(t, 1, p.CPUsUsed, 1e-9)
}
