#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.

// func SpinRDTIME(n int)
TEXT ·SpinRDTIME(SB), NOSPLIT, $0-8
	MOV	n+0(FP), X11
	PCALIGN	$32
loop:
	RDTIME	X10
	ADD	$-1, X11
	BNE	X11, ZERO, loop
	RET

// func ReadRDTIME(ticks *int64, n int)
TEXT ·ReadRDTIME(SB), NOSPLIT, $0-16
	MOV	ticks+0(FP), X12
	MOV	n+8(FP), X11
	PCALIGN	$32
loop:
	RDTIME	X10
	MOV	X10, (X12)
	ADD	$8, X12
	ADD	$-1, X11
	BNE	X11, ZERO, loop
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	FENCE // iorw, iorw
	RET
