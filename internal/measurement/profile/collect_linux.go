package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/perfevent"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/internal/system/procfile"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// drainEvery is how often the rings are read. A ring holds the samples of a second and more.
const drainEvery = 50 * time.Millisecond

// childrenLater is how long a profile goes on after no process was alive. A process may have started another before it
// ended; the record of that start is counted in the next turn, or in the second if it came shortly before.
const childrenLater = 3 * drainEvery / 2

// settle is the max time from an event until its record is in the ring. Earlier records of other CPUs are counted
// before it.
const settle = 10 * time.Millisecond

// A collector reads the records of events, and counts them in the order of their times.
type collector struct {
	events  *perfevent.Events
	tally   *tally
	waiting []perfevent.Record
	// namesAt is when names are looked up again. The lookups take a tenth of the time.
	namesAt time.Time
}

// drain reads the rings and counts the records up to a time of CLOCK_MONOTONIC.
func (c *collector) drain(untilNS uint64) error {
	if err := c.events.Read(func(r *perfevent.Record) { c.waiting = append(c.waiting, *r) }); err != nil {
		return err
	}
	c.count(untilNS)
	if began := time.Now(); began.After(c.namesAt) {
		c.tally.lookUpNames()
		c.namesAt = time.Now().Add(9 * time.Since(began))
	}
	c.tally.bound()
	return nil
}

// count counts the waiting records up to a time, in the order of their times: each CPU has a ring of its own.
func (c *collector) count(untilNS uint64) {
	slices.SortStableFunc(c.waiting, func(a, b perfevent.Record) int { return cmp.Compare(a.TimeNS, b.TimeNS) })
	due := 0
	for due < len(c.waiting) && c.waiting[due].TimeNS <= untilNS {
		c.tally.add(&c.waiting[due])
		due++
	}
	c.waiting = slices.Delete(c.waiting, 0, due)
}

// run samples until the time since the beginning of the tally is over, or ctx ends. It returns how long it sampled. It
// calls each whenever the rings were read.
func (c *collector) run(ctx context.Context, span time.Duration,
	each func(elapsed time.Duration, over bool)) (time.Duration, error) {
	from := c.tally.from
	ticker := time.NewTicker(drainEvery)
	defer ticker.Stop()
	end := time.NewTimer(span)
	defer end.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-end.C:
			over = true
		case <-ticker.C:
		}
		now := monotonicNS()
		if over {
			c.tally.until = now
		}
		each(time.Duration(now-from), over) //nolint:gosec // below 292 years
		if err := c.drain(now - uint64(settle)); err != nil {
			return 0, err
		}
	}
	time.Sleep(2 * settle) // the kernel reports lost samples with the next record
	if err := c.events.Stop(); err != nil {
		return 0, err
	}
	if err := c.drain(^uint64(0)); err != nil {
		return 0, err
	}
	c.tally.lookUpNames()
	c.tally.lookUpCompiled()
	return time.Duration(c.tally.until - from), nil //nolint:gosec // below 292 years
}

// monotonicNS returns CLOCK_MONOTONIC as the records have it: without the offset of a time namespace.
func monotonicNS() uint64 {
	return uint64(observe.CallNS(unix.CLOCK_MONOTONIC) - namespaceOffset()) //nolint:gosec // not negative
}

// namespaceOffset returns the offset that the time namespace of this process adds to CLOCK_MONOTONIC, in ns; 0 without
// a namespace (Linux 5.6, time_namespaces(7)).
var namespaceOffset = sync.OnceValue(func() int64 {
	var seconds, ns int64
	_, _ = fmt.Sscan(procfile.Field("/proc/self/timens_offsets", "monotonic"), &seconds, &ns)
	return seconds*1e9 + ns
})

// An opened is the events of a profile, and the reasons why it does not see everything.
type opened struct {
	events     *perfevent.Events
	rateHz     int
	scope      string
	seesKernel bool
	// byThread is whether the threads are sampled one by one, and not the CPUs.
	byThread bool
	unseen   []string
	// kernelUnseen is why reads in the kernel are not seen; empty if they are seen.
	kernelUnseen string
	// pids are the processes to count; nil for all.
	pids []int
	// early are the records that came while the events were opened.
	early []perfevent.Record
}

