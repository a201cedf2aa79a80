#include "textflag.h"

// A KSYSTEM_TIME, as in ksystemtime_amd64.s. The first loads are acquire loads (LDAR), so
// that the CPU preserves their order. No stack, no calls.

// func SpinKSystemTime(at uintptr, n int)
TEXT ·SpinKSystemTime(SB), NOSPLIT, $0-16
	MOVD	at+0(FP), R0
	MOVD	n+8(FP), R1
	ADD	$4, R0, R2
	ADD	$8, R0, R3
	PCALIGN	$32
loop:
	LDARW	(R2), R4
	LDARW	(R0), R5
	MOVWU	(R3), R6
	CMPW	R4, R6
	BNE	loop
	SUB	$1, R1
	CBNZ	R1, loop
	RET

// func ReadKSystemTime(at uintptr, ticks *int64, n int)
TEXT ·ReadKSystemTime(SB), NOSPLIT, $0-24
	MOVD	at+0(FP), R0
	MOVD	ticks+8(FP), R7
	MOVD	n+16(FP), R1
	ADD	$4, R0, R2
	ADD	$8, R0, R3
	PCALIGN	$32
loop:
	LDARW	(R2), R4
	LDARW	(R0), R5
	MOVWU	(R3), R6
	CMPW	R4, R6
	BNE	loop
	ORR	R4<<32, R5
	MOVD	R5, (R7)
	ADD	$8, R7
	SUB	$1, R1
	CBNZ	R1, loop
	RET
