package ptrace

import (
	"errors"
	"fmt"
	"math/bits"
)

// Types of entries of the auxiliary vector (include/uapi/linux/auxvec.h).
const (
	atNull        = 0  // the end
	atIgnore      = 1  // to be ignored
	atSysinfoEHDR = 33 // the address of the vDSO
)

const (
	wordSize = bits.UintSize / 8
	// maxPointers bounds argv and envp together. The kernel allows 6 MiB for the strings and their
	// pointers (bprm_stack_limits in fs/exec.c), and each string has a byte at least.
	maxPointers = 6 << 20 / (wordSize + 1)
	// maxAuxv bounds the auxiliary vector. The kernel has about 25 entries.
	maxAuxv = 128
	// alignment of the stack at the first instruction, required by all ABIs.
	alignment = 2 * wordSize
)

var errStack = errors.New("the stack of the new program is not as execve(2) leaves it")

// vdsoEntry returns the address of the entry AT_SYSINFO_EHDR on the stack of a program that has not run yet, or 0 if
// the entry is missing. From the stack pointer upwards the words are: argc, argv, 0, envp, 0, and the pairs of the
// auxiliary vector up to AT_NULL (create_elf_tables in fs/binfmt_elf.c). peek returns the word at an address.
//
// Anything that does not fit is an error: otherwise the caller would overwrite other memory of the program.
func vdsoEntry(peek func(address uint64) (uint64, error), stack uint64) (uint64, error) {
	if stack == 0 || stack%alignment != 0 {
		return 0, fmt.Errorf("%w: the stack pointer is %#x", errStack, stack)
	}
	argc, err := peek(stack)
	if err != nil {
		return 0, err
	}
	if argc > maxPointers {
		return 0, fmt.Errorf("%w: %d arguments", errStack, argc)
	}
	at := stack + wordSize*(1+argc)
	end, err := peek(at)
	if err != nil {
		return 0, err
	}
	if end != 0 {
		return 0, fmt.Errorf("%w: argv does not end after %d arguments", errStack, argc)
	}
	for variables := uint64(0); ; variables++ {
		if argc+variables > maxPointers {
			return 0, fmt.Errorf("%w: envp does not end", errStack)
		}
		at += wordSize
		variable, err := peek(at)
		if err != nil {
			return 0, err
		}
		if variable == 0 {
			break
		}
	}
	at += wordSize
	for range maxAuxv {
		kind, err := peek(at)
		if err != nil {
			return 0, err
		}
		switch kind {
		case atNull:
			return 0, nil
		case atSysinfoEHDR:
			return at, nil
		}
		at += 2 * wordSize
	}
	return 0, fmt.Errorf("%w: the auxiliary vector does not end", errStack)
}
