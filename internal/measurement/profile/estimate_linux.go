package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// most is the maximum number of threads and callers of a process in a document.
const most = 20

// costsOf returns what a read costs, in ns by clock, of those that were measured. It includes the loop that measures it: around a
// read by the vDSO the CPU does those few instructions while it waits for the counter, and a sample finds it waiting.
func costsOf(clocks []compare.Clock) map[string]float64 {
	all := map[string]float64{}
	for _, c := range clocks {
		if c.Latency != nil && c.Latency.MedianNS > 0 {
			all[c.ID] = c.Latency.MedianNS
		}
	}
	return all
}

// between returns the mean of the costs before and after the sampling; the cost before, of a clock that was not measured again.
func between(before, after map[string]float64) map[string]float64 {
	all := map[string]float64{}
	for id, ns := range before {
		all[id] = (ns + cmp.Or(after[id], ns)) / 2
	}
	return all
}

// A usage is the CPU time of a process since the beginning of the profile, by the accounting of
// the kernel.
type usage struct {
	userNS, systemNS float64
	// spanNS is the time that it is of; 0 for that of the samples.
	spanNS float64
	// whole is whether it covers all that the samples cover. It does not if the process ended,
	// or if several programs ran in it.
	whole bool
}

// system returns the part of the time that is of the kernel; false if it is unknown.
func (u usage) system() (part float64, known bool) {
	if total := u.userNS + u.systemNS; total > 0 {
		return u.systemNS / total, true
	}
	return 0, false
}

// An estimate turns samples into shares and rates.
type estimate struct {
	profile *Profile
	// costs are what a read costs, in ns by clock.
	costs map[string]float64
	// callsAreHidden is whether the kernel hides which system call a sample is in.
	callsAreHidden bool
	// used returns the CPU time of a process.
	used func(pid int) usage
	// named are the processes that the user named.
	named []int
	// programs is the number of programs with samples, by process.
	programs map[int]int
}

// knownSystem is the maximum part of the CPU time that may be unseen in a share that is a figure
// and not only an interval.
const knownSystem = 0.005

// enters reports whether reads by the vDSO enter the kernel on this machine.
func (e estimate) enters() bool {
	return e.profile.KernelEntry == result.Always || e.profile.KernelEntry == result.Sometimes
}

// enoughNS is the CPU time from which on the accounting of the kernel, which is in units of 10 ms,
// is more exact than the number of samples.
const enoughNS = 500e6

// of returns the process of a program.
func (e estimate) of(p *program) Process {
	process := Process{PID: p.pid, Command: cmp.Or(p.command, "unknown"), Cgroup: p.cgroup, Reason: p.reason, Preloaded: p.preloaded, Samples: p.samples}
	if len(p.pids) > 1 {
		process.ProcessCount = len(p.pids)
	}
	used := e.usedBy(p)
	// Without samples of the kernel, its time is known by accounting only, and all of it may
	// be of reads. If it is not known, the figures are those of user mode, which are the least.
	unseen, known := 0.0, true
	if !e.profile.SeesKernel {
		unseen, known = used.system()
	}
	seconds := float64(e.profile.DurationNS) / 1e9
	process.CPUsUsed = float64(p.samples) / float64(e.profile.RateHz) / seconds / max(1-unseen, 0.01)
	// A sample in a profile of less than a period stands for more than there are.
	process.CPUsUsed = min(process.CPUsUsed, float64(e.profile.CPUs))
	if used.whole && e.programs[p.pid] == 1 && used.userNS+used.systemNS >= enoughNS {
		process.CPUsUsed = (used.userNS + used.systemNS) / cmp.Or(used.spanNS, float64(e.profile.DurationNS))
	}
	all := float64(p.samples)
	user, kernel, syscalls, hidden := p.clockSamples(e.callsAreHidden, e.enters())
	part := (1 - unseen) / all
	process.UserShare, process.KernelShare, process.SyscallShare = user*part, kernel*part, syscalls*part
	share := min(1, process.UserShare+process.KernelShare+process.SyscallShare)
	divided := 0.0
	if !e.callsAreHidden {
		divided = p.dividedVariance()
	}
	low, _ := shareInterval(user+kernel+syscalls, all, divided)
	_, high := shareInterval(min(all, user+kernel+syscalls+hidden), all, divided)
	process.ClockShareLow, process.ClockShareHigh = low*(1-unseen), min(1, high*(1-unseen)+unseen)
	switch {
	case p.reason != "" || !known:
		process.ClockShareHigh = 1 // the reads by the vDSO, or in the kernel, are not known
	case unseen+hidden*part <= knownSystem:
		process.ClockShare = &share
	}
	process.ClockCPUs = share * process.CPUsUsed
	e.reads(&process, p, share)
	process.Functions, process.Threads = functionsOf(p), readingThreads(p)
	process.Callers, process.OtherCallerSamples = callersOf(p)
	return process
}

