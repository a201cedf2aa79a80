//go:build !cgo

#include "textflag.h"

#define SYS_write	64
#define SYS_exit_group	94
#define SYS_prctl	167

#define PR_GET_TSC	25
#define PR_TSC_SIGSEGV	2

DATA	_cgo_init+0(SB)/8, $·beforeStart(SB)
GLOBL	_cgo_init(SB), NOPTR, $8

// func beforeStart()
//
// There is neither a goroutine nor a Go stack yet. It returns only where the counter may be read, or where the kernel
// does not know PR_GET_TSC, which it does on arm64 since Linux 6.12.
TEXT ·beforeStart(SB), NOSPLIT|NOFRAME, $0-0
	SUB	$16, RSP
	MOVD	ZR, 0(RSP)
	MOVD	$SYS_prctl, R8
	MOVD	$PR_GET_TSC, R0
	MOVD	RSP, R1
	SVC
	MOVW	0(RSP), R0
	ADD	$16, RSP
	CMPW	$PR_TSC_SIGSEGV, R0
	BEQ	forbidden
	RET
forbidden:
	MOVD	$SYS_write, R8
	MOVD	$2, R0
	MOVD	·forbiddenCounter+0(SB), R1
	MOVD	·forbiddenCounter+8(SB), R2
	SVC
	MOVD	$SYS_exit_group, R8
	MOVD	$1, R0
	SVC
	BRK
