#include "textflag.h"
#include "funcdata.h"

// As call_arm64.s, with the result stored.

// func CallValue(fn uintptr, values *int64, step uintptr, n int)
TEXT ·CallValue(SB), 0, $32768-32
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R19
	MOVD	values+8(FP), R21
	MOVD	step+16(FP), R22
	MOVD	n+24(FP), R23
	MOVD	RSP, R24
	MOVD	$32736, R25
	ADD	R24, R25
	MOVD	R25, RSP
	PCALIGN	$32
loop:
	CALL	(R19)
	MOVD	R0, (R21)
	ADD	R22, R21
	SUB	$1, R23
	CBNZ	R23, loop
	MOVD	R24, RSP
	RET
