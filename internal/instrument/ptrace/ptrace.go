// Package ptrace runs a program of somebody else under ptrace(2), and reports which clocks of the system its calls
// read. It needs no privilege.
//
// A read of the time usually does not enter the kernel, so no tracer sees it: the C library, or the runtime itself,
// calls a function of the vDSO, vdso(7). The kernel tells a program where the vDSO is by an entry of the auxiliary
// vector, which it puts on the stack of the new program, getauxval(3). [Trace] and [Run] can hide this entry while the
// program is stopped at the end of execve(2), before its first instruction. The program then finds no vDSO, and makes a
// system call for each read.
//
//   - [Trace] with the vDSO hidden reports which clocks each call reads.
//   - [Trace] without hiding reports which reads enter the kernel on this machine.
//   - [Run] hides the vDSO and traces nothing else: the program runs at full speed and measures what its calls cost
//     without a vDSO.
//
// # Marks
//
// The program says what it is about to do by a mark: a system call that any language can make, with a path that does
// not exist and begins with [MarkPrefix], such as stat or access. Any call is one that has the path as its first
// argument, or as its second. What the same thread reads until its next mark belongs to the mark. Reads of other
// threads, such as those of a garbage collector, belong to no mark. The last mark only ends the span before it.
//
// # Limits
//
// The tracer is another process of timebench, with the role [Role], below the runner of [program.Run]: so the limits of
// a program hold, and no process of it is left.
//
// A traced program cannot stop itself: it continues after SIGSTOP. The vDSO of 32-bit processes is not hidden, and
// their reads are not seen; this is an error. Linux only; elsewhere each function returns an error with the reason.
package ptrace

// MarkPrefix is the beginning of the paths that are marks. The rest is the name of the mark.
const MarkPrefix = "/timebench-mark/"

// A Span is what happened on one thread between a mark and its next mark.
type Span struct {
	// Mark is the name of the mark, without MarkPrefix.
	Mark string
	// Reads are the system calls that read a clock, in order. clock_gettime is the name of the
	// clock, as in the catalogue of clocks: CLOCK_MONOTONIC. Other calls are their own name:
	// gettimeofday, time, times, getrusage. The CPU time of the calling thread or process is
	// CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID, however the program spells the id.
	Reads []string
}
