package perfevent

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const maxStack = 64

// Options select what to sample.
type Options struct {
	// RateHz is the number of samples for each second of CPU time, above 0.
	RateHz int
	// ExcludeKernel leaves out samples of the kernel, as ordinary users have to.
	ExcludeKernel bool
	// Inherit samples the threads and processes that a sampled thread starts, too.
	Inherit bool
	// OnExec begins to sample at execve(2).
	OnExec bool
}

// Events are open events. The events of a CPU write into one ring.
type Events struct {
	options Options
	fds     []int
	rings   map[int]*Ring // by CPU
}

// New returns Events without an event.
func New(options Options) *Events {
	return &Events{options: options, rings: map[int]*Ring{}}
}

// AllThreads is the thread of Open that means every thread on the CPU.
const AllThreads = -1

// Open opens an event for a thread on a CPU, which begins to sample at once, or at execve(2). The errors come
// from perf_event_open(2): EACCES or EPERM if the system does not allow it, ESRCH if there
// is no such thread, EMFILE if there are too many files.
func (e *Events) Open(tid, cpu int) error {
	attributes := unix.PerfEventAttr{
		Type:             unix.PERF_TYPE_SOFTWARE,
		Config:           unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:             uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample:           uint64(1e9 / e.options.RateHz),
		Sample_type:      unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CALLCHAIN,
		Bits:             unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask | unix.PerfBitSampleIDAll | unix.PerfBitExcludeIdle | unix.PerfBitUseClockID,
		Clockid:          unix.CLOCK_MONOTONIC,
		Sample_max_stack: maxStack,
	}
	if e.options.ExcludeKernel {
		attributes.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
	}
	if e.options.Inherit {
		attributes.Bits |= unix.PerfBitInherit
	}
	if e.options.OnExec {
		attributes.Bits |= unix.PerfBitDisabled | unix.PerfBitEnableOnExec
	}
	fd, err := unix.PerfEventOpen(&attributes, tid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EOVERFLOW) { // kernel.perf_event_max_stack is lower than our limit; 0 is that
		attributes.Sample_max_stack = 0
		fd, err = unix.PerfEventOpen(&attributes, tid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	}
	if err != nil {
		return fmt.Errorf("perf_event_open: %w", err)
	}
	if err := e.write(fd, cpu); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	e.fds = append(e.fds, fd)
	return nil
}

// write makes an event write into the ring of its CPU.
func (e *Events) write(fd, cpu int) error {
	if ring := e.rings[cpu]; ring != nil {
		if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, ring.owner); err != nil {
			return fmt.Errorf("PERF_EVENT_IOC_SET_OUTPUT: %w", err)
		}
		return nil
	}
	ring, err := newRing(fd)
	if err == nil {
		e.rings[cpu] = ring
	}
	return err
}

// Read calls visit for each new record: CPU by CPU, and in order of time for each CPU.
func (e *Events) Read(visit func(*Record)) error {
	for cpu, ring := range e.rings {
		if err := ring.Read(visit); err != nil {
			return fmt.Errorf("ring of CPU %d: %w", cpu, err)
		}
	}
	return nil
}

// Len returns the number of open events.
func (e *Events) Len() int { return len(e.fds) }

// Stop ends the sampling; Read still returns earlier records.
func (e *Events) Stop() error {
	var all error
	for _, fd := range e.fds {
		all = errors.Join(all, unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0))
	}
	return all
}

// Close closes the events and releases the rings.
func (e *Events) Close() error {
	var all error
	for _, ring := range e.rings {
		all = errors.Join(all, ring.close())
	}
	for _, fd := range e.fds {
		all = errors.Join(all, unix.Close(fd))
	}
	*e = Events{}
	return all
}
