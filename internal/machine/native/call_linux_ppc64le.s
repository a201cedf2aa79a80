#include "textflag.h"
#include "funcdata.h"

// C functions by the 64-bit ELF V2 ABI: arguments in R3, R4; result in R3; R12 has the
// address of the function, from which it finds its TOC; R14 to R31 and R1, the stack
// pointer, are preserved across a call; R1 is 16-byte aligned. R0, R2 (the TOC), R3 to R12,
// LR, CTR, CR0 and CR1 are not preserved. The state of the loop is in R14 to R18; R19
// and R20 keep the old R1 and R2. R30 is the goroutine of Go, and R31 belongs to its
// assembler: C code may use them temporarily, but restores them. R13 is the thread pointer, which
// nothing changes. Go code expects 0 in R0. The Go prologue has saved LR, which CALL overwrites.
//
// R1 is set to near the top of the frame, so that the C function uses the frame as its
// stack. The function saves LR and CR above R1, which is below the top. No word of the frame is
// a Go pointer.
//
// The functions of the vDSO report as the kernel does (arch/powerpc/include/asm/vdso/
// gettimeofday.h): if the summary overflow of CR0 is set, the result is an errno. The
// loop compares in CR1, so that CR0 is that of the last call.

#define ENTER \
	MOVD	R1, R19 \
	MOVD	R2, R20 \
	MOVD	$32512, R5 \
	ADD	R1, R5 \
	RLDICR	$0, R5, $59, R1 \
	MOVD	R19, (R1)

// LOOP makes the calls with these arguments, and advances the buffer.
#define LOOP(first, second) \
	PCALIGN	$32 \
loop: \
	MOVD	first, R3 \
	MOVD	second, R4 \
	MOVD	R14, R12 \
	MOVD	R12, CTR \
	CALL	(CTR) \
	ADD	R17, R16 \
	ADD	$-1, R18 \
	CMP	R18, $0, CR1 \
	BNE	CR1, loop

#define LEAVE \
	MOVD	R19, R1 \
	MOVD	R20, R2 \
	MOVD	$0, R0

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R14
	MOVD	id+8(FP), R15
	MOVD	buffer+16(FP), R16
	MOVD	step+24(FP), R17
	MOVD	n+32(FP), R18
	ENTER
	LOOP(R15, R16)
	LEAVE
	BVC	2(PC)
	NEG	R3
	MOVW	R3, R3
	MOVD	R3, ret+40(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R14
	MOVD	buffer+8(FP), R16
	MOVD	step+16(FP), R17
	MOVD	n+24(FP), R18
	ENTER
	LOOP(R16, $0)
	LEAVE
	BVC	2(PC)
	NEG	R3
	MOVD	R3, ret+32(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOVD	n+0(FP), R18
	MOVD	$nothing<>(SB), R14
	MOVD	$0, R15
	MOVD	$0, R16
	MOVD	$0, R17
	ENTER
	LOOP(R15, R16)
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
