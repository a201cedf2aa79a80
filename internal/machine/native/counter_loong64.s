#include "textflag.h"

// No stack, no calls: the loops use registers that every ABI0 function may overwrite.
// The first register of RDTIMED gets the number of the counter: nothing, in R0.

// func spinRDTIMED(n int)
TEXT ·spinRDTIMED(SB), NOSPLIT, $0-8
	MOVV	n+0(FP), R5
	PCALIGN	$32
loop:
	RDTIMED	R0, R4
	ADDV	$-1, R5
	BNE	R5, loop
	RET

// func readRDTIMED(ticks *int64, n int)
TEXT ·readRDTIMED(SB), NOSPLIT, $0-16
	MOVV	ticks+0(FP), R6
	MOVV	n+8(FP), R5
	PCALIGN	$32
loop:
	RDTIMED	R0, R4
	MOVV	R4, (R6)
	ADDV	$8, R6
	ADDV	$-1, R5
	BNE	R5, loop
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	DBAR	$0
	RET
