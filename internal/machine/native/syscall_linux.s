//go:build arm || loong64 || ppc64le || riscv64 || s390x

#include "go_asm.h"
#include "textflag.h"

// C functions that make one system call, as those of libc do, for the loops of
// call_linux_*.s. They are in variables of syscall_linux.go. The arguments of a C
// function are those of the system call; ENTER(number) makes the call as syscall(2)
// describes it. None of the calls made here blocks, so the Go scheduler need not be told.

#ifdef GOARCH_arm
// C functions preserve R7. The kernel preserves all registers but R0
// (arch/arm/kernel/entry-common.S, ret_fast_syscall).
#define ENTER(number) \
	MOVW	R7, R12; \
	MOVW	$number, R7; \
	SWI	$0; \
	MOVW	R12, R7; \
	RET
#endif

#ifdef GOARCH_loong64
#define ENTER(number) \
	MOVV	$number, R11; \
	SYSCALL; \
	RET
#endif

#ifdef GOARCH_ppc64le
// The result is an errno if the summary overflow of CR0 is set; call_linux_ppc64le.s
// heeds that.
#define ENTER(number) \
	MOVD	$number, R0; \
	SYSCALL; \
	RET
#endif

#ifdef GOARCH_riscv64
#define ENTER(number) \
	MOV	$number, X17; \
	ECALL; \
	RET
#endif

#ifdef GOARCH_s390x
#define ENTER(number) \
	MOVD	$number, R1; \
	SYSCALL; \
	RET
#endif

#ifdef GOARCH_arm
#define WORD	4
#else
#define WORD	8
#endif

#define FUNCTION(variable, name, number) \
TEXT name<>(SB), NOSPLIT|NOFRAME, $0-0; \
	ENTER(number); \
GLOBL	variable(SB), RODATA, $WORD; \
DATA	variable(SB)/WORD, $name<>(SB)

FUNCTION(·clockGettime, clock_gettime, const_SysClockGettime)
FUNCTION(·gettimeofday, gettimeofday, const_sysGettimeofday)
#ifdef GOARCH_arm
FUNCTION(·clockGettime32, clock_gettime32, const_SysClockGettime32)
#endif
#ifdef GOARCH_ppc64le
FUNCTION(·timeOfSeconds, time, 13)
#endif
