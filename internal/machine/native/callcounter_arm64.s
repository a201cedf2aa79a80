//go:build linux || windows || darwin

#include "textflag.h"
#include "funcdata.h"

// The loop of CallBuffer (call_arm64.s) for functions of this file: an empty one, and those
// that read the counter and return. callcounter_amd64.s explains why each has its own CALL.

#define LOOP(function) \
	MOVD	n+0(FP), R23 \
	MOVD	$function, R19 \
	MOVD	ZR, R21 \
	MOVD	ZR, R22 \
	MOVD	RSP, R24 \
	MOVD	$32736, R25 \
	ADD	R24, R25 \
	MOVD	R25, RSP \
	PCALIGN	$32 \
loop: \
	MOVD	R21, R0 \
	MOVD	ZR, R1 \
	CALL	(R19) \
	ADD	R22, R21 \
	SUB	$1, R23 \
	CBNZ	R23, loop \
	MOVD	R24, RSP \
	RET

// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(nothing<>(SB))

// func callCNTVCT(n int)
TEXT ·callCNTVCT(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(cntvct<>(SB))

// func callISBCNTVCT(n int)
TEXT ·callISBCNTVCT(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	LOOP(isbCNTVCT<>(SB))

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET

TEXT cntvct<>(SB), NOSPLIT|NOFRAME, $0-0
	MRS	CNTVCT_EL0, R0
	RET

TEXT isbCNTVCT<>(SB), NOSPLIT|NOFRAME, $0-0
	ISB	$15
	MRS	CNTVCT_EL0, R0
	RET
