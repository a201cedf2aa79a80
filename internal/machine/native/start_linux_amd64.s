//go:build !cgo

#include "textflag.h"

#define SYS_write	1
#define SYS_prctl	157
#define SYS_arch_prctl	158
#define SYS_exit_group	231

#define PR_GET_TSC	25
#define PR_TSC_SIGSEGV	2
#define ARCH_SET_FS	0x1002

DATA	_cgo_init+0(SB)/8, $·beforeStart(SB)
GLOBL	_cgo_init(SB), NOPTR, $8

// func beforeStart()
//
// There is neither a goroutine nor a Go stack yet. It returns only where the counter may be read, or where the kernel
// does not know PR_GET_TSC.
TEXT ·beforeStart(SB), NOSPLIT|NOFRAME, $0-0
	SUBQ	$16, SP
	MOVL	$0, 0(SP)
	MOVL	$SYS_prctl, AX
	MOVL	$PR_GET_TSC, DI
	MOVQ	SP, SI
	SYSCALL
	CMPL	0(SP), $PR_TSC_SIGSEGV
	JEQ	forbidden
	// A thread has its words below the address in FS.
	MOVL	$SYS_arch_prctl, AX
	MOVL	$ARCH_SET_FS, DI
	LEAQ	·threadLocal+8(SB), SI
	SYSCALL
	ADDQ	$16, SP
	RET
forbidden:
	MOVL	$SYS_write, AX
	MOVL	$2, DI
	MOVQ	·forbiddenCounter+0(SB), SI
	MOVQ	·forbiddenCounter+8(SB), DX
	SYSCALL
	MOVL	$SYS_exit_group, AX
	MOVL	$1, DI
	SYSCALL
	INT	$3
