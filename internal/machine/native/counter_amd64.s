#include "textflag.h"

// RDTSC and RDTSCP return the counter in DX:AX; RDTSCP also returns the CPU number in
// CX. No stack, no calls: the loops use registers that every ABI0 function may
// overwrite.

#define SPIN(instructions) \
	MOVQ	n+0(FP), SI \
	PCALIGN	$32 \
loop: \
	instructions \
	DECQ	SI \
	JNZ	loop \
	RET

#define READ(instructions) \
	MOVQ	ticks+0(FP), DI \
	MOVQ	n+8(FP), SI \
	PCALIGN	$32 \
loop: \
	instructions \
	SHLQ	$32, DX \
	ORQ	DX, AX \
	MOVQ	AX, (DI) \
	ADDQ	$8, DI \
	DECQ	SI \
	JNZ	loop \
	RET

// func SpinRDTSC(n int)
TEXT ·SpinRDTSC(SB), NOSPLIT, $0-8
	SPIN(RDTSC)

// func ReadRDTSC(ticks *int64, n int)
TEXT ·ReadRDTSC(SB), NOSPLIT, $0-16
	READ(RDTSC)

// func SpinLFENCERDTSC(n int)
TEXT ·SpinLFENCERDTSC(SB), NOSPLIT, $0-8
	SPIN(LFENCE; RDTSC)

// func ReadLFENCERDTSC(ticks *int64, n int)
TEXT ·ReadLFENCERDTSC(SB), NOSPLIT, $0-16
	READ(LFENCE; RDTSC)

// func SpinRDTSCP(n int)
TEXT ·SpinRDTSCP(SB), NOSPLIT, $0-8
	SPIN(RDTSCP)

// func ReadRDTSCP(ticks *int64, n int)
TEXT ·ReadRDTSCP(SB), NOSPLIT, $0-16
	READ(RDTSCP)
