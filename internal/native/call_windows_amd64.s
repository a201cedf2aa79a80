#include "textflag.h"
#include "funcdata.h"

// C functions by the Windows x64 convention (Microsoft, "x64 calling
// convention"): integer arguments in CX, DX; result in AX; BX, BP, DI, SI, R12 to
// R15 and X6 to X15 survive a call; SP is 16-byte aligned at the CALL, and the 32
// bytes above it are the callee's to write. That leaves the loop's state in the
// registers that survive. ABI0 lets this code change all of them; the thread's
// environment block, which GS points to, is not touched.
//
// SP goes to the top of the frame, so that the frame is what the C function uses
// as its stack, below the 32 bytes. DI keeps SP as it was. Nothing in the frame is
// a Go pointer. The stack is not the one that the thread's environment block tells
// of. Only a function with a frame of a page or more (__chkstk) or one that raises
// an exception looks there, and no clock does.

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

// CallBuffer around a function that returns at once, with a CALL of its own;
// call_linux_amd64.s says why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-8
	NO_LOCAL_POINTERS
	MOVQ	n+0(FP), BX
	MOVQ	$nothing<>(SB), R13
	XORL	R14, R14
	XORL	R15, R15
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
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
