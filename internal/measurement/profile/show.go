package profile

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The max numbers of rows of the tables for people. The CSV and the document have all.
const (
	mostShown   = 25
	mostCallers = 12
	mostReasons = 10 // processes with the same reason
)

// number returns the PID of the process, or the number of processes of a sum.
func (p *Process) number() string {
	if p.ProcessCount > 1 {
		return "×" + words.Thousands(int64(p.ProcessCount))
	}
	return strconv.Itoa(p.PID)
}

// label returns the name of the program with its PID, or with the number of its processes.
func (p *Process) label() string {
	if p.ProcessCount > 1 {
		return fmt.Sprintf("%s (%s processes)", p.Command, words.Thousands(int64(p.ProcessCount)))
	}
	return fmt.Sprintf("%s (pid %d)", p.Command, p.PID)
}

// Fact returns how the profile was taken.
func (s *Profile) Fact(*result.Document) table.Fact {
	text := fmt.Sprintf("%s at %d samples a second of CPU time", words.Duration(float64(s.DurationNS)), s.RateHz)
	text += "; " + words.Plural(s.Samples, "sample")
	if s.LostSamples > 0 {
		text += fmt.Sprintf(", %s lost", words.Thousands(int64(s.LostSamples)))
	}
	switch {
	case s.Started != "":
		text += ", of the command " + s.Started
	case s.Scope == Machine:
		text += ", of the whole machine"
	default:
		text += ", of some processes"
	}
	return table.Fact{Name: "Profiled", Value: text}
}

// leastShown is the min CPU time of possible reads, in CPUs, from which a process without a sampled read is shown.
const leastShown = 0.01

// unknownCPUs returns the CPU time that a process may spend on reads, in CPUs, if there is no figure.
func (p *Process) unknownCPUs() float64 {
	if p.ClockShare != nil {
		return 0
	}
	return p.ClockShareHigh * p.CPUsUsed
}

// readers returns the processes that read clocks, or may do so.
func (s *Profile) readers() []Process {
	var some []Process
	for _, p := range s.Processes {
		if p.ClockCPUs > 0 || p.unknownCPUs() >= leastShown {
			some = append(some, p)
		}
	}
	return some
}

// Block returns the processes that read clocks, and their callers.
func (s *Profile) Block(*result.Document) table.Block {
	all := s.readers()
	block := table.Block{Grids: []table.Grid{processGrid(s, all), threadGrid(s, all), callerGrid(s, all)},
		Notes: s.notes()}
	for _, unseen := range s.Unseen {
		block.Faults = append(block.Faults, "Not seen: "+unseen+".")
	}
	if s.StartedStatus != 0 {
		block.Faults = append(block.Faults, fmt.Sprintf("The command ended with exit status %d.", s.StartedStatus))
	}
	if s.ReadNS > 0 {
		block.Facts = table.Facts{Title: "Costs of a read here", Lines: costFacts(s)}
	}
	block.Verdict = s.verdict()
	return block
}

