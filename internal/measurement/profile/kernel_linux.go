package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A callKind is the kind of system call that a sample in the kernel belongs to.
type callKind int

const (
	noCall    callKind = iota // no system call, or its beginning or end
	clockCall                 // a system call that reads a clock
	otherCall                 // another system call
)

// A kernelCall is the system call that a sample in the kernel belongs to. clock is the clock whose cost the call has;
// empty if the cost is not measured.
type kernelCall struct {
	kind  callKind
	clock string
}

// systemCall matches how the kernel names the functions of system calls (arch/*/include/asm/syscall_wrapper.h):
// __x64_sys_time, __do_sys_time, sys_time, and for 32-bit programs __ia32_sys_time, __arm64_compat_sys_time.
var systemCall = regexp.MustCompile(`^(?:__(x64|ia32|arm64|riscv|s390x?|se|do)_)?(compat_)?sys_(.+)`)

// directIDs are the clocks of system calls that a program makes itself.
var directIDs = []string{syscallID, gettimeofdayID, timeID}

// clockCalls are the system calls that read a clock, and the clock whose cost they have. Names with a number are of
// 32-bit programs; on arm64 they have the prefix of 64-bit calls.
var clockCalls = map[string]string{
	"clock_gettime": syscallID, "gettimeofday": gettimeofdayID, "time": timeID,
	"clock_gettime32": "", "clock_gettime64": "", "old_gettimeofday": "", "time32": "",
}

// untimedFunctions are the functions that clock_gettime(2) calls for clocks of CPU time
// (kernel/time/posix-cpu-timers.c) and of devices (posix-clock.c). They cost more than the clocks that are measured.
var untimedFunctions = []string{"posix_cpu_clock_get", "process_cpu_clock_get", "thread_cpu_clock_get",
	"pc_clock_gettime"}

// callOf returns the system call of a function of the kernel; false for other functions. The cost of the calls of
// 32-bit programs is not measured: they enter the kernel another way.
func callOf(function string) (kernelCall, bool) {
	var parts []string
	if strings.Contains(function, "sys_") { // the pattern is slow
		parts = systemCall.FindStringSubmatch(function)
	}
	if parts == nil {
		return kernelCall{kind: clockCall}, slices.Contains(untimedFunctions, function)
	}
	clock, reads := clockCalls[parts[3]]
	switch {
	case !reads:
		return kernelCall{kind: otherCall}, true
	case parts[1] == "ia32" || parts[2] != "":
		return kernelCall{kind: clockCall}, true
	}
	return kernelCall{clockCall, clock}, true
}

// clockFunctions are the clocks whose cost a call of a function of the vDSO has, by the name of the function without
// its prefix. vdso(7) lists the functions.
var clockFunctions = map[string]string{
	"clock_gettime": FineID, "clock_gettime64": FineID, "gettimeofday": "gettimeofday@vdso", "time": "time@vdso",
}

// functionOf returns the clock whose cost a function of the vDSO has, by the name of the function; reads is false if it
// reads no clock. Code before the first name is outlined from the functions that read clocks: the code of getrandom,
// which is in the vDSO from Linux 6.11 on, follows its name. So code without a name costs as much as the fine clocks,
// and so does the vDSO of a 32-bit process.
func functionOf(name string) (clock string, reads bool) {
	if name == "" {
		return FineID, true
	}
	clock, reads = clockFunctions[strings.TrimPrefix(strings.TrimPrefix(name, "__vdso_"), "__kernel_")]
	return clock, reads
}

// A kernelFunction is the function of a system call in the memory of the kernel.
type kernelFunction struct {
	addressRange
	kernelCall
}

// A kernel is the functions of the system calls, by address.
type kernel []kernelFunction

// call returns the system call of a callchain in the kernel, by the innermost function of a system call.
func (k kernel) call(addresses []uint64) kernelCall {
	for _, address := range addresses {
		i, exact := slices.BinarySearchFunc(k, address, func(f kernelFunction, address uint64) int {
			return cmp.Compare(f.start, address)
		})
		if !exact {
			i--
		}
		if i >= 0 && k[i].has(address) {
			return k[i].kernelCall
		}
	}
	return kernelCall{}
}
