#include "textflag.h"

// As counter_amd64.s, with registers of 32 bits.

// func SpinRDTSC(n int)
TEXT ·SpinRDTSC(SB), NOSPLIT, $0-4
	MOVL	n+0(FP), SI
	PCALIGN	$32
loop:
	RDTSC
	DECL	SI
	JNZ	loop
	RET

// func ReadRDTSC(ticks *int64, n int)
TEXT ·ReadRDTSC(SB), NOSPLIT, $0-8
	MOVL	ticks+0(FP), DI
	MOVL	n+4(FP), SI
	PCALIGN	$32
loop:
	RDTSC
	MOVL	AX, 0(DI)
	MOVL	DX, 4(DI)
	ADDL	$8, DI
	DECL	SI
	JNZ	loop
	RET

// func SpinLFENCERDTSC(n int)
TEXT ·SpinLFENCERDTSC(SB), NOSPLIT, $0-4
	MOVL	n+0(FP), SI
	PCALIGN	$32
loop:
	LFENCE
	RDTSC
	DECL	SI
	JNZ	loop
	RET

// func ReadLFENCERDTSC(ticks *int64, n int)
TEXT ·ReadLFENCERDTSC(SB), NOSPLIT, $0-8
	MOVL	ticks+0(FP), DI
	MOVL	n+4(FP), SI
	PCALIGN	$32
loop:
	LFENCE
	RDTSC
	MOVL	AX, 0(DI)
	MOVL	DX, 4(DI)
	ADDL	$8, DI
	DECL	SI
	JNZ	loop
	RET

// func SpinRDTSCP(n int)
TEXT ·SpinRDTSCP(SB), NOSPLIT, $0-4
	MOVL	n+0(FP), SI
	PCALIGN	$32
loop:
	RDTSCP
	DECL	SI
	JNZ	loop
	RET

// func ReadRDTSCP(ticks *int64, n int)
TEXT ·ReadRDTSCP(SB), NOSPLIT, $0-8
	MOVL	ticks+0(FP), DI
	MOVL	n+4(FP), SI
	PCALIGN	$32
loop:
	RDTSCP
	MOVL	AX, 0(DI)
	MOVL	DX, 4(DI)
	ADDL	$8, DI
	DECL	SI
	JNZ	loop
	RET
