#include "textflag.h"
#include "funcdata.h"

// C functions by AAPCS32: arguments in R0, R1; result in R0; R4 to R11 and SP are
// preserved across a call, and SP is 8-byte aligned. R0 to R3, R12 and LR are not
// preserved. The state of the loop is in R4 to R8; R9 keeps the old SP. R10 is the
// goroutine of Go, and R11 belongs to its assembler: C code may use them temporarily, but
// restores them. The Go prologue has saved LR, which CALL overwrites. CALL is BLX, because
// the vDSO of a Thumb kernel is Thumb code.
//
// SP is set to near the top of the frame, so that the C function uses the frame as its
// stack. No word of the frame is a Go pointer. ADD with SP as its target would tell the
// assembler of another frame, so SP is only moved to.

#define ENTER \
	MOVW	R13, R9 \
	MOVW	$32704, R0 \
	ADD	R13, R0 \
	BIC	$7, R0 \
	MOVW	R0, R13

// LOOP makes the calls with these arguments, and advances the buffer.
#define LOOP(first, second) \
loop: \
	MOVW	first, R0 \
	MOVW	second, R1 \
	CALL	(R4) \
	ADD	R7, R6 \
	SUB.S	$1, R8 \
	BNE	loop

#define LEAVE \
	MOVW	R9, R13

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-24
	NO_LOCAL_POINTERS
	MOVW	fn+0(FP), R4
	MOVW	id+4(FP), R5
	MOVW	buffer+8(FP), R6
	MOVW	step+12(FP), R7
	MOVW	n+16(FP), R8
	ENTER
	LOOP(R5, R6)
	LEAVE
	MOVW	R0, ret+20(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-20
	NO_LOCAL_POINTERS
	MOVW	fn+0(FP), R4
	MOVW	buffer+4(FP), R6
	MOVW	step+8(FP), R7
	MOVW	n+12(FP), R8
	ENTER
	LOOP(R6, $0)
	LEAVE
	MOVW	R0, ret+16(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-4
	NO_LOCAL_POINTERS
	MOVW	n+0(FP), R8
	MOVW	$nothing<>(SB), R4
	MOVW	$0, R5
	MOVW	$0, R6
	MOVW	$0, R7
	ENTER
	LOOP(R5, R6)
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
