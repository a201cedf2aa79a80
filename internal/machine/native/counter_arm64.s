#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.

#define CNTVCT	MRS	CNTVCT_EL0, R0

#define SPIN(instructions) \
	MOVD	n+0(FP), R1 \
	PCALIGN	$32 \
loop: \
	instructions \
	SUB	$1, R1 \
	CBNZ	R1, loop \
	RET

#define READ(instructions) \
	MOVD	ticks+0(FP), R2 \
	MOVD	n+8(FP), R1 \
	PCALIGN	$32 \
loop: \
	instructions \
	MOVD.P	R0, 8(R2) \
	SUB	$1, R1 \
	CBNZ	R1, loop \
	RET

// func SpinCNTVCT(n int)
TEXT ·SpinCNTVCT(SB), NOSPLIT, $0-8
	SPIN(CNTVCT)

// func ReadCNTVCT(ticks *int64, n int)
TEXT ·ReadCNTVCT(SB), NOSPLIT, $0-16
	READ(CNTVCT)

// func SpinISBCNTVCT(n int)
TEXT ·SpinISBCNTVCT(SB), NOSPLIT, $0-8
	SPIN(ISB $15; CNTVCT)

// func ReadISBCNTVCT(ticks *int64, n int)
TEXT ·ReadISBCNTVCT(SB), NOSPLIT, $0-16
	READ(ISB $15; CNTVCT)

// func CounterHz() uint64
TEXT ·CounterHz(SB), NOSPLIT, $0-8
	MRS	CNTFRQ_EL0, R0
	MOVD	R0, ret+0(FP)
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	DSB	$9 // ISHLD: the loads before it are complete
	ISB	$15
	RET
