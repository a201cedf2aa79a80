//go:build linux || windows

#include "textflag.h"
#include "funcdata.h"

// C functions by AAPCS64, which Linux and Windows share: arguments in R0, R1; result in R0; R19 to R28 and
// SP survive a call; SP is always 16-byte aligned, in Go as in C. The loop's
// state is in the registers that survive, short of R28, which is Go's
// goroutine: C code may borrow it but gives it back. Go's prologue saved the
// link register, which CALL overwrites. X18 belongs to Windows (it points to the
// thread's environment block; Microsoft, "Overview of ARM64 ABI conventions") and
// is not touched.
//
// SP goes to the top of the frame, so that the frame is what the C function uses
// as its stack; R24 keeps it as it was. Nothing in the frame is a Go pointer.

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R19
	MOVD	buffer+8(FP), R21
	MOVD	step+16(FP), R22
	MOVD	n+24(FP), R23
	MOVD	RSP, R24
	MOVD	$32736, R25
	ADD	R24, R25
	MOVD	R25, RSP
	PCALIGN	$32
loop:
	MOVD	R21, R0
	MOVD	ZR, R1
	CALL	(R19)
	ADD	R22, R21
	SUB	$1, R23
	CBNZ	R23, loop
	MOVD	R24, RSP
	MOVD	R0, ret+32(FP)
	RET

// CallBuffer around a function that returns at once, with a CALL of its own;
// call_linux_amd64.s says why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOVD	n+0(FP), R23
	MOVD	$nothing<>(SB), R19
	MOVD	ZR, R21
	MOVD	ZR, R22
	MOVD	RSP, R24
	MOVD	$32736, R25
	ADD	R24, R25
	MOVD	R25, RSP
	PCALIGN	$32
loop:
	MOVD	R21, R0
	MOVD	ZR, R1
	CALL	(R19)
	ADD	R22, R21
	SUB	$1, R23
	CBNZ	R23, loop
	MOVD	R24, RSP
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
