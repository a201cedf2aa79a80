// Package native has all assembly of timebench: loops that make one call, or execute one instruction, n times without
// other work in between.
//
// There is one small file for each architecture and calling convention:
//
//	call_sysv_*.s         a C function by the System V convention; with an id, also by AAPCS64
//	call_windows_amd64.s  a C function by the Windows x64 convention
//	call_*arm64.s         a C function by AAPCS64, on Linux, Windows and macOS
//	call_linux_*.s        a C function by the convention of another CPU
//	libsystem_darwin.s    the addresses of functions of the C library of macOS
//	syscall_linux_*.s     a system call; on the CPUs of syscall_linux.go, Go makes it
//	abi*_linux.go         the numbers of system calls, and of their architecture
//	callcounter_*.s       the loop of an empty call, and of functions that read a CPU counter
//	counter_*.s           the CPU counters, on any operating system, which Counters lists; Fence
//	ksystemtime_*.s       a time in the page that Windows shares with every process
//	fineread_linux_*.s    a stand-in for a function of the vDSO, for those loops to call
//
// The package compiles for every system, and on Linux for the CPUs that README.md lists. On other
// systems and CPUs it has no loops for calls, and Counters may be empty.
//
// # What every loop guarantees
//
// Memory. A loop writes only through its pointer argument. Without go:noescape on the declaration, the compiler
// allocates its target on the heap. This is necessary: the C loops have a frame of 32 KiB. The Go prologue grows the
// goroutine stack to fit it, which moves the stack, and the address of a stack variable from before the call would
// point to dead memory. The garbage collector never moves the heap, and the
// argument slot keeps the object alive during the call.
//
// Stack. C code has no prologue that grows the stack, so it gets that frame of 32 KiB, aligned as the CPU's convention
// says. A stack moves only in a function prologue or while its goroutine is stopped. Neither happens inside a loop.
//
// Scheduler. The scheduler cannot interrupt a loop, so the stop requests of the garbage collector wait for it. A caller
// keeps one call well below 1 ms, and loops around it in Go.
//
// Signals. A caller blocks signals on its thread (package thread does). On most CPUs the Go runtime keeps the current
// goroutine in a register (R28 on arm64), which C code may use temporarily. A signal handler that runs meanwhile would
// find no goroutine, and end the process. On macOS the handler takes it from the memory of the thread (runtime·sigtramp
// in sys_darwin_arm64.s). Windows has no signals: the runtime suspends a thread, finds it in assembly or in C code, and
// resumes it.
package native
