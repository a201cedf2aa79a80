//go:build arm.7

#include "textflag.h"

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	WORD	$0xf57ff04f // DSB
	WORD	$0xf57ff06f // ISB
	RET
