#include "textflag.h"

// As cpuid_amd64.s.

// func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·CPUID(SB), NOSPLIT, $0-20
	MOVL	leaf+0(FP), AX
	XORL	CX, CX
	CPUID
	MOVL	AX, eax+4(FP)
	MOVL	BX, ebx+8(FP)
	MOVL	CX, ecx+12(FP)
	MOVL	DX, edx+16(FP)
	RET
