#include "textflag.h"

// CPUID writes AX, BX, CX and DX, which every ABI0 function may overwrite, and no memory
// except the results. No stack, no calls, no pointers for the garbage collector.

// func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·CPUID(SB), NOSPLIT, $0-24
	MOVL	leaf+0(FP), AX
	XORL	CX, CX
	CPUID
	MOVL	AX, eax+8(FP)
	MOVL	BX, ebx+12(FP)
	MOVL	CX, ecx+16(FP)
	MOVL	DX, edx+20(FP)
	RET
