#include "textflag.h"
#include "funcdata.h"

// C functions by the RISC-V calling convention (psABI, "Integer Calling Convention"):
// arguments in A0, A1 (X10, X11); result in A0; S0 to S11 (X8, X9, X18 to X27) and SP
// are preserved across a call, and SP is always 16-byte aligned. GP and TP, which Go does
// not use, are not preserved by name, but no function changes them; the vDSO uses
// neither. The state of the loop is in S2 to S7. X27 is the goroutine of Go: it is S11,
// so C code may use it temporarily, but restores it. The Go prologue has saved the link
// register, which CALL overwrites.
//
// SP is set to the top of the frame, so that the C function uses the frame as its stack;
// X23 keeps the old SP. No word of the frame is a Go pointer.

#define ENTER \
	MOV	X2, X23 \
	MOV	$32736, X24 \
	ADD	X24, X2, X24 \
	AND	$-16, X24, X2

// LOOP makes the calls with these arguments, and advances the buffer.
#define LOOP(first, second) \
	PCALIGN	$32 \
loop: \
	MOV	first, X10 \
	MOV	second, X11 \
	CALL	X18 \
	ADD	X21, X20 \
	ADD	$-1, X22 \
	BNE	X22, ZERO, loop

#define LEAVE \
	MOV	X23, X2

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOV	fn+0(FP), X18
	MOV	id+8(FP), X19
	MOV	buffer+16(FP), X20
	MOV	step+24(FP), X21
	MOV	n+32(FP), X22
	ENTER
	LOOP(X19, X20)
	LEAVE
	MOVW	X10, X10
	MOV	X10, ret+40(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOV	fn+0(FP), X18
	MOV	buffer+8(FP), X20
	MOV	step+16(FP), X21
	MOV	n+24(FP), X22
	ENTER
	LOOP(X20, ZERO)
	LEAVE
	MOV	X10, ret+32(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOV	n+0(FP), X22
	MOV	$nothing<>(SB), X18
	MOV	ZERO, X19
	MOV	ZERO, X20
	MOV	ZERO, X21
	ENTER
	LOOP(X19, X20)
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
