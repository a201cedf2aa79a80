#include "textflag.h"

// System calls as in the table of syscall(2): number in R1, arguments in R2, R3;
// result in R2. The kernel preserves every other register (arch/s390/kernel/entry.S).
// None of the calls made here blocks, so the Go scheduler need not be told.
//
// The instruction is in its own function, as in every libc. The Go prologue has saved
// R14, which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	SYSCALL
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-48
	MOVD	nr+0(FP), R1
	MOVD	id+8(FP), R6
	MOVD	buffer+16(FP), R3
	MOVD	step+24(FP), R7
	MOVD	n+32(FP), R8
loop:
	MOVD	R6, R2
	CALL	systemCall<>(SB)
	ADD	R7, R3
	BRCTG	R8, loop
	MOVD	R2, ret+40(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-40
	MOVD	nr+0(FP), R1
	MOVD	buffer+8(FP), R6
	MOVD	step+16(FP), R7
	MOVD	n+24(FP), R8
	MOVD	$0, R3
loop:
	MOVD	R6, R2
	CALL	systemCall<>(SB)
	ADD	R7, R6
	BRCTG	R8, loop
	MOVD	R2, ret+32(FP)
	RET
