package clock

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
)

func TestCatalogIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Catalog() {
		require.False(t, seen[c.ID], "%s stands twice", c.ID)
		seen[c.ID] = true
		_, path, found := strings.Cut(c.ID, "@")
		require.True(t, found, c.ID)
		require.Equal(t, string(c.Path), path, c.ID)
		require.NotEmpty(t, c.Call, c.ID)
		require.NotEmpty(t, c.Kind, c.ID)
		require.GreaterOrEqual(t, c.ReportedNS(), 0.0, c.ID)
	}
	require.True(t, seen["time.Now@go"])
	for _, c := range counterClocks() {
		require.NotEqual(t, slices.Contains(PlainCounters, c.ID), slices.Contains(OrderedCounters, c.ID),
			"add %s to PlainCounters, or to OrderedCounters if it waits for earlier instructions", c.ID)
	}
}

// Every clock of the catalogue opens or returns a reason. The values of an open one do not go backwards on one thread,
// a counter counts, and no read writes beyond its buffer. C functions run on a Go stack, which moves when it grows at
// the first call of each goroutine, and when the garbage collector shrinks it: no value is torn or lost.
func TestEveryClockReadsOrSaysWhyNot(t *testing.T) {
	var over atomic.Bool
	var collector sync.WaitGroup
	collector.Go(func() {
		for !over.Load() {
			runtime.GC()
		}
	})
	defer collector.Wait()
	defer over.Store(true)
	for _, c := range Catalog() {
		if err := Readable(c); err != nil {
			t.Logf("%s: %v", c.ID, err)
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		var threads sync.WaitGroup
		for range 4 {
			threads.Go(func() { assert.NoError(t, thread.Run(thread.Any, func() { requireReads(t, c) })) })
		}
		threads.Wait()
	}
}

func requireReads(t *testing.T, c Clock) {
	t.Helper()
	const reads = 10_000 // a slow counter ticks meanwhile
	ticks := make([]int64, reads+1)
	for range 5 {
		reader, err := c.Open()
		require.NoError(t, err, c.ID)
		reader.Spin(100)
		ticks[reads] = math.MinInt64
		reader.Read(ticks[:reads])
		require.NoError(t, Failure(reader), c.ID)
		require.Equal(t, int64(math.MinInt64), ticks[reads], c.ID)
		require.True(t, slices.IsSorted(ticks[:reads]), "%s goes backwards", c.ID)
		require.LessOrEqual(t, float64(ticks[reads-1]-ticks[0]), 60*cmp.Or(c.Hz, 1e10), c.ID)
		require.True(t, ticks[reads-1] > ticks[0] || c.Kind != Counter, c.ID)
		// A new thread has used no CPU time by the tick of its system.
		require.True(t, ticks[0] > 0 || c.Kind == UserTime, c.ID)
	}
}

// requireSpins opens a layer and spins.
func requireSpins(t *testing.T, s Layer) {
	t.Helper()
	require.NoError(t, Use(Clock{ID: s.ID, Open: s.Open}, func(reader Reader) {
		reader.Spin(100)
		require.NoError(t, Failure(reader), s.ID)
	}), s.ID)
}

// The default set has no device, and two of the system calls that have another path here, for comparison. Where this
// build has only system calls, the clocks that programs read most are in it.
func TestDefault(t *testing.T) {
	of := func(id string, path Path) Clock { return Clock{ID: id + "@" + string(path), Path: path} }
	freeBSD := []Clock{of("CLOCK_REALTIME", Syscall), of("CLOCK_MONOTONIC", Syscall), of("CLOCK_UPTIME", Syscall),
		of("gettimeofday", Syscall), of("RDTSC", CPU)}
	require.Equal(t, "CLOCK_REALTIME@syscall CLOCK_MONOTONIC@syscall gettimeofday@syscall RDTSC@cpu", ids(defaultOf(freeBSD)))
	linux := []Clock{of("CLOCK_REALTIME", VDSO), of("CLOCK_MONOTONIC", VDSO), of("CLOCK_REALTIME", Syscall),
		of("CLOCK_MONOTONIC", Syscall), of("gettimeofday", VDSO), of("gettimeofday", Syscall), of("hpet", MMIO)}
	require.Equal(t, "CLOCK_REALTIME@vdso CLOCK_MONOTONIC@vdso CLOCK_MONOTONIC@syscall gettimeofday@vdso gettimeofday@syscall",
		ids(defaultOf(linux)))
}
