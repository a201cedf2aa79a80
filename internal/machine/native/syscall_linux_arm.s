#include "textflag.h"

// System calls as in the table of syscall(2), arm/EABI: number in R7, arguments in R0, R1;
// result in R0. The kernel preserves every other register (arch/arm/kernel/entry-common.S,
// ret_fast_syscall). None of the calls made here blocks, so the Go scheduler need not be told.
//
// The instruction is in its own function, as in every libc. The Go prologue has saved
// LR, which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	SWI	$0
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-24
	MOVW	nr+0(FP), R7
	MOVW	id+4(FP), R4
	MOVW	buffer+8(FP), R1
	MOVW	step+12(FP), R5
	MOVW	n+16(FP), R6
loop:
	MOVW	R4, R0
	CALL	systemCall<>(SB)
	ADD	R5, R1
	SUB.S	$1, R6
	BNE	loop
	MOVW	R0, ret+20(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-20
	MOVW	nr+0(FP), R7
	MOVW	buffer+4(FP), R4
	MOVW	step+8(FP), R5
	MOVW	n+12(FP), R6
	MOVW	$0, R1
loop:
	MOVW	R4, R0
	CALL	systemCall<>(SB)
	ADD	R5, R4
	SUB.S	$1, R6
	BNE	loop
	MOVW	R0, ret+16(FP)
	RET
