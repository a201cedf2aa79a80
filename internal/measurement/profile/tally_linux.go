package profile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/instrument/symbols"
)

// maxStacks is the max number of different callers that a tally keeps for a program. The samples of other callers are
// counted together.
const maxStacks = 400

// maxThreads is the max number of threads that a tally keeps for a program. Of more, it keeps the half with most reads.
// A forgotten thread that runs again is counted anew.
const maxThreads = 10_000

// callerFrames is the number of functions of a caller that are looked up. The functions of an interpreter come before
// the functions of its program.
const callerFrames = 8

// A stack is the innermost return addresses of a caller; 0 if there are fewer.
type stack [callerFrames]uint64

// An addressRange is a range of addresses: from start on, before end.
type addressRange struct{ start, end uint64 }

func (r addressRange) has(address uint64) bool { return r.start <= address && address < r.end }

// vsyscall is the page through which old programs read clocks; see vsyscall(2) in vdso(7). It is at the same address in
// every process of x86-64; user memory of other architectures never has it.
var vsyscall = addressRange{0xffffffffff600000, 0xffffffffff601000}

// A count is the number of samples of a thread.
type count struct {
	samples, reads int
	name           string // looked up soon after its first read
	named          bool
}

// A target is a program in one process: execve(2) begins another.
type target struct {
	pid     int
	summed  int // the number of processes, if several are summed; otherwise 0
	parent  int // 0 if it is unknown
	command string
	cgroup  string
	// unmapped is whether execve(2) has mapped no file yet.
	unmapped bool
	// ended is whether the process runs another program now, or its first thread ended and no other thread was sampled
	// since.
	ended bool
	// reason is why the vDSO of the process is unknown.
	reason string
	// preloaded are the libraries that stand in for the clock. They are looked up at the first read.
	preloaded []string
	sought    bool
	// known is whether vdso is known. vdso is empty for a process without a vDSO.
	known bool
	vdso  addressRange

	samples     int
	user        int // in the vDSO, in user mode
	hidden      int // in the kernel, if it is not known whether in a read
	otherStacks int
	counts
	callers map[string]int // samples of reads of summed programs, by caller
	readers []Thread       // the threads of summed programs that read most
	// used is the CPU time, if the kernel is not sampled. unaccounted is whether the CPU time of a process is unknown.
	used        usage
	unaccounted bool
}

// The counts of a program are made with its first sample: a build starts thousands of programs without a sample.
type counts struct {
	// clocks are the samples that are certainly in reads, by clock; the clock is empty if its cost is not measured.
	clocks map[string]int
	// sites are the instructions from which the program entered the kernel.
	sites    map[place]*site
	threads  map[int]*count
	stacks   map[stack]int // samples of reads by caller
	names    map[uint64]symbols.Frame
	nameless []uint64 // addresses of stacks whose names were not looked up yet
}

func newCounts() counts {
	return counts{
		clocks: map[string]int{}, sites: map[place]*site{}, threads: map[int]*count{},
		stacks: map[stack]int{}, names: map[uint64]symbols.Frame{},
	}
}

// A look is the facts about a running process.
type look struct {
	command, cgroup string
	vdso            addressRange // empty without a vDSO
	reason          string       // why vdso is unknown
}

type inspector interface {
	// look returns the facts of a process. command and cgroup are empty if they are unknown.
	look(pid int) look
	// names returns the functions and modules at addresses of a process; nil if it has ended.
	names(pid int, addresses []uint64) []symbols.Frame
	// compiled returns the names that a just-in-time compiler gave to functions of a process, which may have ended; nil
	// without a list.
	compiled(pid int, addresses []uint64) []string
	// preloaded returns the preloaded libraries of a process that stand in for the clock.
	preloaded(pid int) []string
	// thread returns the name of a thread; empty if it is unknown.
	thread(pid, tid int) string
}

// A tally counts samples by program.
type tally struct {
	inspect inspector
	kernel  kernel
	// hidden is whether the functions of the kernel are unknown, and enters whether the vDSO enters the kernel to read
	// the fine clocks.
	hidden, enters bool
	// vdso returns the name of the function at an address of the vDSO that starts at start: [vdso.NameAt].
	vdso func(start, address uint64) string
	// named are the processes that the user named.
	named []int
	// left is this process if it measures at the same time: it is not counted, and no names are looked up. 0 otherwise.
	left int
	// wanted are the processes to count; nil for all.
	wanted map[int]bool
	// gone are the wanted processes that ended, and started is whether another was started since the last check.
	gone    map[int]bool
	started bool
	// starting is the process that becomes the command with its first execve(2), and is timebench
	// before; 0 without a command.
	starting int
	// from and until are the time of the profile: samples outside are not counted.
	from, until uint64

	living   map[int]*target
	programs []*target
	leaving  int // the number of programs that ended without a sample and are still known
	crowd    int // the number of programs from which they are summed again
	// foreign is the number of samples of processes in other PID namespaces.
	foreign   int
	lost      int
	throttled int
}

