package ptrace

import (
	"cmp"
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
	// maxPointers bounds argv and envp together. The kernel allows 6 MiB for the strings and their pointers
	// (bprm_stack_limits in fs/exec.c), and each string has a byte at least.
	maxPointers = 6 << 20 / (wordSize + 1)
	// maxAuxv bounds the auxiliary vector. The kernel has about 25 entries.
	maxAuxv = 128
)

var errStack = errors.New("the stack of the new program is not as execve(2) leaves it")

// vdsoEntry returns the address of the entry AT_SYSINFO_EHDR on the stack of a program that has not run yet, or 0 if
// the entry is missing. From the stack pointer upwards the words are: argc, argv, 0, envp, 0, and the pairs of the
// auxiliary vector up to AT_NULL (create_elf_tables in fs/binfmt_elf.c). peek returns the word at an address.
//
// Anything that does not fit is an error: otherwise the caller would overwrite other memory of the program.
func vdsoEntry(peek func(address uint64) (uint64, error), stack uint64) (uint64, error) {
	argc, err := peek(stack)
	if err != nil {
		return 0, err
	}
	if argc > maxPointers {
		return 0, fmt.Errorf("%w: %d arguments", errStack, argc)
	}
	at := stack + wordSize*(1+argc)
	if end, err := peek(at); err != nil || end != 0 {
		return 0, fmt.Errorf("%w: argv does not end after %d arguments", cmp.Or(err, errStack), argc)
	}
	last := stack + wordSize*(maxPointers+3) // with argc and the two ends
	for variable := uint64(1); variable != 0; {
		if at += wordSize; at > last {
			return 0, fmt.Errorf("%w: envp does not end", errStack)
		}
		if variable, err = peek(at); err != nil {
			return 0, err
		}
	}
	at += wordSize
	for range maxAuxv {
		switch kind, err := peek(at); {
		case err != nil || kind == atNull:
			return 0, err
		case kind == atSysinfoEHDR:
			return at, nil
		}
		at += 2 * wordSize
	}
	return 0, fmt.Errorf("%w: the auxiliary vector does not end", errStack)
}
