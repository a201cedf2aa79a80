#include "textflag.h"

// System calls as in the table of syscall(2): number in R11 (a7), arguments in R4, R5 (a0,
// a1); result in R4. The kernel preserves every other register except R12 to R20 (t0 to
// t8). None of the calls made here blocks, so the Go scheduler need not be told.
//
// The instruction is in its own function, as in every libc. The Go prologue has saved R1,
// which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	SYSCALL
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-48
	MOVV	nr+0(FP), R11
	MOVV	id+8(FP), R24
	MOVV	buffer+16(FP), R5
	MOVV	step+24(FP), R26
	MOVV	n+32(FP), R27
	PCALIGN	$32
loop:
	MOVV	R24, R4
	CALL	systemCall<>(SB)
	ADDV	R26, R5
	ADDV	$-1, R27
	BNE	R27, loop
	MOVV	R4, ret+40(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-40
	MOVV	nr+0(FP), R11
	MOVV	buffer+8(FP), R25
	MOVV	step+16(FP), R26
	MOVV	n+24(FP), R27
	MOVV	R0, R5
	PCALIGN	$32
loop:
	MOVV	R25, R4
	CALL	systemCall<>(SB)
	ADDV	R26, R25
	ADDV	$-1, R27
	BNE	R27, loop
	MOVV	R4, ret+32(FP)
	RET