// notes returns a line for each reason why reads are unknown, and for each library that stands in for the clock, with
// the processes; of many, the first few.
func (s *Profile) notes() []string {
	var why words.Reasons
	number := map[string]int{}
	add := func(p Process, text string) {
		if number[text]++; number[text] <= mostReasons {
			why.Add(p.label(), text)
		}
	}
	for _, p := range s.Processes {
		add(p, p.Reason)
		for _, library := range p.Preloaded {
			add(p, library+" is preloaded and stands in for the clock: reads cost what it makes of them")
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(number)) {
		if rest := number[reason] - mostReasons; rest > 0 {
			why.Add(words.Thousands(int64(rest))+" more", reason)
		}
	}
	return why.Lines()
}

// othersUnseen begins the first reason of Unseen if only the processes of this user could be sampled.
const othersUnseen = "the processes of other users: "

// verdict returns the summary in one sentence.
func (s *Profile) verdict() string {
	unknown, may := 0.0, Process{}
	for _, p := range s.Processes {
		if unknown += p.unknownCPUs(); p.unknownCPUs() > may.unknownCPUs() {
			may = p
		}
	}
	switch {
	case s.Samples == 0 && len(s.Unseen) > 0 && strings.HasPrefix(s.Unseen[0], othersUnseen):
		return "You may not profile what ran: " + strings.TrimPrefix(s.Unseen[0], othersUnseen) + "."
	case s.Samples == 0:
		where := ""
		if !s.SeesKernel {
			where = " in user mode"
		}
		return fmt.Sprintf("No sample was taken in %s: the processes took little CPU time%s or none. A sample stands for %s.", words.Duration(float64(s.DurationNS)), where, words.Duration(1e9/float64(max(s.RateHz, 1))))
	case s.ClockCPUs == 0 && unknown >= leastShown:
		return fmt.Sprintf("No process was seen to read a clock in %s; %s may (%s %% of its time).",
			words.Plural(s.Samples, "sample"), may.Command, may.percent())
	case s.ClockCPUs == 0:
		return fmt.Sprintf("No process was seen to read a clock in %s.", words.Plural(s.Samples, "sample"))
	}
	of, least := fmt.Sprintf("%s of %s", cpus(s.ClockCPUs), words.Plural(s.CPUs, "CPU")), ""
	if len(s.Unseen) > 0 || unknown >= leastShown {
		least = "at least "
	}
	text := "Reading clocks takes " + least + of
	if most := s.most(); most != nil {
		// With few samples the interval is wide, and a single figure would mislead.
		percent := most.interval() + " %"
		if known := most.ClockShare; known != nil && most.ClockShareHigh-most.ClockShareLow <= *known/2 {
			percent = words.Percent(*known)
		} else if most.ClockShareHigh == 1 {
			percent = "At least " + share(most.ClockShareLow) + " %"
		}
		text = fmt.Sprintf("%s of the CPU time of %s is reading clocks; in all programs %s%s", percent, most.Command,
			least, of)
	}
	if s.ClockCPUsUserMode > 0 {
		text += "; with a clock source that the vDSO reads in user mode, such as tsc, the same reads would take " + cpus(s.ClockCPUsUserMode)
	}
	return text + "."
}

// most returns the program with most CPU time in reads; nil if no program has any.
func (s *Profile) most() *Process {
	var most *Process
	for i := range s.Processes {
		if p := &s.Processes[i]; p.ClockCPUs > 0 && (most == nil || p.ClockCPUs > most.ClockCPUs) {
			most = p
		}
	}
	return most
}

// cpus returns a number of CPUs with a few digits.
func cpus(n float64) string {
	switch {
	case n == 0:
		return "0"
	case n < 0.0005:
		return "< 0.001"
	case n < 10:
		return strconv.FormatFloat(n, 'f', 3, 64)
	default:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
}

func costFacts(s *Profile) []table.Fact {
	facts := []table.Fact{{Name: FineID, Value: words.NS(s.ReadNS) + " ns per read" + map[string]string{
		result.Always: ", it enters the kernel", result.Never: ", in user mode",
		result.Sometimes: ", it sometimes enters the kernel",
	}[s.KernelEntry]}}
	if s.SyscallNS > 0 {
		facts = append(facts, table.Fact{Name: syscallID, Value: words.NS(s.SyscallNS) + " ns per read"})
	}
	if s.UserModeNS > 0 {
		facts = append(facts, table.Fact{Name: "In user mode",
			Value: words.NS(s.UserModeNS) + " ns per read, by reading the CPU's counter as the vDSO would"})
	}
	return facts
}

// share returns a share of CPU time as a percentage.
func share(part float64) string {
	if part == 0 {
		return "0"
	}
	return strconv.FormatFloat(part*100, 'f', 1, 64)
}

// percent returns the share of CPU time in reads in %, or its range without a single figure.
func (p *Process) percent() string {
	if p.ClockShare == nil {
		return p.interval()
	}
	return share(*p.ClockShare)
}

func (p *Process) interval() string {
	return share(p.ClockShareLow) + " – " + share(p.ClockShareHigh)
}

// A line is a process, or one of its threads.
type line struct {
	*Process
	thread     *Thread
	seesKernel bool
}

// text and figure make columns of the process, which are empty for a thread.
var (
	text   = table.Within(line.process, "")
	figure = table.Within(line.process, table.Unknown)
)

func (l line) process() *Process {
	if l.thread != nil {
		return nil
	}
	return l.Process
}

// inKernel returns a share in the kernel for people; empty if it cannot be seen.
func inKernel(of func(*Process) float64) func(line) string {
	return func(l line) string {
		if part := of(l.Process); l.seesKernel || part != 0 {
			return share(part)
		}
		return ""
	}
}

var columns = []table.Column[line]{
	{
		Name: "Program", Key: "command", Left: true, Text: func(l line) string {
			if l.thread != nil {
				return l.thread.Name
			}
			return l.Command
		},
	},
	{Name: "in", Key: "cgroup", Left: true, Spare: 2, Text: text(func(p *Process) string { return p.Cgroup }),
		Cell: func(l line) string { return Unit(l.Cgroup) }},
	{Name: "pid", Key: "pid", Value: func(l line) float64 { return float64(l.PID) },
		Cell: func(l line) string { return l.number() }},
	{Key: "tid", Value: table.Within(func(l line) *Thread { return l.thread }, table.Unknown)(
		func(t *Thread) float64 { return float64(t.TID) })},
	{Key: "samples", Value: func(l line) float64 {
		if l.thread != nil {
			return float64(l.thread.Samples)
		}
		return float64(l.Samples)
	}},
	{Name: "CPUs", Key: "cpus_used", Unit: cpus, Value: figure(func(p *Process) float64 { return p.CPUsUsed })},
	{
		Name: "% in reads", Key: "clock_share", Cell: func(l line) string { return l.percent() },
		Value: func(l line) float64 {
			switch {
			case l.thread != nil:
				return l.thread.share()
			case l.ClockShare == nil:
				return table.Unknown
			}
			return *l.ClockShare
		},
	},
	{
		Name: "95% CI", Key: "clock_share_low", Spare: 1,
		Value: figure(func(p *Process) float64 { return p.ClockShareLow }),
		Cell: func(l line) string {
			if l.ClockShare == nil {
				return "" // the column before has it
			}
			return l.interval()
		},
	},
	{Key: "clock_share_high", Value: figure(func(p *Process) float64 { return p.ClockShareHigh })},
	{Key: "clock_cpus", Value: figure(func(p *Process) float64 { return p.ClockCPUs })},
	{Name: "user", Key: "user_share", Spare: 3, Unit: share, Note: "user: in the vDSO.",
		Value: figure(func(p *Process) float64 { return p.UserShare })},
	{
		Name: "kernel", Key: "kernel_share", Spare: 4, Value: figure(func(p *Process) float64 { return p.KernelShare }),
		Cell: inKernel(func(p *Process) float64 { return p.KernelShare }), Note: "kernel: called by the vDSO.",
	},
	{
		Name: "syscalls", Key: "syscall_share", Spare: 5,
		Value: figure(func(p *Process) float64 { return p.SyscallShare }),
		Cell:  inKernel(func(p *Process) float64 { return p.SyscallShare }),
		Note:  "syscalls: system calls of clocks that the program makes itself.",
	},
	{
		Name: "reads/s", Key: "reads_per_second",
		Value: figure(func(p *Process) float64 { return table.Known(p.ReadsPerSecond) }),
		Cell: func(l line) string {
			if l.ReadsPerSecond == 0 {
				return ""
			}
			return "≈ " + words.Rate(l.ReadsPerSecond)
		},
	},
	{Key: "reason", Text: text(func(p *Process) string { return p.Reason })},
	{Key: "process_count", Value: figure(func(p *Process) float64 { return float64(max(p.ProcessCount, 1)) })},
}

// processGrid returns the processes that read clocks.
func processGrid(s *Profile, all []Process) table.Grid {
	var shown []line
	for i := range all[:min(len(all), mostShown)] {
		shown = append(shown, line{&all[i], nil, s.SeesKernel})
	}
	g := table.Of("Programs that read clocks: CPU time in reads, in % of their CPU time", shown, columns)
	var notes []string
	if rest := len(all) - mostShown; rest > 0 {
		notes = append(notes, words.Plural(rest, "program")+" with less are in the CSV and the JSON document.")
	}
	if slices.ContainsFunc(all, func(p Process) bool { return p.ProcessCount > 1 }) {
		notes = append(notes, "×300 as pid: the sum of 300 processes with few samples each.")
	}
	if !s.SeesKernel && len(all) > 0 {
		notes = append(notes, "Kernel samples need root: the range counts all system time.")
	}
	g.Note = strings.Join(notes, " ")
	return g
}

// share returns the share of the samples of a thread that are in reads.
func (t *Thread) share() float64 { return float64(t.ClockSamples) / float64(max(t.Samples, 1)) }

// threadGrid returns the threads that read clocks, if they were requested.
func threadGrid(s *Profile, all []Process) table.Grid {
	if !s.ListsThreads {
		return table.Grid{}
	}
	var shown []line
	for i := range all[:min(len(all), mostShown)] {
		for k := range all[i].Threads {
			shown = append(shown, line{&all[i], &all[i].Threads[k], s.SeesKernel})
		}
	}
	used, part := "CPUs", "% in reads"
	if !s.SeesKernel {
		used, part = "CPUs in user mode", "% of that in reads"
	}
	return table.Of("Threads that read clocks most", shown, []table.Column[line]{
		{Name: "Program", Left: true, Text: func(l line) string { return l.Command }},
		{Name: "thread", Left: true, Text: func(l line) string { return l.thread.Name }},
		{Name: "tid", Spare: 1, Unit: words.Number, Value: func(l line) float64 { return float64(l.thread.TID) }},
		{Name: used, Cell: func(l line) string {
			if s.SeesKernel {
				return cpus(l.CPUsUsed * float64(l.thread.Samples) / float64(max(l.Samples, 1)))
			}
			// The system time of a process cannot be divided among its threads in proportion.
			return cpus(float64(l.thread.Samples) / float64(max(s.RateHz, 1)) / (float64(max(s.DurationNS, 1)) / 1e9))
		}},
		{Name: part, Cell: func(l line) string { return share(l.thread.share()) }},
	})
}

// A caller is a chain of functions that reads clocks, with its samples.
type caller struct {
	*Process
	name    string
	samples float64
}

// callerGrid returns the callers that read clocks.
func callerGrid(s *Profile, all []Process) table.Grid {
	var shown []caller
	for i := range all {
		p := &all[i]
		total := p.readSamples()
		show := func(name string, samples float64) bool {
			enough := len(shown) < mostCallers && p.ClockCPUs > 0 && samples >= leastCaller*total
			if enough {
				shown = append(shown, caller{p, name, samples})
			}
			return enough
		}
		unknown, others := total, float64(p.OtherCallerSamples)
		for i, c := range p.Callers {
			samples := float64(c.Samples)
			unknown -= samples
			var chain []string
			for _, function := range c.Functions {
				chain = append(chain, shortFunction(function))
			}
			if i >= 3 || !show(strings.Join(chain, " ← "), samples) {
				others += samples
			}
		}
		show("(others)", others)
		show("(not known)", unknown-float64(p.OtherCallerSamples))
	}
	g := table.Of("Callers in % of the reads, as far as frame pointers and symbols show them", shown,
		[]table.Column[caller]{
			{Name: "Program", Left: true, Text: func(c caller) string { return c.Command }},
			{Name: "called by", Left: true, Text: func(c caller) string { return c.name }},
			{Name: "pid", Cell: func(c caller) string { return c.number() }},
			{Name: "%", Cell: func(c caller) string { return share(c.samples / c.readSamples()) }},
		})
	if s.Unnamed != "" {
		g.Note = "Some functions have no name: " + s.Unnamed + "."
	}
	return g
}

// leastCaller is the min share of the reads of a program from which a caller is shown.
const leastCaller = 0.05

// readSamples returns the number of samples in reads of a process, of named callers and of others.
func (p *Process) readSamples() float64 {
	named := p.OtherCallerSamples
	for _, c := range p.Callers {
		named += c.Samples
	}
	return max(float64(named), (p.UserShare+p.KernelShare+p.SyscallShare)*float64(p.Samples), 1)
}

// Unit returns the container or the unit of a control group: its last part, without the additions of container engines.
func Unit(cgroup string) string {
	if cgroup == "" {
		return ""
	}
	name := path.Base(cgroup)
	for _, prefix := range []string{"docker-", "cri-containerd-", "crio-", "libpod-"} {
		if id, ok := strings.CutPrefix(strings.TrimSuffix(name, ".scope"), prefix); ok {
			name = id
		}
	}
	const shortID, longID = 12, 32
	if len(name) >= longID && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:shortID]
	}
	return name
}

// shortFunction returns a function without the path of its package, which is long in Go.
func shortFunction(name string) string {
	function, file, found := strings.Cut(name, " (")
	if !found {
		return name // … for the functions that are left out
	}
	if i := strings.LastIndexByte(function, '/'); i >= 0 && !strings.Contains(function, "::") {
		function = function[i+1:]
	}
	return strings.TrimSuffix(function, ".abi0") + " (" + file
}

// Lines returns a line for each process, and one for each thread that reads clocks.
func (s *Profile) Lines(*result.Document) [][]string {
	var all []line
	for i := range s.Processes {
		p := &s.Processes[i]
		all = append(all, line{p, nil, s.SeesKernel})
		for k := range p.Threads {
			all = append(all, line{p, &p.Threads[k], s.SeesKernel})
		}
	}
	return table.Lines(all, columns)
}
