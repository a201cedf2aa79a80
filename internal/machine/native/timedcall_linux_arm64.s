#include "textflag.h"

// func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int)
//
// The kernel preserves R9, in which the arguments and then the result are kept. ABI0 lets a function overwrite it, and
// there is no stack that could move.
TEXT ·CallTimed(SB), NOSPLIT, $0-32
	MOVD	args+8(FP), R9
	LDP	0(R9), (R0, R1)
	LDP	16(R9), (R2, R3)
	LDP	32(R9), (R4, R5)
	MOVD	number+0(FP), R8
	SVC
	MOVD	R0, R9
	MOVD	$1, R0 // CLOCK_MONOTONIC
	MOVD	at+16(FP), R1
	MOVD	$113, R8 // clock_gettime
	SVC
	MOVD	R9, result+24(FP)
	RET
