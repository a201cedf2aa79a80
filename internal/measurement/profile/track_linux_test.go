package profile

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/readers"
	"golang.org/x/sys/unix"
)

// turns returns how many turns there were at a place.
func turns(t *tracker, at place) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.speeds[at] == nil {
		return 0
	}
	return t.speeds[at].N
}

// tracking returns a tracker of this machine, which may be too slow for it.
func tracking(t *testing.T) *tracker {
	t.Helper()
	track := newTracker(clock.Catalog(), costsOf(fast))
	if track == nil {
		require.Greater(t, max(observe.StopwatchCost(), observe.StopwatchTick())*stopwatchReads, maxSlice)
		t.Skip("the stopwatch of this machine is too slow for a tracker")
	}
	t.Cleanup(track.end)
	return track
}

// order orders a turn and waits for its end. The thread takes an order after the turn before, and the room is for one.
func order(track *tracker, at place) {
	track.orders <- turn{at, 1}
	track.orders <- turn{}
	track.orders <- turn{}
}

// has waits for turns at a place: the scheduler may move the thread during one, on a busy machine.
func has(t *testing.T, track *tracker, at place, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); turns(track, at) < n; order(track, at) {
		require.True(t, time.Now().Before(end), "%+v", at)
	}
}

// The clock of the system call is on every machine; qemu-user has no vDSO.
func TestTrackerMeasuresOnItsCPU(t *testing.T) {
	track := tracking(t)
	for _, cpu := range thread.Usable() {
		at := place{cpu, syscallID}
		require.NotContains(t, track.costs(), at)
		has(t, track, at, minTracked)
		of := track.costs()[at]
		require.Positive(t, of.low)
		require.LessOrEqual(t, of.low, of.median)
		require.LessOrEqual(t, of.median, of.high)
		require.Less(t, of.high, float64(maxSlice))
	}
	require.Len(t, track.costs(), len(thread.Usable())+1, "and on all CPUs; there were no orders of other clocks")
	has(t, track, place{thread.Usable()[0], gettimeofdayID}, 1)
	require.Equal(t, minTracked+2, track.first[gettimeofdayID])
	require.Zero(t, track.first[syscallID], "its cost is known")
}

// Places that cannot be measured are passed over, and the thread goes on. Their weight is that of the next turn there.
func TestTrackerOmitsWhatCannotBeMeasured(t *testing.T) {
	track := tracking(t)
	gone := place{1 << 14, syscallID}
	for _, at := range []place{gone, gone, {0, "no clock"}, {}} {
		order(track, at)
	}
	require.Zero(t, turns(track, gone))
	require.Zero(t, turns(track, place{anyCPU, syscallID}))
	has(t, track, place{thread.Usable()[0], syscallID}, 1)
	require.Equal(t, 2, track.owed[gone])
	require.NotContains(t, track.owed, place{thread.Usable()[0], syscallID})
}

// noThread returns a tracker without a thread, for those CPUs.
func noThread(cpus ...int) *tracker {
	some := map[string]clock.Reader{fineID: idle{}, syscallID: idle{}}
	return &tracker{orders: make(chan turn, 1), usable: cpus, readers: some, pending: map[place]int{}}
}

type idle struct{}

func (idle) Spin(int)     {}
func (idle) Read([]int64) {}

// The turns follow the samples: the place with most samples since its last turn is next, and the turn stands for them.
func TestTurnsFollowTheSamples(t *testing.T) {
	track := noThread(0, 1)
	track.order()
	require.Empty(t, track.orders, "there was no read")
	a, b := place{0, fineID}, place{1, syscallID}
	got := map[place][]int{}
	for range 30 {
		for range 40 {
			track.saw(a)
		}
		for range 20 {
			track.saw(b)
		}
		track.saw(place{2, fineID})      // a CPU that this process may not use
		track.saw(place{0, "time@vdso"}) // a clock that could not be opened
		track.order()
		of := <-track.orders
		got[of.place] = append(got[of.place], of.weight)
	}
	require.InDelta(t, 20, len(got[a]), 2)
	require.InDelta(t, 10, len(got[b]), 2)
	sum := func(place place) (n int) {
		for _, weight := range got[place] {
			n += weight
		}
		return n + track.pending[place]
	}
	require.Equal(t, 30*40, sum(a), "each sample is in one turn")
	require.Equal(t, 30*20, sum(b), "each sample is in one turn")
}

