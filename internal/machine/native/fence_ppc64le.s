#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	SYNC
	ISYNC
	RET
