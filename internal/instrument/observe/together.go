package observe

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Late is the max time that a thread may be without a CPU, before it starts and after it should have ended. A later
// thread is abandoned: a task of higher priority has its CPU, or the host has it.
const Late = 2 * time.Second

// A Member is one of several threads that work together. Only its own thread writes to it during the work.
type Member struct {
	Index  int // in the order of the CPUs
	CPU    int // the thread's CPU; thread.Any if it is not pinned
	Reader clock.Reader
	// Moved is whether the thread is no longer on its CPU, or never was.
	Moved bool
	// Err is why the clock cannot be read, or the thread not be pinned.
	Err error

	shared   *shared
	deadline deadline // ends the work if no other thread has a CPU to end it
	ran      int64    // when Ran was called last
	_        [thread.CacheLine]byte
}

// shared is the state that all threads of the work share.
type shared struct {
	stop  atomic.Bool
	begin atomic.Int64 // when the threads began, by the stopwatch; 0 before
	span  int64        // of the work in ns, set before begin
}

// Over returns whether the thread is to end its work: the time is up, the thread was moved
// from its CPU, or its last read failed. Call it every few microseconds to milliseconds. If
// the thread was moved, discard the results since the previous call.
func (s *Member) Over() bool {
	if s.Moved = Away(s.CPU); s.Moved {
		return true
	}
	if s.Err = clock.Failure(s.Reader); s.Err != nil {
		return true
	}
	return s.shared.stop.Load() || s.deadline.passed()
}

// Until sets the share of the time after which the work is over; all of it at the beginning. The time begins for all
// threads together.
func (s *Member) Until(share float64) {
	s.deadline = deadlineAt(s.shared.begin.Load() + int64(share*float64(s.shared.span)))
}

// EndIn ends the work of this thread after d, if it does not end earlier.
func (s *Member) EndIn(d time.Duration) { s.deadline = deadlineAt(min(s.deadline.at, Now()+int64(d))) }

// Sound returns whether the results up to the last call of Over are valid: the thread was on
// its CPU, and could read the clock.
func (s *Member) Sound() bool { return !s.Moved && s.Err == nil }

// Stop ends the work of all threads.
func (s *Member) Stop() { s.shared.stop.Store(true) }

// Lost is the min time that a thread does not run if it lost its CPU.
const Lost = time.Millisecond

// Ran returns whether the thread ran since the last call. Call it every few microseconds.
func (s *Member) Ran() bool {
	last := s.ran
	s.ran = Now()
	return last == 0 || s.ran-last < int64(Lost)
}

// Meet sleeps until the next meeting, a time that is the same for all threads of the work. On a busy machine threads
// that spin hardly ever run at the same time. A scheduler prefers threads that have slept, so threads that meet run
// together.
func (s *Member) Meet() {
	const meetings = 8 // in a short work, so that one does not end it
	every := max(1, min(int64(10*time.Millisecond), s.shared.span/meetings))
	now := Now()
	meeting := now + every - (now-s.shared.begin.Load())%every
	for Now() < meeting { // on Windows a sleep may end early
		thread.Sleep(time.Duration(meeting - Now()))
	}
	s.ran = Now()
}

// A Report is the outcome of threads that worked together.
type Report struct {
	// Ended are the members of the threads that ended, in the order of the CPUs. Do not read
	// anything that another thread writes to: it may still be working.
	Ended []*Member
	// Late are the CPUs on which a thread did not begin or end in time.
	Late []int
	// Gone are the CPUs to which no thread could be pinned, or from which one was moved.
	Gone []int
	// Failed are the members of the threads that could not read the clock.
	Failed []*Member
}

// Together opens the clock, if it has an Open, on a thread on each of the CPUs, starts all threads at the same time,
// and has them work until their members are over: after about the span or when ctx ends. The span begins with the call,
// but leaves half for the work. Together does not wait forever for a thread that gets no CPU: the others begin without
// it, unless fewer than least are ready; then none begins.
//
// All that the threads share, the members and two flags, is on the heap, where it does not move. The flags are atomic.
// A member is read here only after its thread has reported, by a channel, that it will not write to it again.
func Together(ctx context.Context, c clock.Clock, cpus []int, span time.Duration, least int,
	work func(*Member)) Report {
	called, all := Now(), new(shared)
	members := make([]*Member, len(cpus))
	arrived, ended := make(chan *Member, len(cpus)), make(chan *Member, len(cpus))
	var crew Crew
	for i, cpu := range cpus {
		s := &Member{Index: i, CPU: cpu, shared: all}
		members[i] = s
		crew.Start(i, cpu, func(unpinned error) {
			defer func() { ended <- s }()
			if unpinned != nil { // the others need not wait for it
				s.Err, s.Moved = unpinned, true
				arrived <- s
				return
			}
			if c.Open != nil {
				s.Reader, s.Err = c.Open()
			}
			able := s.Sound()
			arrived <- s
			// A thread that sleeps leaves its CPU to threads that have not arrived.
			for nap := time.Microsecond; all.begin.Load() == 0 && !all.stop.Load(); nap = min(2*nap, time.Millisecond) {
				thread.Sleep(nap)
			}
			// A thread that began late still makes its first reads: on a busy machine the
			// span may end before every thread had a CPU.
			if able && all.begin.Load() != 0 && ctx.Err() == nil {
				s.Until(1)
				work(s)
			}
		})
	}
	crew.Dismiss(0)
	there := Await(arrived, len(members), Late, ctx.Done())
	able := 0
	for _, s := range there {
		if s.Sound() {
			able++
		}
	}
	now := Now()
	all.span = max(int64(span)-(now-called), int64(span)/2)
	if able >= least {
		all.begin.Store(max(1, now))
	} else {
		all.stop.Store(true)
	}
	var done []*Member
	over := time.After(time.Duration(all.span))
	for len(done) < len(members) && !all.stop.Load() {
		select {
		case s := <-ended:
			done = append(done, s)
		case <-over:
			all.stop.Store(true)
		case <-ctx.Done():
			all.stop.Store(true)
		}
	}
	all.stop.Store(true)
	done = append(done, Await(ended, len(members)-len(done), Late, nil)...)
	slices.SortFunc(done, func(a, b *Member) int { return a.Index - b.Index })
	return report(members, there, done, ctx.Err() != nil)
}

// Lost returns why no thread worked on a CPU to the end, by the number of the CPU.
func (r Report) Lost() map[int]string {
	lost := map[int]string{}
	for _, cpu := range r.Late {
		lost[cpu] = "no thread got CPU " + strconv.Itoa(cpu) + " in time"
		if cpu == thread.Any {
			lost[cpu] = "a thread got no CPU in time"
		}
	}
	for _, cpu := range r.Gone {
		lost[cpu] = "CPU " + strconv.Itoa(cpu) + " went offline"
	}
	return lost
}

// report returns the outcome of the members. The members in there had arrived when the others began; the members in
// done have ended. If the work was interrupted, a missing thread is not late.
func report(members, there, done []*Member, interrupted bool) Report {
	r := Report{Ended: done}
	for _, s := range members {
		arrived, ended := slices.Contains(there, s), slices.Contains(done, s)
		switch {
		case !interrupted && (!arrived || !ended):
			r.Late = append(r.Late, s.CPU)
		case !ended:
		case s.Moved:
			r.Gone = append(r.Gone, s.CPU)
		case s.Err != nil:
			r.Failed = append(r.Failed, s)
		}
	}
	return r
}