func newTally(inspect inspector, kernel kernel, vdso func(start, address uint64) string, pids []int) *tally {
	t := &tally{inspect: inspect, kernel: kernel, vdso: vdso, gone: map[int]bool{}, living: map[int]*target{},
		until: ^uint64(0)}
	if pids != nil {
		t.wanted = map[int]bool{}
		for _, pid := range pids {
			t.wanted[pid] = true
		}
	}
	return t
}

// add counts a record. Records come in the order of their times.
func (t *tally) add(r *perfevent.Record) {
	if r.PID <= 0 && r.Kind != perfevent.Lost && r.Kind != perfevent.LostSamples && r.Kind != perfevent.Throttle {
		// The PID of a process in another PID namespace is 0, and of a thread that is about to end -1. Neither
		// identifies the process.
		if r.Kind == perfevent.Sample && r.PID == 0 && t.wanted == nil && r.TimeNS >= t.from && r.TimeNS < t.until {
			t.foreign++
		}
		return
	}
	switch r.Kind {
	case perfevent.Lost, perfevent.LostSamples:
		if r.TimeNS >= t.from {
			t.lost += int(r.Lost) //nolint:gosec // far below the limit
		}
	case perfevent.Throttle:
		t.throttled++
	case perfevent.Fork:
		t.fork(r)
	case perfevent.Exit:
		t.exit(r)
	case perfevent.Comm:
		t.rename(r)
	case perfevent.Map:
		p, file := t.living[r.PID], path.Base(r.Name)
		if p == nil {
			return
		}
		if r.Name == "[vdso]" {
			p.known, p.reason, p.vdso = true, "", addressRange{r.Start, r.Start + r.Length}
		}
		// execve(2) maps the program itself first.
		if p.unmapped && len(p.command) == kernelName && strings.HasPrefix(file, p.command) {
			p.command = bounded(file)
		}
		p.unmapped = false
	case perfevent.Sample:
		if r.TimeNS >= t.from && r.TimeNS < t.until && r.PID != t.left && (t.wanted == nil || t.wanted[r.PID]) {
			t.sample(r)
		}
	}
}

// kernelName is the max length of the kernel's name of a program in bytes: TASK_COMM_LEN without its end.
const kernelName = 15

// fork notes a new process, which runs the same program as its parent.
func (t *tally) fork(r *perfevent.Record) {
	if r.PID == r.ParentPID {
		return // a thread
	}
	if t.wanted != nil && r.PID != t.starting {
		delete(t.wanted, r.PID) // of another process before
		delete(t.gone, r.PID)
		if t.wanted[r.ParentPID] {
			t.wanted[r.PID], t.started = true, true
		}
	}
	child := t.begin(r.PID)
	child.parent = r.ParentPID
	if parent := t.living[r.ParentPID]; parent != nil {
		child.command, child.cgroup, child.known, child.vdso, child.reason = parent.command, parent.cgroup, parent.known, parent.vdso, parent.reason
	}
}

// exit notes the end of the first thread of a process, which may be the end of the process.
func (t *tally) exit(r *perfevent.Record) {
	p := t.living[r.PID]
	if p == nil {
		return
	}
	if r.PID != r.TID {
		if thread := p.threads[r.TID]; thread != nil && thread.reads == 0 {
			delete(p.threads, r.TID)
		}
		return
	}
	if p.samples == 0 {
		if t.leaving++; t.leaving > mostLeaving {
			maps.DeleteFunc(t.living, func(_ int, p *target) bool { return p.ended && p.samples == 0 })
			t.leaving = 1
		}
	}
	p.ended = true
}

// mostLeaving is the number of processes that ended without a sample and are still known. The kernel may sample the
// rest of their end, and beside other programs that comes late.
const mostLeaving = 2000

// rename notes that a process runs another program after execve(2), and the name of a program.
func (t *tally) rename(r *perfevent.Record) {
	p := t.living[r.PID]
	if r.Exec {
		before := p
		if r.PID == t.starting {
			t.starting = 0
			t.programs = slices.DeleteFunc(t.programs, func(other *target) bool { return other == before })
		}
		p = t.begin(r.PID)
		// A process without a vDSO maps none. If it has one, its Map record comes next.
		p.known, p.unmapped = true, true
		if before != nil {
			p.parent, p.cgroup = before.parent, before.cgroup
			before.ended = true
		}
	}
	// Programs name their threads, also the first. That is not the name of the program.
	if p != nil && r.TID == r.PID && (r.Exec || p.command == "") {
		p.command = r.Name
	}
}

// begin returns a new program of a process.
func (t *tally) begin(pid int) *target {
	p := &target{pid: pid}
	t.living[pid] = p
	return p
}

// of returns the program of a process.
func (t *tally) of(pid int) *target {
	p := t.living[pid]
	if p == nil {
		p = t.begin(pid)
	}
	if p.samples == 0 {
		t.programs = append(t.programs, p)
		t.complete(p)
	}
	p.ended = false // a thread outlives the first one of its process
	if p.threads == nil {
		p.counts = newCounts()
	}
	return p
}

