//go:build linux || windows || darwin

#include "textflag.h"
#include "funcdata.h"

// The loop of CallIDBuffer (call_sysv_amd64.s) for functions of this file, on every system:
// an empty one, and those that read the counter and return. Each loop has its own CALL: a CPU
// predicts a CALL with two targets later than one with a single target, which is visible
// with an empty function (2.2 ns instead of 1.4 on an AMD EPYC). The state of the loop is in
// registers that neither RDTSC nor RDTSCP writes, as they do AX, CX and DX.

#define LOOP(function) \
	MOVQ	n+0(FP), BX \
	MOVQ	$function, R13 \
	XORL	R12, R12 \
	XORL	R14, R14 \
	XORL	R15, R15 \
	MOVQ	SP, CX \
	LEAQ	32752(SP), SP \
	ANDQ	$~15, SP \
	MOVQ	CX, 0(SP) \
	PCALIGN	$32 \
loop: \
	MOVQ	R14, DI \
	MOVQ	R15, SI \
	CALL	R13 \
	ADDQ	R12, R15 \
	DECQ	BX \
	JNZ	loop \
	MOVQ	0(SP), SP \
	RET

// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(nothing<>(SB))

// func callRDTSC(n int)
TEXT ·callRDTSC(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(rdtsc<>(SB))

// func callLFENCERDTSC(n int)
TEXT ·callLFENCERDTSC(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(lfenceRDTSC<>(SB))

// func callRDTSCP(n int)
TEXT ·callRDTSCP(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(rdtscp<>(SB))

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET

TEXT rdtsc<>(SB), NOSPLIT|NOFRAME, $0-0
	RDTSC
	RET

TEXT lfenceRDTSC<>(SB), NOSPLIT|NOFRAME, $0-0
	LFENCE
	RDTSC
	RET

TEXT rdtscp<>(SB), NOSPLIT|NOFRAME, $0-0
	RDTSCP
	RET
