// Package native holds the only assembly of timebench: loops that make one
// call, or one instruction, n times with nothing in between that the clock
// does not need.
//
// There is one small file an architecture and calling convention:
//
//	call_linux_amd64.s    a C function by the System V convention
//	call_windows_amd64.s  a C function by the Windows x64 convention
//	call_*arm64.s         a C function by AAPCS64, on Linux and on Windows
//	syscall_linux_*.s     a system call through the kernel's door
//	counter_*.s           the CPU's own counters, on any operating system
//	ksystemtime_*.s       a time in the page that Windows shares with every process
//
// # What every loop promises
//
// Memory. A loop writes only through the pointer that it was given, and
// that pointer is declared as a pointer and without go:noescape, so the
// compiler places what it points to on the heap. That matters: the C loops
// have a frame of 32 KiB, Go's prologue grows the goroutine's stack to fit it,
// and growing moves the stack, so the address of a stack variable that was
// taken before the call would point to dead memory. Go's collector never
// moves the heap, and the argument slot keeps the object alive for the call.
//
// Stack. C code has no prologue that grows the stack, so it gets that
// 32 KiB frame, aligned to 16 bytes. A stack moves only in a function
// prologue or while its goroutine is stopped; inside a loop there is neither.
//
// Scheduler. The scheduler cannot interrupt a loop, so the collector's stop
// requests wait for it. A caller keeps one call well under a millisecond and
// loops around it in Go.
//
// Signals. A caller blocks signals on its thread (package thread does). On
// arm64 the Go runtime keeps the current goroutine in R28, which C code may
// borrow; a signal handler that runs while it is borrowed would find no
// goroutine and end the process. Windows has no signals: the runtime suspends a
// thread, finds it in assembly or in code that is not Go's, and lets it go on.
package native
