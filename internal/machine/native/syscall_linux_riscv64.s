#include "textflag.h"

// System calls as in the table of syscall(2): number in A7 (X17), arguments in A0, A1
// (X10, X11); result in A0. The kernel preserves every other register
// (arch/riscv/kernel/entry.S). None of the calls made here blocks, so the Go scheduler
// need not be told.
//
// The instruction is in its own function, as in every libc. The Go prologue has saved
// the link register, which CALL overwrites.
TEXT systemCall<>(SB), NOSPLIT|NOFRAME, $0-0
	ECALL
	RET

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), NOSPLIT, $0-48
	MOV	nr+0(FP), X17
	MOV	id+8(FP), X18
	MOV	buffer+16(FP), X11
	MOV	step+24(FP), X19
	MOV	n+32(FP), X20
	PCALIGN	$32
loop:
	MOV	X18, X10
	CALL	systemCall<>(SB)
	ADD	X19, X11
	ADD	$-1, X20
	BNE	X20, ZERO, loop
	MOV	X10, ret+40(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), NOSPLIT, $0-40
	MOV	nr+0(FP), X17
	MOV	buffer+8(FP), X18
	MOV	step+16(FP), X19
	MOV	n+24(FP), X20
	MOV	ZERO, X11
	PCALIGN	$32
loop:
	MOV	X18, X10
	CALL	systemCall<>(SB)
	ADD	X19, X18
	ADD	$-1, X20
	BNE	X20, ZERO, loop
	MOV	X10, ret+32(FP)
	RET
