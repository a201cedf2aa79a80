#include "textflag.h"
#include "funcdata.h"

// C functions by the Windows x64 convention (Microsoft, "x64 calling
// convention"): integer arguments in CX, DX; result in AX; BX, BP, DI, SI, R12 to
// R15 and X6 to X15 are preserved across a call; SP is 16-byte aligned at the CALL,
// and the callee may write to the 32 bytes above it. The state of the loop is in
// the preserved registers. ABI0 allows this code to change all of them. It does not
// change the thread environment block, which GS points to.
//
// SP is set to the top of the frame, so that the C function uses the frame as its
// stack, below the 32 bytes. DI keeps the old SP. No word of the frame is a Go
// pointer. The stack is not the one in the thread environment block. Only a function
// with a frame of a page or more (__chkstk), or one that raises an exception, reads
// the stack bounds there, and no clock does.

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVQ	fn+0(FP), R13
	MOVQ	buffer+8(FP), R15
	MOVQ	step+16(FP), R14
	MOVQ	n+24(FP), BX
	MOVQ	SP, DI
	LEAQ	32704(SP), SP
	ANDQ	$~15, SP
	PCALIGN	$32
loop:
	MOVQ	R15, CX
	XORL	DX, DX
	CALL	R13
	ADDQ	R14, R15
	DECQ	BX
	JNZ	loop
	MOVQ	DI, SP
	MOVQ	AX, ret+32(FP)
	RET

// func CallValue(fn uintptr, values *int64, step uintptr, n int)
TEXT ·CallValue(SB), 0, $32768-32
	NO_LOCAL_POINTERS
	MOVQ	fn+0(FP), R13
	MOVQ	values+8(FP), R15
	MOVQ	step+16(FP), R14
	MOVQ	n+24(FP), BX
	MOVQ	SP, DI
	LEAQ	32704(SP), SP
	ANDQ	$~15, SP
	PCALIGN	$32
loop:
	CALL	R13
	MOVQ	AX, (R15)
	ADDQ	R14, R15
	DECQ	BX
	JNZ	loop
	MOVQ	DI, SP
	RET
