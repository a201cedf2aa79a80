//go:build lab && linux

package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A figure is one of a world's: the latency of a clock in nanoseconds or, where threads
// are given, the reads a second of all of them.
type figure struct {
	world, id string
	threads   int
}

// in looks the figure up; false where the world has no such clock.
func (f figure) in(chapters map[string]chapter) (float64, bool) {
	for _, c := range compare.Of(chapters[f.world].document).Clocks {
		if c.ID != f.id || !c.Available {
			continue
		}
		if f.threads == 0 {
			return c.Latency.MedianNS, true
		}
		for _, measured := range c.Throughput {
			if measured.Threads == f.threads {
				return measured.ReadsPerSecond, true
			}
		}
	}
	return 0, false
}

// A relation is a ratio that somebody published, and the figures of the lab that belong
// to it.
type relation struct {
	what                  string
	source                int // in the report's list
	theirOver, theirUnder float64
	over, under           figure
	why                   string // what the ratio shows, or why it is another here
}

type relationRow struct {
	What                                          string
	Source                                        int
	Published, PublishedRatio, Lab, LabRatio, Why string
}

func (r relation) row(t *testing.T, chapters map[string]chapter) relationRow {
	t.Helper()
	over, isThere := r.over.in(chapters)
	require.True(t, isThere, "%s: no figure %v", r.what, r.over)
	under, isThere := r.under.in(chapters)
	require.True(t, isThere, "%s: no figure %v", r.what, r.under)
	return relationRow{
		r.what, r.source, short(r.theirOver) + " / " + short(r.theirUnder), short(r.theirOver / r.theirUnder),
		short(over) + " / " + short(under), short(over / under), r.why,
	}
}

// relations are the published ratios. Figures are ns/read, or reads per second with a number of
// threads.
var relations = []relation{
	{
		"`gettimeofday` through the vDSO: HPET / TSC", 1, 644, 35,
		figure{"hpet", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"There mostly the device, here the system call",
	},
	{
		"`gettimeofday` on HPET: system call / vDSO", 1, 734, 644,
		figure{"hpet", "gettimeofday@syscall", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"About 1: the vDSO saves nothing",
	},
	{
		"`gettimeofday` on TSC: system call / vDSO", 1, 91, 35,
		figure{"tsc", "gettimeofday@syscall", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"QEMU emulates each change of privilege",
	},
	{
		"The HPET's register / `gettimeofday` through the vDSO on HPET", 1, 565, 644,
		figure{"hpet", "hpet@mmio", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"Not reproduced: a function of QEMU",
	},
	{
		"On TSC: `CLOCK_REALTIME_COARSE` / `CLOCK_REALTIME`", 1, 8.4, 30,
		figure{"tsc", "CLOCK_REALTIME_COARSE@vdso", 0}, figure{"tsc", "CLOCK_REALTIME@vdso", 0},
		"The emulated counter is fast",
	},
	{
		"HPET, reads per second: 2 threads / 1", 1, 2.18e6, 1.55e6,
		figure{"hpet", "gettimeofday@vdso", 2}, figure{"hpet", "gettimeofday@vdso", 1},
		"There the threads share the timer, here QEMU's lock",
	},
	{
		"`currentTimeMillis` with clock source xen / tsc", 2, 362, 25.6,
		figure{"xen", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"A system call goes through Xen, which flushes the emulated TLB",
	},
}
