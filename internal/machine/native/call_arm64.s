//go:build linux || windows || darwin

#include "textflag.h"
#include "funcdata.h"

// C functions by AAPCS64, on Linux, Windows and macOS: arguments in R0, R1; result in R0;
// R19 to R28 and SP are preserved across a call; SP is always 16-byte aligned, in
// Go as in C. The state of the loop is in the preserved registers, except R28,
// which is the goroutine of Go: C code may use it temporarily, but restores it.
// The Go prologue has saved the link register, which CALL overwrites. X18 belongs
// to Windows (it points to the thread environment block; Microsoft, "Overview of
// ARM64 ABI conventions") and to macOS, and is not used.
//
// SP is set to the top of the frame, so that the C function uses the frame as its
// stack; R24 keeps the old SP. No word of the frame is a Go pointer.

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
