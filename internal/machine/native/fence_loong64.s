#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	DBAR	$0
	RET
