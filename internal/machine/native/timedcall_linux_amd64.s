#include "textflag.h"

// func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int)
//
// The kernel preserves BX, in which the arguments and then the result are kept. ABI0 lets a function overwrite it, and
// there is no stack that could move.
TEXT ·CallTimed(SB), NOSPLIT, $0-32
	MOVQ	args+8(FP), BX
	MOVQ	0(BX), DI
	MOVQ	8(BX), SI
	MOVQ	16(BX), DX
	MOVQ	24(BX), R10
	MOVQ	32(BX), R8
	MOVQ	40(BX), R9
	MOVQ	number+0(FP), AX
	SYSCALL
	MOVQ	AX, BX
	MOVQ	$1, DI // CLOCK_MONOTONIC
	MOVQ	at+16(FP), SI
	MOVQ	$228, AX // clock_gettime
	SYSCALL
	MOVQ	BX, result+24(FP)
	RET
