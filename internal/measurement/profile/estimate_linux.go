package profile

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// most is the maximum number of threads and callers of a process in a document.
const most = 20

// costsOf returns the cost of a read, in ns by clock, for the clocks that were measured. It includes the loop that
// measures it: around a read by the vDSO the CPU does those few instructions while it waits for the counter, and a
// sample finds it waiting.
func costsOf(clocks []compare.Clock) map[string]float64 {
	all := map[string]float64{}
	for _, c := range clocks {
		if c.Latency != nil && c.Latency.MedianNS > 0 {
			all[c.ID] = c.Latency.MedianNS
		}
	}
	return all
}

// An estimate turns samples into shares and rates.
type estimate struct {
	profile *Profile
	// costs are the costs of a read, in ns by clock.
	costs map[string]float64
}

// knownSystem is the max share of unseen CPU time with which a share has a figure and not only an interval.
const knownSystem = 0.005

func (e estimate) of(p *target) Process {
	process := Process{PID: p.pid, Command: cmp.Or(p.command, "unknown"), Cgroup: p.cgroup, Reason: p.reason,
		Preloaded: p.preloaded, Samples: p.samples}
	if p.summed > 1 {
		process.ProcessCount = p.summed
	}
	// Without samples of the kernel, its time is known by accounting only, and reads may take all of it. If it is
	// unknown, the figures are of user mode, which is the minimum.
	unseen, known := 0.0, true
	if !e.profile.SeesKernel {
		if unseen, known = p.used.system(); p.unaccounted {
			unseen, known = 0, false
		}
	}
	seconds := float64(e.profile.DurationNS) / 1e9
	process.CPUsUsed = float64(p.samples) / float64(e.profile.RateHz) / seconds / max(1-unseen, 0.01)
	// In a profile shorter than a sampling period, a sample would stand for more CPUs than the machine has.
	process.CPUsUsed = min(process.CPUsUsed, float64(e.profile.CPUs))
	user, kernel, syscalls := p.clockSamples()
	part := (1 - unseen) / float64(p.samples)
	process.UserShare, process.KernelShare, process.SyscallShare = user*part, kernel*part, syscalls*part
	share := min(1, process.UserShare+process.KernelShare+process.SyscallShare)
	all := float64(p.samples)
	low, _ := stats.Wilson(user+kernel+syscalls, all, stats.Confidence)
	_, high := stats.Wilson(min(all, user+kernel+syscalls+float64(p.hidden)), all, stats.Confidence)
	process.ClockShareLow, process.ClockShareHigh = low*(1-unseen), min(1, high*(1-unseen)+unseen)
	switch {
	case p.reason != "" || !known:
		process.ClockShareHigh = 1 // the reads by the vDSO, or in the kernel, are not known
	case unseen+float64(p.hidden)*part <= knownSystem:
		process.ClockShare = &share
	}
	process.ClockCPUs = share * process.CPUsUsed
	if process.ClockShare != nil {
		e.reads(&process, p)
	}
	process.Threads = readingThreads(p)
	process.Callers, process.OtherCallerSamples = callersOf(p)
	return process
}

// mostUntimed is the max share of reads of unknown cost in the time of all reads. Up to this share, the number of reads
// is estimated.
const mostUntimed = 0.05

// reads estimates the number of reads: their CPU time divided by the cost of a read.
func (e estimate) reads(process *Process, p *target) {
	inVDSO, untimed := process.UserShare+process.KernelShare, 0.0
	if e.profile.KernelEntry == result.Never {
		// Where the vDSO reads the fine clocks in user mode, it calls the kernel for other clocks, such as the
		// clocks of CPU time. Their cost was not measured.
		inVDSO, untimed = process.UserShare, process.KernelShare
	}
	vdso, unknown := e.readsPerNS(p, false)
	direct, alsoUnknown := e.readsPerNS(p, true)
	untimed += unknown*inVDSO + alsoUnknown*process.SyscallShare
	reads := (vdso*inVDSO + direct*process.SyscallShare) * process.CPUsUsed * 1e9
	if reads > 0 && untimed <= mostUntimed**process.ClockShare {
		process.ReadsPerSecond = reads
	}
}

// readsPerNS returns the number of reads per ns, by the vDSO or by direct system calls, and the part of that time in
// reads of unknown cost.
func (e estimate) readsPerNS(p *target, direct bool) (reads, unknown float64) {
	samples := 0.0
	for clock, n := range p.clocks {
		if (clock == "" || slices.Contains(directIDs, clock)) != direct {
			continue
		}
		samples += float64(n)
		if ns := e.costs[clock]; ns > 0 {
			reads += float64(n) / ns
		} else {
			unknown += float64(n)
		}
	}
	samples = max(samples, 1)
	return reads / samples, unknown / samples
}

// readingThreads returns the threads with most samples of reads.
func readingThreads(p *target) []Thread {
	all := p.readers
	for tid, n := range p.threads {
		if n.reads > 0 {
			all = append(all, Thread{TID: tid, Name: n.name, Samples: n.samples, ClockSamples: n.reads})
		}
	}
	slices.SortFunc(all, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(b.ClockSamples, a.ClockSamples), cmp.Compare(a.TID, b.TID))
	})
	return all[:min(len(all), most)]
}

// fill completes the profile with the programs of a tally.
func (e estimate) fill(t *tally) {
	s := e.profile
	s.Processes = []Process{}
	s.LostSamples = t.lost
	s.ReadNS, s.SyscallNS = e.costs[FineID], e.costs[syscallID]
	// Where the kernel emulates the counter, as for faulty timers of arm64, a read of the counter is not in user mode,
	// and costs about as much as a system call. In user mode it costs a tenth (AMD EPYC).
	enters := s.KernelEntry == result.Always || s.KernelEntry == result.Sometimes
	if userMode := e.costs[clock.UserModeID]; enters && (s.SyscallNS == 0 || userMode < s.SyscallNS/2) {
		s.UserModeNS = userMode
	}
	projected := 0.0
	for _, p := range t.summed(func(*target) bool { return true }) {
		process := e.of(p)
		s.Processes = append(s.Processes, process)
		s.Samples += p.samples
		s.CPUsUsed += process.CPUsUsed
		s.ClockCPUs += process.ClockCPUs
		byVDSO := (process.UserShare + process.KernelShare) * process.CPUsUsed
		if process.KernelShare > 0 { // otherwise it reads clocks that never enter the kernel
			byVDSO *= s.UserModeNS / max(s.ReadNS, 1)
		}
		projected += byVDSO + process.SyscallShare*process.CPUsUsed
	}
	if s.SeesKernel && s.UserModeNS > 0 && s.ReadNS > s.UserModeNS {
		s.ClockCPUsUserMode = projected
	}
	slices.SortStableFunc(s.Processes, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.ClockCPUs, a.ClockCPUs), cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(a.PID, b.PID))
	})
}
