package clock

import (
	"math"
	"slices"
	"strings"
	"testing"

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
// a counter counts, and no read writes beyond its buffer.
func TestEveryClockReadsOrSaysWhyNot(t *testing.T) {
	for _, c := range Catalog() {
		require.NoError(t, thread.Run(thread.Any, func() {
			reader, err := c.Open()
			if err != nil {
				t.Logf("%s: %v", c.ID, err)
				require.NotContains(t, err.Error(), "\n")
				return
			}
			const reads = 10_000 // a slow counter ticks meanwhile
			ticks := make([]int64, reads+1)
			for range 3 {
				reader.Spin(100)
				ticks[reads] = math.MinInt64
				reader.Read(ticks[:reads])
				require.Equal(t, int64(math.MinInt64), ticks[reads], c.ID)
				for i := 1; i < reads; i++ {
					require.GreaterOrEqual(t, ticks[i], ticks[i-1], "%s, read %d", c.ID, i)
				}
				require.True(t, ticks[reads-1] > ticks[0] || c.Kind != Counter, c.ID)
				// A new thread has used no CPU time by the tick of its system.
				require.True(t, ticks[0] > 0 || c.Kind == UserTime, c.ID)
			}
			reader.Read(ticks[:1])
			if failer, ok := reader.(Failer); ok {
				require.NoError(t, failer.Err(), c.ID)
			}
		}))
	}
}

// The default set has no device, and two of the system calls that have another path here, for comparison. Where this build
// has only system calls, the clocks that programs read most are in it.
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
