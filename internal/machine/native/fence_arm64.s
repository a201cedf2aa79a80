#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	DSB	$9 // ISHLD: the loads before it are complete
	ISB	$15
	RET
