//go:build lab && linux

package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/compare"
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

// slowDoor says why what enters the kernel is dearer here.
const slowDoor = "QEMU translates a program's arithmetic into the host's, but has to act out each change of privilege: " +
	"the kernel's door is dearer than on hardware, measured in readings of the counter"

// relations are the published ratios. Figures are nanoseconds a read, or reads a second
// where threads are counted.
var relations = []relation{
	{
		"`gettimeofday` by the vDSO: HPET / TSC", 1, 644, 35,
		figure{"hpet", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"Reproduced in kind: the vDSO enters the kernel. There most of it is the device, here most of it is the door",
	},
	{
		"`gettimeofday` on HPET: system call / vDSO", 1, 734, 644,
		figure{"hpet", "gettimeofday@syscall", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"About 1: the vDSO saves nothing where it must enter the kernel",
	},
	{
		"`gettimeofday` on TSC: system call / vDSO", 1, 91, 35,
		figure{"tsc", "gettimeofday@syscall", 0}, figure{"tsc", "gettimeofday@vdso", 0}, slowDoor,
	},
	{
		"The HPET's counter read directly / `gettimeofday` by the vDSO on HPET", 1, 565, 644,
		figure{"hpet", "hpet@mmio", 0}, figure{"hpet", "gettimeofday@vdso", 0},
		"Cannot be reproduced: an emulated HPET is a function of QEMU, not a chip at the end of a slow bus",
	},
	{
		"On TSC: `CLOCK_REALTIME_COARSE` / `CLOCK_REALTIME`", 1, 8.4, 30,
		figure{"tsc", "CLOCK_REALTIME_COARSE@vdso", 0}, figure{"tsc", "CLOCK_REALTIME@vdso", 0},
		"The emulated counter costs no more than other instructions, which flatters the fine clock",
	},
	{
		"On TSC: `CLOCK_PROCESS_CPUTIME_ID` / `CLOCK_REALTIME`", 1, 343, 30,
		figure{"tsc", "CLOCK_PROCESS_CPUTIME_ID@vdso", 0}, figure{"tsc", "CLOCK_REALTIME@vdso", 0}, slowDoor,
	},
	{
		"HPET, reads a second: 2 threads / 1", 1, 2.18e6, 1.55e6,
		figure{"hpet", "gettimeofday@vdso", 2}, figure{"hpet", "gettimeofday@vdso", 1},
		"There the timer is shared and does not scale (3 threads 1.42, 4 threads 1.38). Here only the lock that QEMU " +
			"holds around its devices is, and it guards a small part of a read",
	},
	{
		"Xen: `currentTimeMillis` with clock source xen / switched to tsc", 2, 362, 25.6,
		figure{"xen", "gettimeofday@vdso", 0}, figure{"tsc", "gettimeofday@vdso", 0},
		"Reproduced in kind only: a paravirtual kernel's door leads through Xen, which changes the page tables " +
			"on the way, and that empties QEMU's cache of addresses",
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