// A clock whose cost nothing else tells has its turns first, even beside many more samples of others.
func TestTurnsOfAClockWithoutACost(t *testing.T) {
	track := noThread(0, 1)
	track.readers[gettimeofdayID], track.first = idle{}, map[string]int{gettimeofdayID: 3}
	few, fewer, many := place{0, gettimeofdayID}, place{1, gettimeofdayID}, place{0, fineID}
	var got []turn
	for range 6 {
		for range 5 {
			track.saw(few)
		}
		track.saw(fewer)
		for range 100 {
			track.saw(many)
		}
		track.order()
		got = append(got, <-track.orders)
	}
	require.Equal(t, []turn{{few, 5}, {few, 5}, {few, 5}, {many, 400}, {many, 100}, {many, 100}}, got)

	track.first[gettimeofdayID] = 1
	track.orders <- turn{}
	track.order()
	require.Equal(t, 1, track.first[gettimeofdayID], "the thread was busy")
}

// A late turn is omitted: an order never waits, and its samples are for a later one.
func TestOrderDoesNotWait(t *testing.T) {
	track := noThread(0)
	for range 3 {
		track.saw(place{0, fineID})
		track.order()
	}
	require.Equal(t, turn{place{0, fineID}, 1}, <-track.orders)
	track.order()
	require.Equal(t, turn{place{0, fineID}, 2}, <-track.orders)
}

func TestNoTracker(t *testing.T) {
	require.Nil(t, newTracker(Clocks(clock.Catalog()), costs{}), "no cost is known")
	slow := costs{}
	for id := range costsOf(fast) {
		slow[id] = cost{1e9, 1e9, 1e9}
	}
	require.Nil(t, newTracker(Clocks(clock.Catalog()), slow), "a read takes a second")
	var track *tracker
	track.saw(place{0, fineID})
	track.order()
	require.Empty(t, track.costs())
	require.Zero(t, track.thread())
	track.end()
}

// The reads in a span are the sum of the speeds, not the span by the mean of the costs.
func TestCostsOfTurns(t *testing.T) {
	at := place{0, syscallID}
	costOf := func(costsNS ...float64) (cost, bool) {
		track := &tracker{speeds: map[place]*stats.Weighted{}, sliceNS: 10000, tickNS: 20}
		for _, ns := range costsNS {
			track.add(turn{at, 7}, ns)
		}
		got, ok := track.costs()[at]
		return got, ok
	}
	var two, same []float64
	for i := range 100 {
		two, same = append(two, []float64{240, 300}[i%2]), append(same, 250)
	}
	_, ok := costOf(two[:minTracked-1]...)
	require.False(t, ok, "too few")
	of, ok := costOf(two...)
	require.True(t, ok)
	require.InDelta(t, 2/(1./240+1./300), of.median, 1e-9)
	require.InDelta(t, 266.7-6.5, of.low, 1)
	require.InDelta(t, 266.7+6.5, of.high, 1)

	of, _ = costOf(same...)
	require.InDelta(t, 250, of.median, 1e-9)
	require.InDelta(t, 250*0.998, of.low, 1e-3, "a tick in a slice is not known")
	require.InDelta(t, 250*1.002, of.high, 1e-2)

	// Nine of ten turns were disturbed much, so that the interval of the mean reaches below 0: no turn was that slow.
	of, _ = costOf(250, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6)
	require.InDelta(t, 1.002e6, of.high, 1)
	require.GreaterOrEqual(t, of.low, 249.)
}

// On a machine with many CPUs each has few turns. The cost on one of them is then that on all, with room for how they differ.
func TestCostOnManyCPUs(t *testing.T) {
	track := &tracker{speeds: map[place]*stats.Weighted{}, sliceNS: 1}
	for cpu := range 10 {
		for i := range 5 {
			track.add(turn{place{cpu, fineID}, 1}, []float64{20, 30}[cpu%2]+0.1*float64(i))
		}
	}
	all := track.costs()
	require.Len(t, all, 1)
	of := all[place{anyCPU, fineID}]
	require.InDelta(t, 24.2, of.median, 0.1)
	require.Less(t, of.low, 22.)
	require.Greater(t, of.high, 27.)

	e := estimate{costs: costsOf(fast), tracked: all}
	of77, unknown := e.costOf(map[place]int{{77, fineID}: 5}, func(string) bool { return true })
	require.Equal(t, of, of77)
	require.Zero(t, unknown)
}

// The samples of the tracker's own reads are of no program.
func TestTrackerIsNotCounted(t *testing.T) {
	own, other := sample(10, nil, inGettime, inProgram), sample(10, nil, inProgram)
	own.TID, own.TimeNS, other.TID, other.TimeNS = 11, 1, 12, 2
	counted := tallied(nil)
	counted.track = noThread(0)
	counted.track.tid = 11
	for _, r := range append(times(5, own), times(3, other)...) {
		counted.add(&r)
	}
	require.Equal(t, 3, counted.programs[0].samples)
	require.Empty(t, counted.programs[0].byFunction)
	require.Empty(t, counted.track.pending)
}

