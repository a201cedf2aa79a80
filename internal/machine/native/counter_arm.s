//go:build arm.7

#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.
// Go's assembler has neither MRRC nor ISB.

#define CNTVCT	WORD	$0xec510f1e // MRRC p15, 1, R0, R1, c14
#define ISB	WORD	$0xf57ff06f

#define SPIN(instructions) \
	MOVW	n+0(FP), R2 \
loop: \
	instructions \
	SUB.S	$1, R2 \
	BNE	loop \
	RET

#define READ(instructions) \
	MOVW	ticks+0(FP), R3 \
	MOVW	n+4(FP), R2 \
loop: \
	instructions \
	MOVW.P	R0, 4(R3) \
	MOVW.P	R1, 4(R3) \
	SUB.S	$1, R2 \
	BNE	loop \
	RET

// func spinCNTVCT(n int)
TEXT ·spinCNTVCT(SB), NOSPLIT, $0-4
	SPIN(CNTVCT)

// func readCNTVCT(ticks *int64, n int)
TEXT ·readCNTVCT(SB), NOSPLIT, $0-8
	READ(CNTVCT)

// func spinISBCNTVCT(n int)
TEXT ·spinISBCNTVCT(SB), NOSPLIT, $0-4
	SPIN(ISB; CNTVCT)

// func readISBCNTVCT(ticks *int64, n int)
TEXT ·readISBCNTVCT(SB), NOSPLIT, $0-8
	READ(ISB; CNTVCT)

// func counterHz() uint64
TEXT ·counterHz(SB), NOSPLIT, $0-8
	MRC	15, 0, R0, C14, C0, 0 // CNTFRQ
	MOVW	R0, ret_lo+0(FP)
	MOVW	$0, R0
	MOVW	R0, ret_hi+4(FP)
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	WORD	$0xf57ff04f // DSB
	ISB
	RET
