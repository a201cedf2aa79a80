#include "textflag.h"

// No calls: the loops use registers that every ABI0 function may overwrite. The
// instructions write to memory; the frame of spin has the word for it.

#define SPIN(instruction) \
	MOVD	n+0(FP), R2 \
loop: \
	instruction	ticks-8(SP) \
	BRCTG	R2, loop \
	RET

#define READ(instruction) \
	MOVD	ticks+0(FP), R1 \
	MOVD	n+8(FP), R2 \
loop: \
	instruction	(R1) \
	ADD	$8, R1 \
	BRCTG	R2, loop \
	RET

// func spinSTCKF(n int)
TEXT ·spinSTCKF(SB), NOSPLIT, $16-8
	SPIN(STCKF)

// func readSTCKF(ticks *int64, n int)
TEXT ·readSTCKF(SB), NOSPLIT, $0-16
	READ(STCKF)

// func spinSTCK(n int)
TEXT ·spinSTCK(SB), NOSPLIT, $16-8
	SPIN(STCK)

// func readSTCK(ticks *int64, n int)
TEXT ·readSTCK(SB), NOSPLIT, $0-16
	READ(STCK)

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	SYNC // BCR 14, 0: a serialization
	RET
