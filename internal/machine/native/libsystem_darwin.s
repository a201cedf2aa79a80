//go:build amd64 || arm64

#include "textflag.h"

// A jump to each function of libSystem that libsystem_darwin.go imports, and its address
// in a variable there. The linker turns the jump into one through the table that the
// dynamic linker fills. The functions use the stack and the registers of their caller.

#define IMPORT(jump, function, address) \
TEXT jump<>(SB), NOSPLIT, $0-0; \
	JMP	function(SB); \
GLOBL	address(SB), RODATA, $8; \
DATA	address(SB)/8, $jump<>(SB)

IMPORT(clock_gettime, timebench_clock_gettime, ·LibClockGettime)
IMPORT(clock_gettime_nsec_np, timebench_clock_gettime_nsec_np, ·LibClockGettimeNsecNP)
IMPORT(clock_getres, timebench_clock_getres, ·LibClockGetres)
IMPORT(gettimeofday, timebench_gettimeofday, ·LibGettimeofday)
IMPORT(mach_absolute_time, timebench_mach_absolute_time, ·LibMachAbsoluteTime)
IMPORT(mach_continuous_time, timebench_mach_continuous_time, ·LibMachContinuousTime)
IMPORT(mach_timebase_info, timebench_mach_timebase_info, ·LibMachTimebaseInfo)
IMPORT(mach_wait_until, timebench_mach_wait_until, ·LibMachWaitUntil)
IMPORT(nanosleep, timebench_nanosleep, ·LibNanosleep)
