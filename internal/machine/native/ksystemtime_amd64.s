#include "textflag.h"

// A KSYSTEM_TIME is LowPart, High1Time, High2Time, 32 bits each. The writer stores
// High2Time, LowPart, High1Time. A reader loads them in the reverse order, and retries
// while the two high parts differ. x86 preserves the order of stores and of loads (Intel
// SDM volume 3, section 9.2). No stack, no calls.

// func SpinKSystemTime(at uintptr, n int)
TEXT ·SpinKSystemTime(SB), NOSPLIT, $0-16
	MOVQ	at+0(FP), SI
	MOVQ	n+8(FP), CX
	PCALIGN	$32
loop:
	MOVL	4(SI), DX
	MOVL	0(SI), AX
	CMPL	DX, 8(SI)
	JNE	loop
	DECQ	CX
	JNZ	loop
	RET

// func ReadKSystemTime(at uintptr, ticks *int64, n int)
TEXT ·ReadKSystemTime(SB), NOSPLIT, $0-24
	MOVQ	at+0(FP), SI
	MOVQ	ticks+8(FP), DI
	MOVQ	n+16(FP), CX
	PCALIGN	$32
loop:
	MOVL	4(SI), DX
	MOVL	0(SI), AX
	CMPL	DX, 8(SI)
	JNE	loop
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, (DI)
	ADDQ	$8, DI
	DECQ	CX
	JNZ	loop
	RET
