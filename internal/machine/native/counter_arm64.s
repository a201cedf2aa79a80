#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.

// func SpinCNTVCT(n int)
TEXT ·SpinCNTVCT(SB), NOSPLIT, $0-8
	MOVD	n+0(FP), R1
	PCALIGN	$32
loop:
	MRS	CNTVCT_EL0, R0
	SUB	$1, R1
	CBNZ	R1, loop
	RET

// func ReadCNTVCT(ticks *int64, n int)
TEXT ·ReadCNTVCT(SB), NOSPLIT, $0-16
	MOVD	ticks+0(FP), R2
	MOVD	n+8(FP), R1
	PCALIGN	$32
loop:
	MRS	CNTVCT_EL0, R0
	MOVD.P	R0, 8(R2)
	SUB	$1, R1
	CBNZ	R1, loop
	RET

// func SpinISBCNTVCT(n int)
TEXT ·SpinISBCNTVCT(SB), NOSPLIT, $0-8
	MOVD	n+0(FP), R1
	PCALIGN	$32
loop:
	ISB	$15
	MRS	CNTVCT_EL0, R0
	SUB	$1, R1
	CBNZ	R1, loop
	RET

// func ReadISBCNTVCT(ticks *int64, n int)
TEXT ·ReadISBCNTVCT(SB), NOSPLIT, $0-16
	MOVD	ticks+0(FP), R2
	MOVD	n+8(FP), R1
	PCALIGN	$32
loop:
	ISB	$15
	MRS	CNTVCT_EL0, R0
	MOVD.P	R0, 8(R2)
	SUB	$1, R1
	CBNZ	R1, loop
	RET

// func CounterHz() uint64
TEXT ·CounterHz(SB), NOSPLIT, $0-8
	MRS	CNTFRQ_EL0, R0
	MOVD	R0, ret+0(FP)
	RET
