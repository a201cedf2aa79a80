// Package perfevent samples programs with perf_event_open(2): at a fixed rate of CPU time the kernel interrupts the
// running program and writes the callchain into a ring of memory. It uses the software event cpu-clock, which needs no
// performance monitoring unit, so it works in virtual machines and containers. The decoder of the rings is on every
// system; the rest is for Linux.
package perfevent

// A Kind is the type of a record, as in include/uapi/linux/perf_event.h.
type Kind uint32

// The kinds of records that are read. Others are skipped.
const (
	Lost        Kind = 2  // the ring was full
	Comm        Kind = 3  // a thread has a new name
	Exit        Kind = 4  // a thread ended
	Throttle    Kind = 5  // the kernel stopped sampling for a while
	Fork        Kind = 7  // a thread or process started
	Sample      Kind = 9  // a callchain
	Map         Kind = 10 // a process mapped code (PERF_RECORD_MMAP2)
	LostSamples Kind = 13 // samples that were not written
)

// A Record is one record of a ring. Fields that its kind does not have are zero.
type Record struct {
	Kind Kind
	// PID and TID are the process and the thread, in the PID namespace of the reader. They
	// are 0 or -1 if the thread is not in that namespace.
	PID, TID int
	// TimeNS is CLOCK_MONOTONIC.
	TimeNS uint64
	// ParentPID is the process that started the thread or process of a Fork.
	ParentPID int
	// Exec is whether a Comm is from execve(2): the process runs another program now.
	Exec bool
	// Name is the name of a Comm, or the file of a Map.
	Name string
	// Start and Length are the addresses of a Map, in bytes.
	Start, Length uint64
	// Lost is the number of records that a Lost or LostSamples reports.
	Lost uint64
	// Kernel and User are the callchain of a Sample, innermost first: addresses in the kernel
	// and in the program. They are empty if the kernel recorded none.
	Kernel, User []uint64
}
