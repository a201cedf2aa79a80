//go:build 386 || amd64

#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	LFENCE
	RET