// complete looks up the facts about a program that the records did not have.
func (t *tally) complete(p *target) {
	if p.known && p.command != "" && p.cgroup != "" {
		return
	}
	found := t.inspect.look(p.pid)
	if found.reason != "" && p.parent != 0 { // it ended; it ran the program of its parent
		found = t.inspect.look(p.parent)
	}
	p.command, p.cgroup = cmp.Or(p.command, found.command), cmp.Or(p.cgroup, found.cgroup)
	if p.cgroup == "" && p.parent != 0 { // a process that is about to end has no cgroup
		p.cgroup = t.inspect.look(p.parent).cgroup
	}
	if !p.known {
		p.known, p.vdso, p.reason = found.reason == "", found.vdso, found.reason
	}
}

func (t *tally) sample(r *perfevent.Record) {
	p := t.of(r.PID)
	p.samples++
	thread := p.thread(r.TID)
	thread.samples++
	if len(r.User) == 0 {
		return // the kernel, for itself
	}
	within := 0 // innermost addresses in the vDSO
	for within < len(r.User) && p.vdso.has(r.User[within]) {
		within++
	}
	reads, at, call := false, place{address: r.User[0]}, t.kernel.call(r.Kernel)
	if t.hidden && len(r.Kernel) > 0 && !vsyscall.has(r.User[0]) {
		if within == 0 || !t.enters {
			p.hidden++
			return
		}
		call.kind = clockCall // the vDSO enters the kernel only to read a clock
	}
	switch {
	case within > 0:
		// The outermost address is in the function that was called.
		clock, known := functionOf(t.vdso(p.vdso.start, r.User[within-1]))
		switch {
		case !known:
			return
		case len(r.Kernel) > 0:
			reads = p.enter(place{true, r.User[0] - p.vdso.start}, kernelCall{call.kind, clock})
		default:
			p.user++
			p.clocks[clock]++
			reads = true
		}
	case vsyscall.has(r.User[0]): // the kernel emulates it, at another cost
		reads = p.enter(at, kernelCall{kind: clockCall})
	case len(r.Kernel) > 0:
		reads = p.enter(at, call)
	default:
		if site, ok := p.near(r.User[0]); ok {
			reads = p.sites[site].addUnknown()
			r.User[0] = site.address // a return address, as in the other samples of the site
		}
	}
	if reads {
		thread.reads++
		p.addStack(r.User[within:])
	}
}

func (p *target) thread(tid int) *count {
	if p.threads[tid] == nil && len(p.threads) >= maxThreads {
		tids := slices.SortedFunc(maps.Keys(p.threads), func(a, b int) int {
			return cmp.Or(p.threads[a].reads-p.threads[b].reads, p.threads[a].samples-p.threads[b].samples, a-b)
		})
		for _, fewest := range tids[:maxThreads/2] {
			delete(p.threads, fewest)
		}
	}
	return entry(p.threads, tid)
}

// addStack counts a sample of a read for its caller.
func (p *target) addStack(addresses []uint64) {
	var s stack
	copy(s[:], addresses)
	if p.stacks[s] == 0 {
		if len(p.stacks) >= maxStacks {
			p.otherStacks++
			return
		}
		for _, address := range s {
			if _, known := p.names[address]; !known && address != 0 {
				p.names[address] = symbols.Frame{}
				p.nameless = append(p.nameless, address)
			}
		}
	}
	p.stacks[s]++
}

// lookUpNames looks up the names of new callers and of threads that read clocks, while their processes live.
func (t *tally) lookUpNames() {
	if t.left != 0 {
		return
	}
	for _, p := range t.programs {
		if t.living[p.pid] != p {
			continue
		}
		for tid, thread := range p.threads {
			if thread.reads > 0 && !thread.named {
				thread.named, thread.name = true, t.inspect.thread(p.pid, tid)
			}
		}
		if len(p.nameless) == 0 {
			continue
		}
		if !p.sought {
			p.sought, p.preloaded = true, t.inspect.preloaded(p.pid)
		}
		for i, frame := range t.inspect.names(p.pid, p.nameless) {
			p.names[p.nameless[i]] = frame
		}
		p.nameless = p.nameless[:0]
	}
}

// lookUpCompiled looks up functions of just-in-time compilers, at the end of the profile, when their lists are
// complete.
func (t *tally) lookUpCompiled() {
	for _, p := range t.programs {
		var nameless []uint64
		for address, frame := range p.names {
			if frame.Function == "" {
				nameless = append(nameless, address)
			}
		}
		if len(nameless) == 0 || t.living[p.pid] != p {
			continue
		}
		for i, name := range t.inspect.compiled(p.pid, nameless) {
			if name != "" {
				p.names[nameless[i]] = symbols.Frame{Function: name, Module: symbols.JIT}
			}
		}
	}
}
