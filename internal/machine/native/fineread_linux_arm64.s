#include "textflag.h"

// A C function by AAPCS64: R0 is the FineData, R1 the timespec. It uses registers that a
// C function may overwrite, and no stack. It reads nothing but the data, and what RSP
// points to, and writes nothing but the timespec.

// func FineRead() uintptr
TEXT ·FineRead(SB), NOSPLIT, $0-8
	MOVD	$fineRead<>(SB), R0
	MOVD	R0, ret+0(FP)
	RET

TEXT fineRead<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	$1, R2			// CLOCK_MONOTONIC
	CMPW	$23, R2
	BHI	slow
	MOVD	$1, R3
	LSL	R2, R3, R3
	MOVD	$0x883, R4		// the fine clocks, by their ids
	TST	R4, R3
	BEQ	slow
again:
	MOVWU	0(R0), R5		// Sequence
	TBNZ	$0, R5, again
	DMB	$9			// loads before loads and stores
	ISB	$15
	MRS	CNTVCT_EL0, R6
	// A load that depends on the counter: later loads wait for it
	// (arch/arm64/include/asm/arch_timer.h, arch_counter_enforce_ordering).
	EOR	R6, R6, R7
	MOVD	RSP, R8
	ADD	R8, R7, R7
	MOVD	(R7), ZR
	MOVD	8(R0), R8		// Last
	SUB	R8, R6
	MOVD	16(R0), R8		// Mask
	AND	R8, R6
	MOVD	24(R0), R8		// Most
	CMP	R8, R6
	BHI	slow
	MOVWU	32(R0), R9		// Mult
	MOVWU	36(R0), R10		// Shift
	MOVD	40(R0), R11		// NS
	MADD	R9, R11, R6, R6
	LSR	R10, R6, R6
	MOVD	48(R0), R12		// Seconds
	DMB	$9
	MOVWU	0(R0), R13
	CMPW	R5, R13
	BNE	again
	MOVD	$1000000000, R14
	MOVD	ZR, R15
	CMP	R14, R6
	BLO	done
second:
	SUB	R14, R6
	ADD	$1, R15
	CMP	R14, R6
	BHS	second
	ADD	R15, R12
done:
	STP	(R12, R6), (R1)
	MOVD	ZR, R0
	RET
slow:
	MOVD	$-1, R0
	RET
