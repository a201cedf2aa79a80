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

// confidence is that of all intervals of a profile.
const confidence = 0.95

// most is the maximum number of threads and callers of a process in a document.
const most = 20

// A cost is the CPU time of one read in ns, with its interval. All are 0 if it is unknown.
type cost struct{ median, low, high float64 }

// costs are the costs of the clocks. They include the loop that measures them. Around a read by the vDSO the CPU does those few
// instructions while it waits for the counter, and a sample finds it waiting.
type costs map[string]cost

// costsOf returns the costs of measured clocks.
func costsOf(clocks []compare.Clock) costs {
	all := costs{}
	for _, c := range clocks {
		if c.Latency != nil && c.Latency.MedianNS > 0 {
			median := c.Latency.MedianNS
			of := cost{median, cmp.Or(c.Latency.LowNS, median), cmp.Or(c.Latency.HighNS, median)}
			// A timer that the CPUs share makes them wait for each other.
			for _, t := range c.Throughput {
				if c.KernelEntry == result.Always || c.KernelEntry == result.Sometimes {
					of.high = max(of.high, t.NSPerRead)
				}
			}
			all[c.ID] = of
		}
	}
	return all
}

// join makes each cost that of both measurements, with room for each of them.
func (c costs) join(later costs) {
	for id, one := range c {
		if other, ok := later[id]; ok {
			c[id] = cost{(one.median + other.median) / 2, min(one.low, other.low), max(one.high, other.high)}
		}
	}
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
	// costs are those before the sampling and after it, and tracked those while it lasted, where they are known.
	costs   costs
	tracked map[place]cost
	// accountedNS is what a sample takes of the CPU time that the kernel accounts to a program; 0 if that is unknown.
	accountedNS float64
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
	sampleNS := e.profile.SampleNS
	if used.whole && e.programs[p.pid] == 1 && used.userNS+used.systemNS >= enoughNS {
		sampleNS = e.accountedNS
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
	e.reads(&process, p, share, e.sampled(sampleNS))
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
		return stats.Wilson(some, all, confidence)
	}
	share := (some + 0.5) / (all + 1) // neither 0 nor 1, where counting would have no variance
	effect := 1 + moreVariance/(all*share*(1-share))
	return stats.Wilson(some/effect, all/effect, confidence)
}

// mostOtherClocks is the part of the time of reads that reads of clocks whose cost is not known may take, so that
// the number of all reads is an estimate still.
const mostOtherClocks = 0.05

// reads estimates the number of reads from their CPU time. share is the share that the counted samples have, and sampled
// the part of the CPU time that samples took, in which a program read no clock.
func (e estimate) reads(process *Process, p *program, share, sampled float64) {
	if process.ClockShare == nil || share == 0 || process.CPUsUsed == 0 {
		return
	}
	direct, untimed := e.syscallCost(p)
	if untimed*process.SyscallShare > mostOtherClocks*share {
		return
	}
	vdso := e.vdsoCost(p)
	inVDSO, inCalls := process.UserShare+process.KernelShare, process.SyscallShare
	if e.profile.KernelEntry == result.Never {
		// Where the vDSO reads the fine clocks in user mode, it calls the kernel for other clocks, such as those of
		// CPU time. What they cost was not measured.
		if process.KernelShare > mostOtherClocks*share {
			return
		}
		inVDSO, inCalls = process.UserShare, process.SyscallShare+process.KernelShare
	}
	byVDSO, bySyscall := inVDSO*process.CPUsUsed*1e9, inCalls*process.CPUsUsed*1e9
	if byVDSO > 0 && vdso.median == 0 || bySyscall > 0 && direct.median == 0 {
		return
	}
	number := func(vdsoNS, directNS, factor float64) float64 {
		sum := 0.0
		if byVDSO > 0 {
			sum += byVDSO / vdsoNS
		}
		if bySyscall > 0 {
			sum += bySyscall / directNS
		}
		return sum * factor
	}
	sampleNS := 1e9 / float64(e.profile.RateHz)
	process.ReadsPerSecond = settled(process.CPUsUsed, func(readNS float64) float64 {
		cold := likelyColdNS(readNS, sampleNS)
		return number(vdso.median+cold, direct.median+cold, 1-sampled)
	})
	process.ReadsLow = settled(process.CPUsUsed, func(readNS float64) float64 {
		cold := mostColdNS(readNS, sampleNS)
		return number(vdso.high+cold, direct.high+cold, (1-e.mostSampled(sampled))*process.ClockShareLow/share)
	})
	process.ReadsHigh = number(vdso.low, direct.low, process.ClockShareHigh/share)
	process.ReadsBy = byCost
}

// A read after other work takes longer than one of many, because its code and data are not in the caches any more: with 10 µs
// of arithmetic before it no longer, and with 1 ms up to 310 ns. So does one after a sample: programs that read for 1 % of their
// time seemed to read for 0.03 % more at 997 samples a second, which is 300 ns for each sample (AMD EPYC, docs/profile.md).
const (
	afterSampleNS = 300   // what a sample adds
	hotNS         = 10e3  // the work before a read that does not matter
	coldPerNS     = 0.001 // what each ns of more work adds at most
	maxColdNS     = 600
)

