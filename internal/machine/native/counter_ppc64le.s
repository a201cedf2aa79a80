#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.
// MFTB is MFSPR of the register 268.

// func spinMFTB(n int)
TEXT ·spinMFTB(SB), NOSPLIT, $0-8
	MOVD	n+0(FP), R4
	PCALIGN	$32
loop:
	MOVD	SPR(268), R3
	ADD	$-1, R4
	CMP	R4, $0
	BNE	loop
	RET

// func readMFTB(ticks *int64, n int)
TEXT ·readMFTB(SB), NOSPLIT, $0-16
	MOVD	ticks+0(FP), R5
	MOVD	n+8(FP), R4
	PCALIGN	$32
loop:
	MOVD	SPR(268), R3
	MOVD	R3, (R5)
	ADD	$8, R5
	ADD	$-1, R4
	CMP	R4, $0
	BNE	loop
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	SYNC
	ISYNC
	RET
