#include "textflag.h"
#include "funcdata.h"

// C functions by the s390x ELF ABI: arguments in R2, R3; result in R2, sign-extended; R6 to
// R13 and R15 are preserved across a call; R15 is the stack pointer, 8-byte aligned in Go
// as in C; R14 has the return address. R0 to R5 and R14 are not preserved. The state of
// the loop is in R6 to R9 and R12. R13 is the goroutine of Go, and R10 and R11 belong to its
// assembler: C code may use them temporarily, but restores them. The Go prologue has
// saved R14, which CALL overwrites.
//
// R15 is set to near the top of the frame, so that the C function uses the frame as its
// stack. The function saves registers in the 160 bytes at R15, which are below the top;
// the word above them keeps the old R15. No word of the frame is a Go pointer. ADD with
// R15 as its target would tell the assembler of another frame, so R15 is only moved to.

#define ENTER \
	MOVD	$32512, R1 \
	ADD	R15, R1 \
	MOVD	R15, 160(R1) \
	MOVD	R1, R15

// LOOP makes the calls with these arguments, and advances the buffer.
#define LOOP(first, second) \
loop: \
	MOVD	first, R2 \
	MOVD	second, R3 \
	CALL	(R6) \
	ADD	R9, R8 \
	BRCTG	R12, loop

#define LEAVE \
	MOVD	160(R15), R15

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R6
	MOVD	id+8(FP), R7
	MOVD	buffer+16(FP), R8
	MOVD	step+24(FP), R9
	MOVD	n+32(FP), R12
	ENTER
	LOOP(R7, R8)
	LEAVE
	MOVW	R2, R2
	MOVD	R2, ret+40(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R6
	MOVD	buffer+8(FP), R8
	MOVD	step+16(FP), R9
	MOVD	n+24(FP), R12
	ENTER
	LOOP(R8, $0)
	LEAVE
	MOVD	R2, ret+32(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOVD	n+0(FP), R12
	MOVD	$nothing<>(SB), R6
	MOVD	$0, R7
	MOVD	$0, R8
	MOVD	$0, R9
	ENTER
	LOOP(R7, R8)
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
