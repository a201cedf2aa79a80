#include "textflag.h"

// func SyscallInline(nr, first, second uintptr, n int) int
TEXT ·SyscallInline(SB), NOSPLIT, $0-40
	MOVD	nr+0(FP), R8
	MOVD	first+8(FP), R9
	MOVD	second+16(FP), R1
	MOVD	n+24(FP), R11
	PCALIGN	$32
loop:
	MOVD	R9, R0
	SVC
	SUB	$1, R11
	CBNZ	R11, loop
	MOVD	R0, ret+32(FP)
	RET
