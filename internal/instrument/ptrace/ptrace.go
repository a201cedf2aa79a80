// Package ptrace runs another program under ptrace(2), and reports which clocks of the system its calls read. It needs
// no privilege.
//
// A read of the time usually does not enter the kernel, so no tracer sees it: the C library, or the runtime itself,
// calls a function of the vDSO, vdso(7). The kernel passes the address of the vDSO in an entry of the auxiliary vector,
// which it puts on the stack of the new program, getauxval(3). [Trace] can hide this entry while the program
// is stopped at the end of execve(2), before its first instruction. The program then finds no vDSO, and makes a system
// call for each read.
//
// A [Task] is what it reports, and whether it hides the vDSO.
//
// # Marks
//
// The program announces its next action by a mark: a system call that any language can make, with a path that does not
// exist and begins with [MarkPrefix]. Any call serves that has the path as its first or second argument, such as stat
// or access. The reads of the same thread until its next mark belong to the mark. Reads of other threads, such as those
// of a garbage collector, belong to no mark. The last mark only ends the span before it.
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

// Role is the role of a process that traces a program: it calls [Follow].
const Role = "trace"

// A Task is what a trace is for.
type Task string

// The tasks.
const (
	Hidden  Task = "hidden"  // which clocks each call reads, with the vDSO hidden
	Visible Task = "visible" // which reads enter the kernel on this machine
	Waits   Task = "waits"   // which system calls wait until a time, and how long
	Fast    Task = "fast"    // nothing: the program runs at full speed with the vDSO hidden, and measures its calls
)

// A Span is the reads of a thread between a mark and its next mark.
type Span struct {
	// Mark is the name of the mark, without MarkPrefix.
	Mark string
	// Reads are the system calls that read a clock, in order. A clock_gettime has the name of the clock, as in the
	// catalogue of clocks: CLOCK_MONOTONIC. Other calls have their own name: gettimeofday, time, times, getrusage. The
	// CPU time of a thread or process is CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID, however the
	// program spells the id.
	Reads []string
	// Waits are the timed system calls of all threads between the marks, in order; of the task [Waits] only.
	Waits []Wait
}

// A Wait is a system call that waits until a time at most.
type Wait struct {
	// Call is its name: epoll_wait.
	Call string
	// NS is how long it waits at most, above 0. Deadline is whether the call has a deadline instead; NS is then what
	// remained of it when the tracer saw the call, which is a little less.
	NS       int64
	Deadline bool
}
