//go:build amd64 || arm64

#include "textflag.h"

// A jump to each function of libSystem that libsystem_darwin.go imports, and its address
// in a variable there. The linker turns the jump into one through the table that the
// dynamic linker fills. The functions use the stack and the registers of their caller.

TEXT clock_gettime<>(SB), NOSPLIT, $0-0
	JMP	timebench_clock_gettime(SB)

GLOBL	·LibClockGettime(SB), RODATA, $8
DATA	·LibClockGettime(SB)/8, $clock_gettime<>(SB)

TEXT clock_gettime_nsec_np<>(SB), NOSPLIT, $0-0
	JMP	timebench_clock_gettime_nsec_np(SB)

GLOBL	·LibClockGettimeNsecNP(SB), RODATA, $8
DATA	·LibClockGettimeNsecNP(SB)/8, $clock_gettime_nsec_np<>(SB)

TEXT clock_getres<>(SB), NOSPLIT, $0-0
	JMP	timebench_clock_getres(SB)

GLOBL	·LibClockGetres(SB), RODATA, $8
DATA	·LibClockGetres(SB)/8, $clock_getres<>(SB)

TEXT gettimeofday<>(SB), NOSPLIT, $0-0
	JMP	timebench_gettimeofday(SB)

GLOBL	·LibGettimeofday(SB), RODATA, $8
DATA	·LibGettimeofday(SB)/8, $gettimeofday<>(SB)

TEXT mach_absolute_time<>(SB), NOSPLIT, $0-0
	JMP	timebench_mach_absolute_time(SB)

GLOBL	·LibMachAbsoluteTime(SB), RODATA, $8
DATA	·LibMachAbsoluteTime(SB)/8, $mach_absolute_time<>(SB)

TEXT mach_continuous_time<>(SB), NOSPLIT, $0-0
	JMP	timebench_mach_continuous_time(SB)

GLOBL	·LibMachContinuousTime(SB), RODATA, $8
DATA	·LibMachContinuousTime(SB)/8, $mach_continuous_time<>(SB)

TEXT mach_timebase_info<>(SB), NOSPLIT, $0-0
	JMP	timebench_mach_timebase_info(SB)

GLOBL	·LibMachTimebaseInfo(SB), RODATA, $8
DATA	·LibMachTimebaseInfo(SB)/8, $mach_timebase_info<>(SB)
