#include "textflag.h"

// System calls as in the table of syscall(2): number in R0, arguments in R3, R4; result in
// R3, which is an errno if the summary overflow of CR0 is set. The kernel preserves R1, R2,
// R13 to R31 and LR (Documentation/arch/powerpc/syscall64-abi.rst). Go code expects 0 in
// R0. None of the calls made here blocks, so the Go scheduler need not be told.
//
// The instruction is in its own function, as in every libc. The Go prologue has saved LR,
// which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	SYSCALL
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-48
	MOVD	nr+0(FP), R14
	MOVD	id+8(FP), R15
	MOVD	buffer+16(FP), R16
	MOVD	step+24(FP), R17
	MOVD	n+32(FP), R18
	PCALIGN	$32
loop:
	MOVD	R14, R0
	MOVD	R15, R3
	MOVD	R16, R4
	CALL	systemCall<>(SB)
	ADD	R17, R16
	ADD	$-1, R18
	CMP	R18, $0, CR1
	BNE	CR1, loop
	MOVD	$0, R0
	BVC	2(PC)
	NEG	R3
	MOVD	R3, ret+40(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-40
	MOVD	nr+0(FP), R14
	MOVD	buffer+8(FP), R16
	MOVD	step+16(FP), R17
	MOVD	n+24(FP), R18
	PCALIGN	$32
loop:
	MOVD	R14, R0
	MOVD	R16, R3
	MOVD	$0, R4
	CALL	systemCall<>(SB)
	ADD	R17, R16
	ADD	$-1, R18
	CMP	R18, $0, CR1
	BNE	CR1, loop
	MOVD	$0, R0
	BVC	2(PC)
	NEG	R3
	MOVD	R3, ret+32(FP)
	RET