// likelyColdNS returns by how many ns a read takes longer than one of many, if a program makes a read, and the kernel takes a
// sample, in so many ns of its CPU time. Of the reads as many come first after a sample as there are samples.
func likelyColdNS(readNS, sampleNS float64) float64 {
	return min(readNS/sampleNS, 1) * afterSampleNS
}

// mostColdNS returns by how many ns it takes longer at most.
func mostColdNS(readNS, sampleNS float64) float64 {
	return min(readNS/sampleNS*maxColdNS+max(readNS-hotNS, 0)*coldPerNS, maxColdNS)
}

// settled returns the number of reads in a second of a program that uses so many CPUs. reads returns it for the CPU time in ns
// from read to read, which follows from the number in turn: the less often a program reads, the longer a read takes. From no
// such time each step comes nearer, from above.
func settled(cpus float64, reads func(readNS float64) float64) float64 {
	const steps = 200
	number := reads(0)
	for range steps {
		number = reads(cpus * 1e9 / number)
	}
	return number
}

// maxSampled is the maximum part of the CPU time that is taken to be of samples: the default of
// kernel.perf_cpu_time_max_percent (Documentation/admin-guide/sysctl/kernel.rst).
const maxSampled = 0.25

// sampled returns the part of the CPU time that samples take which take so many ns each.
func (e estimate) sampled(sampleNS float64) float64 {
	return min(sampleNS*float64(e.profile.RateHz)/1e9, maxSampled)
}

// mostSampled returns that part for the lower limit of the reads. What the kernel accounts may be unknown, and a sample takes
// longer the deeper the stack is; the upper limit has no such part.
func (e estimate) mostSampled(sampled float64) float64 {
	return max(sampled, e.sampled(e.profile.SampleNS))
}

// vdsoCost returns what a call of the vDSO costs a program, by the samples at each place. It is 0 without samples, or if one of the
// costs is unknown.
func (e estimate) vdsoCost(p *program) cost {
	of, unknown := e.costOf(p.places, func(clock string) bool { return !isDirect(clock) })
	if unknown > 0 {
		return cost{}
	}
	return of
}

// returningNS is the maximum part of a measured system call that its samples miss: the loop that measures it, and the return from
// the function that makes the call, which the CPU mispredicts after a system call. Samples there are in the caller.
// It was 7 to 10 ns (AMD EPYC, docs/profile.md), and is taken to be at most mostReturning of the cost. The middle between none and
// the maximum is subtracted. A read by the vDSO that enters the kernel takes several times as long with its timer, so that it
// matters less there.
const (
	returningNS   = 10
	mostReturning = 0.1
)

// syscallCost returns what a direct system call costs a program, and the part of those calls, by samples, whose cost is not known.
func (e estimate) syscallCost(p *program) (of cost, unknown float64) {
	of, unknown = e.costOf(p.places, isDirect)
	if of.median == 0 {
		of = e.costs[syscallID]
	}
	returning := min(returningNS, mostReturning*of.low)
	of.low, of.median = of.low-returning, of.median-returning/2
	return of, unknown
}

// isDirect reports whether the reads of a place are system calls that a program makes itself.
func isDirect(clock string) bool { return clock == "" || slices.Contains(directIDs, clock) }

// costOf returns what a read costs on average, of clocks of a kind. The number of reads at a place is the time there, which is
// that of its samples, by the cost there: as it was tracked, on that CPU or on all, or as it was before and after. unknown is
// the part of the samples at places whose cost is unknown, of which the average has none.
func (e estimate) costOf(places map[place]int, isOfKind func(clock string) bool) (average cost, unknown float64) {
	samples, untimed, reads := 0.0, 0.0, cost{}
	for at, n := range places {
		if !isOfKind(at.clock) {
			continue
		}
		of := e.tracked[at]
		if of.median == 0 {
			of = e.tracked[place{anyCPU, at.clock}]
		}
		if of.median == 0 {
			of = e.costs[at.clock]
		}
		if of.median == 0 && !isDirect(at.clock) {
			of = e.costs[fineID]
		}
		if of.median == 0 {
			untimed += float64(n)
			continue
		}
		samples += float64(n)
		reads.median += float64(n) / of.median
		reads.low += float64(n) / of.low
		reads.high += float64(n) / of.high
	}
	if samples+untimed > 0 {
		unknown = untimed / (samples + untimed)
	}
	if samples > 0 {
		average = cost{samples / reads.median, samples / reads.low, samples / reads.high}
	}
	return average, unknown
}

// costOfAll returns what a read of a clock costs all programs.
func (e estimate) costOfAll(t *tally, clock string) float64 {
	places := map[place]int{}
	for _, p := range t.programs {
		for at, n := range p.places {
			places[at] += n
		}
	}
	of, _ := e.costOf(places, func(other string) bool { return other == clock })
	return cmp.Or(of.median, e.costs[clock].median)
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
	s.ReadNS, s.SyscallNS = e.costOfAll(t, fineID), e.costOfAll(t, syscallID)
	// Where the kernel emulates the counter, as for faulty timers of arm64, reading it is no read in user mode, and costs
	// about as much as a system call. In user mode it costs a tenth (AMD EPYC).
	if userMode := e.costs[clock.UserModeID].median; e.enters() && (s.SyscallNS == 0 || userMode < s.SyscallNS/2) {
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
