//go:build linux || darwin

#include "textflag.h"
#include "funcdata.h"

// As call_arm64.s, with an id before the buffer.

// func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·CallIDBuffer(SB), 0, $32768-48
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R19
	MOVD	id+8(FP), R20
	MOVD	buffer+16(FP), R21
	MOVD	step+24(FP), R22
	MOVD	n+32(FP), R23
	MOVD	RSP, R24
	MOVD	$32736, R25
	ADD	R24, R25
	MOVD	R25, RSP
	PCALIGN	$32
loop:
	MOVD	R20, R0
	MOVD	R21, R1
	CALL	(R19)
	ADD	R22, R21
	SUB	$1, R23
	CBNZ	R23, loop
	MOVD	R24, RSP
	MOVW	R0, R0
	MOVD	R0, ret+40(FP)
	RET

// func CallIDValue(fn, id uintptr, values *int64, step uintptr, n int)
TEXT ·CallIDValue(SB), 0, $32768-40
	NO_LOCAL_POINTERS
	MOVD	fn+0(FP), R19
	MOVD	id+8(FP), R20
	MOVD	values+16(FP), R21
	MOVD	step+24(FP), R22
	MOVD	n+32(FP), R23
	MOVD	RSP, R24
	MOVD	$32736, R25
	ADD	R24, R25
	MOVD	R25, RSP
	PCALIGN	$32
loop:
	MOVD	R20, R0
	CALL	(R19)
	MOVD	R0, (R21)
	ADD	R22, R21
	SUB	$1, R23
	CBNZ	R23, loop
	MOVD	R24, RSP
	RET
