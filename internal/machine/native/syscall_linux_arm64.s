#include "textflag.h"

// System calls as in the table of syscall(2): number in R8, arguments in R0,
// R1; result in R0. The kernel preserves every other register. None of the calls
// made here blocks, so the Go scheduler need not be told.
//
// The instruction is in its own function, as in every libc; syscall_linux_amd64.s
// explains why. The Go prologue has saved the link register, which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	SVC
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-48
	MOVD	nr+0(FP), R8
	MOVD	id+8(FP), R9
	MOVD	buffer+16(FP), R1
	MOVD	step+24(FP), R10
	MOVD	n+32(FP), R11
	PCALIGN	$32
loop:
	MOVD	R9, R0
	CALL	systemCall<>(SB)
	ADD	R10, R1
	SUB	$1, R11
	CBNZ	R11, loop
	MOVD	R0, ret+40(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-40
	MOVD	nr+0(FP), R8
	MOVD	buffer+8(FP), R9
	MOVD	step+16(FP), R10
	MOVD	n+24(FP), R11
	MOVD	ZR, R1
	PCALIGN	$32
loop:
	MOVD	R9, R0
	CALL	systemCall<>(SB)
	ADD	R10, R9
	SUB	$1, R11
	CBNZ	R11, loop
	MOVD	R0, ret+32(FP)
	RET
