#include "textflag.h"

// A C function by the System V convention: DI is the FineData, SI the timespec; BX and
// R14 are preserved, as by the vDSO, which uses them. It reads nothing but the data, and
// writes nothing but the timespec and its stack. As in a vDSO of Linux 6.18 there are the
// frame pointer, the alignment of the stack, the check of the clock's id, and zeros in the
// registers at the end (CONFIG_ZERO_CALL_USED_REGS, which not every kernel has).

// func FineRead() uintptr
TEXT ·FineRead(SB), NOSPLIT, $0-8
	MOVQ	$fineRead<>(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

TEXT fineRead<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ	BP
	MOVQ	SP, BP
	PUSHQ	R14
	PUSHQ	BX
	ANDQ	$~15, SP
	SUBQ	$16, SP
	MOVL	$1, CX			// CLOCK_MONOTONIC
	CMPL	CX, $23
	JHI	slow
	MOVL	$1, AX
	SHLL	CX, AX
	MOVL	AX, DX
	ANDL	$0x883, DX		// the fine clocks, by their ids
	JEQ	slow
again:
	MOVL	0(DI), R11		// Sequence
	MOVL	R11, R9
	ANDL	$1, R9
	JNE	again
	MOVL	4(DI), AX		// Ordered
	CMPL	AX, $1
	JNE	fence
	RDTSCP
counted:
	SHLQ	$32, DX
	ORQ	AX, DX
	BTRQ	$63, DX
	MOVL	36(DI), CX		// Shift
	SUBQ	8(DI), DX		// Last
	ANDQ	16(DI), DX		// Mask
	MOVQ	40(DI), BX		// NS
	CMPQ	DX, 24(DI)		// Most
	JHI	slow
	MOVL	32(DI), AX		// Mult
	IMULQ	DX, AX
	ADDQ	BX, AX
	SHRQ	CX, AX
	MOVQ	48(DI), DX		// Seconds
	MOVL	0(DI), CX
	CMPL	R11, CX
	JNE	again
	CMPQ	AX, $999999999
	JLS	done
second:
	SUBQ	$1000000000, AX
	ADDL	$1, R9
	CMPQ	AX, $999999999
	JHI	second
	ADDQ	R9, DX
done:
	MOVQ	DX, 0(SI)
	MOVQ	AX, 8(SI)
	XORL	AX, AX
out:
	LEAQ	-16(BP), SP
	POPQ	BX
	POPQ	R14
	POPQ	BP
	XORL	DX, DX
	XORL	CX, CX
	XORL	SI, SI
	XORL	DI, DI
	XORL	R8, R8
	XORL	R9, R9
	XORL	R10, R10
	XORL	R11, R11
	RET
fence:
	LFENCE
	RDTSC
	JMP	counted
slow:
	MOVQ	$-1, AX
	JMP	out