// open opens the events for the processes, or for all. The events of all CPUs see each process from its beginning to
// its end, but need the right to do so. Without it, the threads of the processes are sampled one by one.
func open(s Settings, cpus []int) (opened, error) {
	o := opened{scope: Machine, rateHz: cmp.Or(s.RateHz, DefaultRate), seesKernel: true, pids: s.PIDs}
	if s.Command != nil {
		o.scope = Command
	}
	if s.PIDs != nil {
		if o.scope = Processes; !slices.ContainsFunc(s.PIDs, process.Lives) {
			return o, errEndedBefore
		}
	}
	o.events = perfevent.New(perfevent.Options{RateHz: o.rateHz})
	refused := o.openCPUs(cpus)
	switch {
	case refused == nil:
		if s.PIDs != nil { // the processes that are started from now on have a record
			o.pids = withChildren(s.PIDs)
		}
		return o, nil
	case !forbidden(refused):
		return o, explained(refused)
	case s.Beside != nil:
		return o, errors.New("that needs root (use sudo) or CAP_PERFMON")
	}
	if s.PIDs == nil && s.Command == nil {
		o.scope, o.pids = Processes, ownProcesses()
		o.unseen = append(o.unseen, othersUnseen+needed(0))
	}
	o.byThread = true
	// A user who may not sample the kernel may sample user mode.
	for _, userMode := range []bool{false, true} {
		o.events, o.seesKernel = perfevent.New(perfevent.Options{RateHz: o.rateHz, Inherit: true,
			ExcludeKernel: userMode, OnExec: s.Command != nil}), !userMode
		var unseen []string
		var err error
		if s.Command != nil { // the command inherits the events of the thread that starts it
			program.OnStarter(func() { err = o.openThread(unix.Gettid(), cpus) })
		} else {
			unseen, err = o.openThreads(cpus, s.PIDs)
		}
		if err == nil {
			o.unseen = append(o.unseen, unseen...)
			if userMode {
				o.kernelUnseen = "what a read does in the kernel: " + needed(1)
			}
			return o, nil
		}
		refused = errors.Join(err, o.events.Close())
		if !forbidden(err) {
			break
		}
	}
	return o, explained(refused)
}

func (o *opened) openCPUs(cpus []int) error {
	err := o.openThread(perfevent.AllThreads, cpus)
	switch n := o.events.Len(); {
	case err != nil:
	case n == 0:
		err = errors.New("no CPU can be sampled")
	case !leavesFiles(n, openFiles()): // the programs would have no names
		err = errors.New(descriptorsNeeded(n + spareFiles))
	default:
		return nil
	}
	return errors.Join(err, o.events.Close())
}

var errEndedBefore = errors.New("the process ended before it could be sampled")

// spareFiles is the number of files that the rest of a profile opens at once, and some more.
const spareFiles = 32

// leavesFiles returns whether a number of events leaves enough of the files that may be open.
func leavesFiles(events, limit int) bool { return events+spareFiles <= limit }

// openThreads opens events for each thread of the processes on each CPU; new threads inherit them. named are the
// processes that the user named. Each of them must be allowed. Processes that they started before are sampled too.
// Without named processes, the processes of o are sampled. It returns what cannot be sampled.
func (o *opened) openThreads(cpus, named []int) (unseen []string, err error) {
	sampled := map[int]bool{}
	var refused error
	protected := map[int]bool{} // processes that may not be sampled
	// A thread that starts another while its events are opened is seen in the next turn.
	for range 3 {
		// Threads in these records inherited their events.
		if err := o.events.Read(func(r *perfevent.Record) {
			if r.Kind == perfevent.Fork {
				sampled[r.TID] = true
			}
			if r.Kind != perfevent.Sample {
				o.early = append(o.early, *r)
			}
		}); err != nil {
			return nil, err
		}
		if named != nil {
			o.pids = withChildren(named)
		}
		for _, pid := range o.pids {
			for _, tid := range process.Threads(pid) {
				if sampled[tid] {
					continue
				}
				if !leavesFiles(o.events.Len()+len(cpus), openFiles()) {
					return []string{fmt.Sprintf("all but %s: %s", words.Plural(len(sampled), "thread"),
						descriptorsNeeded(o.threadsInAll()*len(cpus)))}, nil
				}
				sampled[tid] = true
				switch err := o.openThread(tid, cpus); {
				case err == nil || errors.Is(err, unix.ESRCH):
				case forbidden(err) && !slices.Contains(named, pid):
					refused = err
					protected[pid] = true
				default:
					return nil, fmt.Errorf("process %d, which %s: %w", pid, protection(pid), err)
				}
			}
		}
	}
	switch {
	case o.events.Len() == 0 && refused != nil:
		return nil, refused
	case o.events.Len() == 0:
		return nil, o.whyNone()
	case len(protected) > 0 && named != nil:
		unseen = append(unseen, words.Plural(len(protected), "process")+
			" that they started, of another user or not dumpable: "+needed(0))
	case len(protected) > 0:
		unseen = append(unseen, words.Plural(len(protected), "process")+
			" of this user that the system protects (not dumpable, or with other rights)")
	}
	return unseen, nil
}

// whyNone returns why there are no threads to sample.
func (o *opened) whyNone() error {
	if len(o.pids) == 0 {
		return fmt.Errorf("this user has no process but timebench; start the program first, or write it after --; the processes of other users: %s", needed(0))
	}
	for _, pid := range o.pids {
		if _, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("the threads of process %d cannot be listed: %w", pid, err)
		}
	}
	return errEndedBefore
}

func (o *opened) threadsInAll() int {
	n := 0
	for _, pid := range o.pids {
		n += len(process.Threads(pid))
	}
	return n
}

func (o *opened) openThread(tid int, cpus []int) error {
	for _, cpu := range cpus {
		if err := o.events.Open(tid, cpu); err != nil && !errors.Is(err, unix.ENODEV) {
			return err
		}
	}
	return nil
}

func forbidden(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }
