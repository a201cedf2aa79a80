package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/preload"
	"github.com/timebench/timebench/internal/instrument/symbols"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// Run opens the events of the processes of the settings, or of all, samples them, and estimates the time in reads by
// the cost of a read. It ends early when ctx ends; the profile is then of the time until then. An
// error says what the system does not allow, and how to allow it.
func Run(ctx context.Context, s Settings, measure Measure, progress func(done, total time.Duration)) (Profile, error) {
	profile := Profile{ListsThreads: s.Threads, KernelEntry: result.Unknown, Processes: []Process{}}
	clocks, err := measure(ctx)
	if err != nil {
		return profile, err
	}
	for _, c := range clocks {
		if c.ID == FineID && c.KernelEntry != "" {
			profile.KernelEntry = c.KernelEntry
		}
	}
	cpus := onlineCPUs()
	profile.CPUs = len(cpus)
	functions, hidden := kernelFunctions()
	o, err := open(s, cpus)
	if err != nil {
		return profile, err
	}
	from := monotonicNS()
	var started *program.Child
	if len(s.Command) > 0 {
		if started, err = start(s.Command, s.Output); err != nil {
			return profile, errors.Join(err, o.events.Close())
		}
		s.PIDs, s.Time, profile.Started = []int{started.PID()}, math.MaxInt64, bounded(path.Base(s.Command[0]))
		o.pids = s.PIDs
	}
	if hidden != nil && o.seesKernel {
		o.kernelUnseen = "which system calls read clocks: " + hidden.Error()
	}
	profile.Scope, profile.RateHz, profile.SeesKernel = o.scope, o.rateHz, o.seesKernel

	inspector := newInspector()
	tally := newTally(inspector, functions, vdso.NameAt, o.pids)
	tally.named, tally.from = s.PIDs, from
	if started != nil {
		tally.starting = started.PID()
	}
	tally.hidden, tally.enters = hidden != nil, profile.KernelEntry == result.Always
	if s.Beside != nil {
		tally.left = os.Getpid()
	}
	elapsed, err := o.sample(ctx, s, started, tally, progress)
	state, status := end(started)
	profile.StartedStatus = status
	if err := errors.Join(err, o.events.Close()); err != nil {
		return profile, err
	}
	profile.DurationNS = max(int64(elapsed), 1)
	if err := inspector.reader.Exhausted(); err != nil {
		profile.Unnamed = err.Error()
	}
	profile.Unseen = slices.Concat(o.unseen, o.missed(state, tally))
	if o.kernelUnseen != "" {
		profile.Unseen = append(profile.Unseen, o.kernelUnseen)
	}

	if s.Beside != nil {
		if clocks, err = measure(ctx); err != nil {
			return profile, err
		}
	}
	estimate{profile: &profile, costs: costsOf(clocks)}.fill(tally)
	return profile, nil
}

// missed returns what the profile did not see, according to its samples. command is how the command ended; nil without
// a command.
func (o opened) missed(command *os.ProcessState, t *tally) (unseen []string) {
	const enough = 50 * time.Millisecond // for a sample
	if command != nil && o.byThread && len(t.programs) == 0 {
		if used := command.UserTime() + command.SystemTime(); used > enough {
			unseen = append(unseen, fmt.Sprintf("the command, which took %s of CPU time: the kernel ends the sampling of a program that gains rights (set-user-ID), and does not sample processes that take less than a millisecond; that needs root", words.Duration(float64(used))))
		}
	}
	if t.foreign > 0 {
		unseen = append(unseen, words.Plural(t.foreign, "sample")+
			" of processes that are not in this PID namespace; run timebench on the host")
	}
	if t.throttled > 0 {
		unseen = append(unseen, fmt.Sprintf("some time: the kernel interrupted the sampling %d times; choose a lower --rate", t.throttled))
	}
	return unseen
}

// usageTurns is how many times the rings are read for each reading of the CPU times.
const usageTurns = 10

