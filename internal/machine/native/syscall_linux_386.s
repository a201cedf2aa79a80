#include "textflag.h"

// System calls as in the table of syscall(2): number in AX, arguments in BX, CX;
// result in AX. The kernel preserves every other register. None of the calls made
// here blocks, so the Go scheduler need not be told.
//
// They go through __kernel_vsyscall of the vDSO, as those of a C library do: it has the
// fastest instruction that the CPU has, SYSENTER or SYSCALL, and preserves the registers
// that it uses. It pushes three words on the stack. Go's RawSyscall always uses INT $0x80,
// which is slower than what programs pay. Where the kernel names none
// (AT_SYSINFO), the instruction is INT $0x80.
TEXT interrupt<>(SB), NOSPLIT|NOFRAME, $0-0
	INT	$0x80
	RET

#define DOOR \
	MOVL	·vsyscall(SB), BP; \
	TESTL	BP, BP; \
	JNZ	2(PC); \
	MOVL	$interrupt<>(SB), BP

// func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallIDBuffer(SB), 0, $128-24
	MOVL	id+4(FP), BX
	MOVL	buffer+8(FP), CX
	MOVL	step+12(FP), SI
	MOVL	n+16(FP), DI
	DOOR
	PCALIGN	$32
loop:
	MOVL	nr+0(FP), AX
	CALL	BP
	ADDL	SI, CX
	DECL	DI
	JNZ	loop
	MOVL	AX, ret+20(FP)
	RET

// func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
TEXT ·SyscallBuffer(SB), 0, $128-20
	MOVL	buffer+4(FP), BX
	MOVL	step+8(FP), SI
	MOVL	n+12(FP), DI
	XORL	CX, CX
	DOOR
	PCALIGN	$32
loop:
	MOVL	nr+0(FP), AX
	CALL	BP
	ADDL	SI, BX
	DECL	DI
	JNZ	loop
	MOVL	AX, ret+16(FP)
	RET
