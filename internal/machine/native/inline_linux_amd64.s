#include "textflag.h"

// func SyscallInline(nr, first, second uintptr, n int) int
TEXT ·SyscallInline(SB), NOSPLIT, $0-40
	MOVQ	nr+0(FP), R8
	MOVQ	first+8(FP), DI
	MOVQ	second+16(FP), SI
	MOVQ	n+24(FP), R10
	PCALIGN	$32
loop:
	MOVQ	R8, AX
	SYSCALL
	DECQ	R10
	JNZ	loop
	MOVQ	AX, ret+32(FP)
	RET
