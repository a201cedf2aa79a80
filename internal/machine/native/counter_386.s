#include "textflag.h"

// As counter_amd64.s, with registers of 32 bits.

#define SPIN(instructions) \
	MOVL	n+0(FP), SI \
	PCALIGN	$32 \
loop: \
	instructions \
	DECL	SI \
	JNZ	loop \
	RET

#define READ(instructions) \
	MOVL	ticks+0(FP), DI \
	MOVL	n+4(FP), SI \
	PCALIGN	$32 \
loop: \
	instructions \
	MOVL	AX, 0(DI) \
	MOVL	DX, 4(DI) \
	ADDL	$8, DI \
	DECL	SI \
	JNZ	loop \
	RET

// func SpinRDTSC(n int)
TEXT ·SpinRDTSC(SB), NOSPLIT, $0-4
	SPIN(RDTSC)

// func ReadRDTSC(ticks *int64, n int)
TEXT ·ReadRDTSC(SB), NOSPLIT, $0-8
	READ(RDTSC)

// func SpinLFENCERDTSC(n int)
TEXT ·SpinLFENCERDTSC(SB), NOSPLIT, $0-4
	SPIN(LFENCE; RDTSC)

// func ReadLFENCERDTSC(ticks *int64, n int)
TEXT ·ReadLFENCERDTSC(SB), NOSPLIT, $0-8
	READ(LFENCE; RDTSC)

// func SpinRDTSCP(n int)
TEXT ·SpinRDTSCP(SB), NOSPLIT, $0-4
	SPIN(RDTSCP)

// func ReadRDTSCP(ticks *int64, n int)
TEXT ·ReadRDTSCP(SB), NOSPLIT, $0-8
	READ(RDTSCP)