// sample counts the samples of the time of the profile, or until the command or all processes have ended. It returns
// the time that it sampled.
func (o opened) sample(ctx context.Context, s Settings, started *program.Child, t *tally,
	progress func(done, total time.Duration)) (time.Duration, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stopAt := func(over <-chan struct{}) {
		select {
		case <-over:
		case <-ctx.Done():
		}
		stop()
	}
	go stopAt(s.Beside)
	c := &collector{events: o.events, tally: t, waiting: o.early}
	if started != nil {
		go stopAt(started.Ended())
	}
	var used usages
	if !o.seesKernel {
		used = newUsages(o.pids)
	}
	turns, follows := 0, started == nil && s.PIDs != nil
	var ended time.Duration // since when no process is alive; 0 while one is
	elapsed, err := c.run(ctx, s.Time, func(elapsed time.Duration, last bool) {
		switch {
		case !follows || last:
		case t.anyLives():
			ended = 0
		case ended == 0:
			ended = elapsed
		case elapsed-ended > childrenLater:
			stop()
		}
		if turns++; !o.seesKernel && (last || turns%usageTurns == 0) {
			for _, p := range t.programs {
				if !p.ended { // the last figure of a process that ended remains
					used.read(p)
				}
			}
		}
		progress(min(elapsed, s.Time), s.Time)
	})
	return cmp.Or(ended, elapsed), err
}

// onlineCPUs returns the CPUs that run programs; without sysfs, as in a sandbox, those that this process may use.
func onlineCPUs() []int {
	text, err := procfile.Read("/sys/devices/system/cpu/online")
	if err == nil {
		if cpus, err := thread.ParseCPUs(strings.TrimSpace(string(text))); err == nil {
			return cpus
		}
	}
	return thread.Usable()
}

// kernelFunctions returns the functions of the system calls, from /proc/kallsyms.
func kernelFunctions() (kernel, error) {
	file, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	found, err := symbols.ParseKallsyms(file, func(name string) bool {
		_, ok := callOf(name)
		return ok
	})
	if err != nil {
		return nil, err
	}
	var functions kernel
	for _, symbol := range found {
		of, _ := callOf(symbol.Name)
		functions = append(functions, kernelFunction{addressRange{symbol.Start, symbol.End}, of})
	}
	return functions, nil
}

// A live inspector looks at processes through /proc.
type live struct {
	lookAt    func(pid int) look
	until     time.Time // see inTime
	reader    symbols.Reader
	processes map[int]*symbols.Process
}

func newInspector() *live { return &live{lookAt: lookAt, processes: map[int]*symbols.Process{}} }

func (l *live) look(pid int) look {
	lookAt := l.lookAt // a late one goes on
	found, inTime := inTime(&l.until, func() look { return lookAt(pid) })
	if !inTime {
		found.command, found.reason = threadName(pid, pid), "the files of processes in /proc take too long to read"
	}
	return found
}

func lookAt(pid int) look {
	folder := process.Folder(pid)
	found := look{command: commandOf(pid), cgroup: cgroupOf(folder)}
	maps, err := symbols.MappingsIn(folder)
	if err == nil && len(maps) == 0 && !process.Lives(pid) {
		err = unix.ESRCH
	}
	if err != nil {
		found.reason = "its memory map could not be read: " + reasonOf(err)
		return found
	}
	for _, m := range maps {
		if m.Path == "[vdso]" {
			found.vdso = addressRange{m.Start, m.End}
		}
	}
	return found
}

// reasonOf returns why a file of a process could not be read.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.ENOENT):
		return "it had ended"
	case forbidden(err):
		return "that needs CAP_SYS_PTRACE, or the same user"
	default:
		return err.Error()
	}
}

// process returns the symbols of a process, also if it has ended since the last call; nil if it cannot be read.
func (l *live) process(pid int) *symbols.Process {
	if p, err := l.reader.Process(pid); err == nil {
		l.processes[pid] = p
	}
	return l.processes[pid]
}

func (l *live) preloaded(pid int) []string {
	if p := l.process(pid); p != nil {
		return preload.Into(p)
	}
	return nil
}

func (l *live) names(pid int, addresses []uint64) []symbols.Frame {
	p := l.process(pid)
	if p == nil {
		return nil
	}
	frames, _ := p.Names(called(addresses)) // an error is that it has ended
	return frames
}

func (l *live) compiled(pid int, addresses []uint64) []string {
	p := l.process(pid)
	if p == nil {
		return nil
	}
	names, _ := p.CompiledNames(called(addresses)) // an error is that there is no list
	return names
}

// called returns the addresses of the calls that return to addresses. The next instruction may be of the next function.
func called(addresses []uint64) []uint64 {
	calls := slices.Clone(addresses)
	for i := range calls {
		calls[i]--
	}
	return calls
}

func (l *live) thread(pid, tid int) string { return threadName(pid, tid) }

// Check reports why the processes of the settings cannot be sampled; nil if they can. It takes a
// moment, and Run reports the same.
func Check(s Settings) error {
	if _, err := process.Self(); err != nil {
		return err
	}
	o, err := open(s, onlineCPUs())
	if err != nil {
		return err
	}
	return o.events.Close()
}
