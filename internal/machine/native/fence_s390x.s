#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	SYNC // BCR 14, 0: a serialization
	RET