// The tracker learns where the reads of all programs are, and a program keeps its own.
func TestPlacesOfReads(t *testing.T) {
	counted := tallied(nil)
	counted.track = noThread(3, 5)
	add := func(n, cpu int, r perfevent.Record) {
		for range n {
			r.CPU, r.TID, r.TimeNS = cpu, r.PID, 1
			counted.add(&r)
		}
	}
	add(4, 3, sample(10, nil, inGettime, inProgram))
	add(2, 5, sample(10, []uint64{gettime}, inProgram))
	add(7, 5, sample(11, nil, inGettime, inProgram))
	add(9, 5, sample(11, nil, inProgram))
	require.Equal(t, map[place]int{{3, fineID}: 4, {5, syscallID}: 2, {5, fineID}: 7}, counted.track.pending)
	require.Equal(t, map[place]int{{3, fineID}: 4, {5, syscallID}: 2}, counted.programs[0].places)
	require.Equal(t, map[place]int{{5, fineID}: 7}, counted.programs[1].places)
}

// Each program has the cost of the CPUs that it reads on.
func TestCostIsThatOfTheCPU(t *testing.T) {
	on := func(cpu int, r perfevent.Record) perfevent.Record {
		r.CPU = cpu
		return r
	}
	records := append(times(500, on(1, sample(10, nil, inGettime))), times(500, sample(10, nil, inProgram))...)
	records = append(records, times(400, on(2, sample(11, nil, inGettime)))...)
	records = append(records, times(100, on(3, sample(11, nil, inGettime)))...)
	records = append(records, times(500, sample(11, nil, inProgram))...)
	p := Profile{DurationNS: 10e9, RateHz: 100, CPUs: 8, SeesKernel: true, KernelEntry: "never"}
	estimate{
		profile: &p, costs: costsOf(fast), used: func(int) usage { return usage{userNS: 10e9, whole: true} },
		tracked: map[place]cost{{1, fineID}: {40, 39, 41}, {2, fineID}: {10, 10, 10}},
	}.fill(tallied(nil, records...))
	byPID := map[int]Process{}
	for _, process := range p.Processes {
		byPID[process.PID] = process
	}
	require.InEpsilon(t, 0.5e9/40, byPID[10].ReadsPerSecond, 3e-4)
	require.InEpsilon(t, byPID[10].ClockShareLow*1e9/41, byPID[10].ReadsLow, 3e-4)
	require.InDelta(t, byPID[10].ClockShareHigh*1e9/39, byPID[10].ReadsHigh, 1)
	require.InEpsilon(t, 0.4e9/10+0.1e9/20, byPID[11].ReadsPerSecond, 3e-4, "CPU 3 was not tracked, so it has the cost of before and after")
	require.InDelta(t, 1000/(500./40+400./10+100./20), p.ReadNS, 1e-9, "of all reads")
	require.InDelta(t, 200, p.SyscallNS, 1e-9, "that of before and after, as there was none")
}

// While a real program reads, the reads that it counts are those of the cost that was tracked. How far both agree, the
// benchmark shows; those of the made-up costs are off by more than this. None is made up for gettimeofday and time.
func TestCostIsTracked(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	tracking(t)
	program := readers.Build(t, "c")
	wrong := func(context.Context) ([]compare.Clock, error) {
		return []compare.Clock{clocked(fineID, 2, 2, 2), clocked(syscallID, 20, 20, 20)}, nil
	}
	profiledOnce := func(read string) (tracked bool) {
		r := program.Start(t, readers.Options{Read: read, Percent: 100, Seconds: 5})
		var one unix.CPUSet
		one.Set(thread.Usable()[0])
		require.NoError(t, unix.SchedSetaffinity(r.PID(), &one))
		r.Go()
		p, err := Run(t.Context(), Settings{RateHz: DefaultRate, PIDs: []int{r.PID()}, Time: 3 * time.Second}, wrong, none)
		require.NoError(t, err)
		process, report := only(t, p, r.PID()), r.End()
		if process.ClockShare == nil {
			t.Logf("%s: the kernel is not seen, or which calls are those of clocks", read)
			return true
		}
		if process.ReadsPerSecond == 0 {
			t.Logf("%s: the cost is not known", read)
			return false
		}
		ratio := process.ReadsPerSecond / process.CPUsUsed / report.ReadsPerCPUSecond()
		t.Logf("%s: %.3f of its reads", read, ratio)
		return math.Abs(math.Log(ratio)) < math.Log(2)
	}
	for _, read := range program.Reads {
		tracked := false
		for try := 0; try < 3 && !tracked; try++ { // a busy machine may leave the tracker no time
			tracked = profiledOnce(read)
		}
		require.True(t, tracked, read)
	}
}
