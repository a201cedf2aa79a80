#include "textflag.h"
#include "funcdata.h"

// C functions by the System V convention for i386: arguments on the stack, the first
// at the lowest address; result in AX; BX, BP, SI, DI and SP are preserved across a
// call, and SP is 16-byte aligned at the CALL. AX, CX and DX are not preserved. The
// callee owns the slots of its arguments, so the loop writes them before each call. The
// state of the loop is in the preserved registers and, above everything that the C
// function uses, in words of the frame. Go keeps its goroutine in thread-local storage
// (GS), which the vDSO does not change.
//
// SP is set to near the top of the frame, so that the C function uses the frame as its
// stack. The garbage collector does not know the words of the frame: the heap does not
// move, and the argument slot of the buffer keeps its object alive.

#define TOP	32704

// enter sets SP to the top of the frame, 16-byte aligned, and keeps the old SP at 16(SP).
#define ENTER \
	MOVL	SP, DX; \
	LEAL	TOP(SP), SP; \
	ANDL	$~15, SP; \
	MOVL	DX, 16(SP)

// CALLID makes the calls with an id at 20(SP), and advances the buffer by the step at 24(SP).
#define CALLID \
	PCALIGN	$32; \
loop: \
	MOVL	20(SP), AX; \
	MOVL	AX, 0(SP); \
	MOVL	SI, 4(SP); \
	CALL	BX; \
	ADDL	24(SP), SI; \
	DECL	DI; \
	JNZ	loop

#define LEAVE \
	MOVL	16(SP), SP

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-24
	NO_LOCAL_POINTERS
	MOVL	fn+0(FP), BX
	MOVL	id+4(FP), AX
	MOVL	buffer+8(FP), SI
	MOVL	step+12(FP), CX
	MOVL	n+16(FP), DI
	ENTER
	MOVL	AX, 20(SP)
	MOVL	CX, 24(SP)
	CALLID
	LEAVE
	MOVL	AX, ret+20(FP)
	RET

// func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallBuffer(SB), 0, $32768-20
	NO_LOCAL_POINTERS
	MOVL	fn+0(FP), BX
	MOVL	buffer+4(FP), SI
	MOVL	step+8(FP), CX
	MOVL	n+12(FP), DI
	ENTER
	MOVL	CX, 24(SP)
	PCALIGN	$32
loop:
	MOVL	SI, 0(SP)
	MOVL	$0, 4(SP)
	CALL	BX
	ADDL	24(SP), SI
	DECL	DI
	JNZ	loop
	LEAVE
	MOVL	AX, ret+16(FP)
	RET

// CallIDBuffer for an empty function, with its own CALL; callcounter_amd64.s explains why.
//
// func CallNothing(n int)
TEXT ·CallNothing(SB), 0, $32768-4
	NO_LOCAL_POINTERS
	MOVL	n+0(FP), DI
	MOVL	$nothing<>(SB), BX
	XORL	SI, SI
	ENTER
	MOVL	$0, 20(SP)
	MOVL	$0, 24(SP)
	CALLID
	LEAVE
	RET

TEXT nothing<>(SB), NOSPLIT|NOFRAME, $0-0
	RET