// usedBy returns the CPU time of a program. That of several processes is unknown if that of one is.
func (e estimate) usedBy(p *program) usage {
	if p.pids == nil {
		return e.used(p.pid)
	}
	sum := usage{}
	for _, pid := range p.pids {
		of := e.used(pid)
		if _, known := of.system(); !known {
			return usage{}
		}
		sum.userNS, sum.systemNS = sum.userNS+of.userNS, sum.systemNS+of.systemNS
	}
	return sum
}

// shareInterval returns the confidence interval of a share of samples whose number has a variance beyond that of
// counting. Wilson's interval is that of as many samples as would have the same variance: the effective sample size
// (L. Kish, Survey Sampling, 1965).
func shareInterval(some, all, moreVariance float64) (low, high float64) {
	if all == 0 {
		return stats.Wilson(some, all, stats.Confidence)
	}
	share := (some + 0.5) / (all + 1) // neither 0 nor 1, where counting would have no variance
	effect := 1 + moreVariance/(all*share*(1-share))
	return stats.Wilson(some/effect, all/effect, stats.Confidence)
}

// mostOtherClocks is the part of the time of reads that reads of clocks whose cost is not known may take, so that
// the number of all reads is an estimate still.
const mostOtherClocks = 0.05

// reads estimates the number of reads from their CPU time. share is the share that the counted samples have.
func (e estimate) reads(process *Process, p *program, share float64) {
	if process.ClockShare == nil || share == 0 || process.CPUsUsed == 0 {
		return
	}
	vdsoNS, unknown := e.meanCost(p, false)
	callNS, untimed := e.meanCost(p, true)
	callNS = cmp.Or(callNS, e.costs[syscallID])
	inVDSO, inCalls := process.UserShare+process.KernelShare, process.SyscallShare
	if e.profile.KernelEntry == result.Never {
		// Where the vDSO reads the fine clocks in user mode, it calls the kernel for other clocks, such as those of
		// CPU time. What they cost was not measured.
		if process.KernelShare > mostOtherClocks*share {
			return
		}
		inVDSO, inCalls = process.UserShare, process.SyscallShare+process.KernelShare
	}
	if untimed*process.SyscallShare > mostOtherClocks*share || inVDSO > 0 && (vdsoNS == 0 || unknown > 0) || inCalls > 0 && callNS == 0 {
		return
	}
	reads := 0.0
	if inVDSO > 0 {
		reads += inVDSO / vdsoNS
	}
	if inCalls > 0 {
		reads += inCalls / callNS
	}
	process.ReadsPerSecond, process.ReadsBy = reads*process.CPUsUsed*1e9, byCost
}

// isDirect reports whether reads of a clock are system calls that a program makes itself.
func isDirect(clock string) bool { return clock == "" || slices.Contains(directIDs, clock) }

// meanCost returns what a read costs on average, in ns, of those by the vDSO or by direct system calls; 0 if that is unknown. The number
// of reads of a clock is the time in them, which is that of their samples, by their cost. unknown is the part of the samples in
// reads whose cost is unknown, of which the average has none.
func (e estimate) meanCost(p *program, direct bool) (ns, unknown float64) {
	samples, untimed, reads := 0.0, 0.0, 0.0
	for clock, n := range p.clocks {
		if isDirect(clock) != direct {
			continue
		}
		ns := e.costs[clock]
		if ns == 0 && !direct {
			ns = e.costs[fineID]
		}
		if ns == 0 {
			untimed += float64(n)
			continue
		}
		samples += float64(n)
		reads += float64(n) / ns
	}
	if samples > 0 {
		ns = samples / reads
	}
	if untimed > 0 {
		unknown = untimed / (samples + untimed)
	}
	return ns, unknown
}

func functionsOf(p *program) []Function {
	var all []Function
	for name, samples := range p.byFunction {
		all = append(all, Function{name, samples})
	}
	slices.SortFunc(all, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), strings.Compare(a.Name, b.Name))
	})
	return all
}

func readingThreads(p *program) []Thread {
	var all []Thread
	for tid, n := range p.threads {
		if clocks := p.in(&n.reads); clocks > 0 {
			all = append(all, Thread{TID: tid, Name: p.threadNames[tid], Samples: n.samples, ClockSamples: clocks})
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
	s.ReadNS, s.SyscallNS = e.costs[fineID], e.costs[syscallID]
	// Where the kernel emulates the counter, as for faulty timers of arm64, reading it is no read in user mode, and costs
	// about as much as a system call. In user mode it costs a tenth (AMD EPYC).
	if userMode := e.costs[clock.UserModeID]; e.enters() && (s.SyscallNS == 0 || userMode < s.SyscallNS/2) {
		s.UserModeNS = userMode
	}
	e.programs = map[int]int{}
	for _, p := range t.programs {
		e.programs[p.pid]++
	}
	projected := 0.0
	for _, p := range e.summed(t.programs) {
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
		return cmp.Or(cmp.Compare(b.ClockCPUs, a.ClockCPUs), cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.PID, b.PID))
	})
}
