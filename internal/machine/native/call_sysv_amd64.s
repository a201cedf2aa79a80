//go:build linux || darwin

#include "textflag.h"
#include "funcdata.h"

// C functions by the System V convention, on Linux and macOS: integer arguments in DI, SI; result in
// AX; BX, BP, R12 to R15 are preserved across a call; SP is 16-byte aligned at the
// CALL. The state of the loop is in the preserved registers. R14 is the goroutine
// of Go only in ABIInternal code. This is ABI0: its callers restore R14, and on
// amd64 the signal handlers of the runtime read it from thread-local storage.
//
// SP is set to the top of the frame, so that the C function uses the frame as its
// stack. The highest word of the frame, above everything that the C function uses,
// keeps the old SP. No word of the frame is a Go pointer.

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOVQ	fn+0(FP), R13
	MOVQ	id+8(FP), R14
	MOVQ	buffer+16(FP), R15
	MOVQ	step+24(FP), R12
	MOVQ	n+32(FP), BX
	MOVQ	SP, CX
	LEAQ	32752(SP), SP
	ANDQ	$~15, SP
	MOVQ	CX, 0(SP)
	PCALIGN	$32
loop:
	MOVQ	R14, DI
	MOVQ	R15, SI
	CALL	R13
	ADDQ	R12, R15
	DECQ	BX
	JNZ	loop
	MOVQ	0(SP), SP
	MOVLQSX	AX, AX
	MOVQ	AX, ret+40(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVQ	fn+0(FP), R13
	MOVQ	buffer+8(FP), R15
	MOVQ	step+16(FP), R14
	MOVQ	n+24(FP), BX
	MOVQ	SP, CX
	LEAQ	32752(SP), SP
	ANDQ	$~15, SP
	MOVQ	CX, 0(SP)
	PCALIGN	$32
loop:
	MOVQ	R15, DI
	XORL	SI, SI
	CALL	R13
	ADDQ	R14, R15
	DECQ	BX
	JNZ	loop
	MOVQ	0(SP), SP
	MOVQ	AX, ret+32(FP)
	RET

// func CallIDValue(fn, id uintptr, values *int64, step uintptr, n int)
TEXT ·CallIDValue(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVQ	fn+0(FP), R13
	MOVQ	id+8(FP), R14
	MOVQ	values+16(FP), R15
	MOVQ	step+24(FP), R12
	MOVQ	n+32(FP), BX
	MOVQ	SP, CX
	LEAQ	32752(SP), SP
	ANDQ	$~15, SP
	MOVQ	CX, 0(SP)
	PCALIGN	$32
loop:
	MOVQ	R14, DI
	CALL	R13
	MOVQ	AX, (R15)
	ADDQ	R12, R15
	DECQ	BX
	JNZ	loop
	MOVQ	0(SP), SP
	RET
