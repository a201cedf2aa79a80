// Package runtimes measures the latency of the clock calls of language runtimes, such as System.nanoTime of Java or
// time.time of Python, and proves which clocks of the system they read.
//
// Each runtime runs a small program of timebench's own (internal/measurement/runtimes/programs), which makes the
// runtime's calls in a loop and prints their times by the runtime's own stopwatch. Timebench starts it several times,
// in turn with the other runtimes, since some calls settle at another speed in each start. The program runs with a
// cleared environment, a deadline and a bound on its output, and no process that it starts is left
// (internal/instrument/program).
//
// On Linux the program then runs under ptrace(2) with the vDSO hidden, so that each read of a clock is a system call
// that names the clock (internal/instrument/ptrace). It runs once more with the vDSO, which shows whether a call enters
// the kernel on this machine. It runs once at full speed without the vDSO, which shows the min latency of a call where
// the clock source cannot be read in user mode.
//
// Instead of the calls that return the time, it measures how late sleeps end. The program then sleeps some times for
// each command, in turn with the other ways to sleep, and a trace shows which system call waits, and for how long.
package runtimes
