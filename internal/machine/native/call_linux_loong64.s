#include "textflag.h"
#include "funcdata.h"

// C functions by the LoongArch ELF psABI (LP64): arguments in R4, R5 (a0, a1); result in R4;
// R22 to R31 (fp, s0 to s8) and R3, the stack pointer, are preserved across a call; R3 is
// 16-byte aligned; R1 has the return address. The state of the loop is in R23 to R27; R28
// keeps the old R3. R22 is the goroutine of Go, and R30 belongs to its assembler: C code may
// use them temporarily, but restores them. R2 is the thread pointer, which nothing changes. The
// Go prologue has saved R1, which CALL overwrites.
//
// R3 is set to near the top of the frame, so that the C function uses the frame as its
// stack. No word of the frame is a Go pointer.

#define ENTER \
	MOVV	R3, R28 \
	MOVV	$32704, R12 \
	ADDV	R3, R12 \
	AND	$~15, R12 \
	MOVV	R12, R3

// LOOP makes the calls with these arguments, and advances the buffer.
#define LOOP(first, second) \
	PCALIGN	$32 \
loop: \
	MOVV	first, R4 \
	MOVV	second, R5 \
	CALL	(R23) \
	ADDV	R26, R25 \
	ADDV	$-1, R27 \
	BNE	R27, loop

#define LEAVE \
	MOVV	R28, R3

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOVV	fn+0(FP), R23
	MOVV	id+8(FP), R24
	MOVV	buffer+16(FP), R25
	MOVV	step+24(FP), R26
	MOVV	n+32(FP), R27
	ENTER
	LOOP(R24, R25)
	LEAVE
	MOVW	R4, R4
	MOVV	R4, ret+40(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVV	fn+0(FP), R23
	MOVV	buffer+8(FP), R25
	MOVV	step+16(FP), R26
	MOVV	n+24(FP), R27
	ENTER
	LOOP(R25, R0)
	LEAVE
	MOVV	R4, ret+32(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOVV	n+0(FP), R27
	MOVV	$nothing<>(SB), R23
	MOVV	R0, R24
	MOVV	R0, R25
	MOVV	R0, R26
	ENTER
	LOOP(R24, R25)
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
