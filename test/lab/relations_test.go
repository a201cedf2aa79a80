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

// slowEntry is why reads that enter the kernel are slower here.
const slowEntry = "QEMU translates a program's arithmetic to host instructions, but has to emulate each change of privilege. " +
	"Measured in reads of the counter, a system call is slower than on hardware"

// relations are the published ratios. Figures are ns/read, or reads per second with a number of
// threads.
var relations = []relation{
	{
		"`gettimeofday` through the vDSO: HPET / TSC", 1, 644, 35,
		figure{"hpet", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"Reproduced in kind: the vDSO enters the kernel. On the Xeons most of the cost is the device; here most of it is the system call",
	},
	{
		"`gettimeofday` on HPET: system call / vDSO", 1, 734, 644,
		figure{"hpet", "gettimeofday@syscall", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"About 1: the vDSO saves nothing where it must enter the kernel",
	},
	{
		"`gettimeofday` on TSC: system call / vDSO", 1, 91, 35,
		figure{"tsc", "gettimeofday@syscall", 0}, figure{"tsc", "gettimeofday@vdso", 0}, slowEntry,
	},
	{
		"The HPET's counter read directly / `gettimeofday` through the vDSO on HPET", 1, 565, 644,
		figure{"hpet", "hpet@mmio", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"Cannot be reproduced: an emulated HPET is a function of QEMU, not a chip at the end of a slow bus",
	},
	{
		"On TSC: `CLOCK_REALTIME_COARSE` / `CLOCK_REALTIME`", 1, 8.4, 30,
		figure{"tsc", "CLOCK_REALTIME_COARSE@vdso", 0}, figure{"tsc", "CLOCK_REALTIME@vdso", 0},
		"The emulated counter costs no more than other instructions, so the fine clock looks faster than on hardware",
	},
	{
		"On TSC: `CLOCK_PROCESS_CPUTIME_ID` / `CLOCK_REALTIME`", 1, 343, 30,
		figure{"tsc", "CLOCK_PROCESS_CPUTIME_ID@vdso", 0}, figure{"tsc", "CLOCK_REALTIME@vdso", 0}, slowEntry,
	},
	{
		"HPET, reads per second: 2 threads / 1", 1, 2.18e6, 1.55e6,
		figure{"hpet", "gettimeofday@vdso", 2}, figure{"hpet", "gettimeofday@vdso", 1},
		"On the Xeons the threads share the timer, which does not scale (3 threads 1.42, 4 threads 1.38). Here they share " +
			"only the lock of QEMU's devices, which covers a small part of a read",
	},
	{
		"Xen: `currentTimeMillis` with clock source xen / switched to tsc", 2, 362, 25.6,
		figure{"xen", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"Reproduced in kind only: a system call of a paravirtual kernel goes through Xen, which switches the page tables, " +
			"and that flushes the TLB that QEMU emulates",
	},
	{
		"Xen: `gettimeofday`, vDSO that enters the kernel / that does not", 3, 54.6, 12.2,
		figure{"xen", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0}, "The same",
	},
	{
		"Xen: `currentTimeMillis` on Ubuntu, before / after switching to tsc", 4, 68.3, 3.37,
		figure{"xen", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0}, "The same",
	},
}
