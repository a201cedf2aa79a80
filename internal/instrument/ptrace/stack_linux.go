package ptrace

import (
	"cmp"
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
	// maxArguments bounds argc. The kernel allows 6 MiB for the strings and their pointers (bprm_stack_limits in
	// fs/exec.c), and each string has a byte at least.
	maxArguments = 6 << 20 / (wordSize + 1)
)

// vdsoEntry returns the address of the entry AT_SYSINFO_EHDR on the stack of a program that has not run yet, or 0 if
// the entry is missing. From the stack pointer upwards the words are: argc, argv, 0, envp, 0, and the pairs of the
// auxiliary vector up to AT_NULL (create_elf_tables in fs/binfmt_elf.c). peek returns the word at an address; beyond
// the stack it is an error.
func vdsoEntry(peek func(address uint64) (uint64, error), stack uint64) (uint64, error) {
	argc, err := peek(stack)
	if err != nil {
		return 0, err
	}
	// Another process can write a number here that leads to a word elsewhere, which the caller would overwrite.
	if argc > maxArguments {
		return 0, fmt.Errorf("the new program has %d arguments, and Linux allows %d at most", argc, maxArguments)
	}
	at := stack + wordSize*(1+argc)
	if end, err := peek(at); err != nil || end != 0 {
		return 0, cmp.Or(err, fmt.Errorf("argv does not end after %d arguments", argc))
	}
	for variable := uint64(1); variable != 0; {
		at += wordSize
		if variable, err = peek(at); err != nil {
			return 0, err
		}
	}
	for at += wordSize; ; at += 2 * wordSize {
		switch kind, err := peek(at); {
		case err != nil || kind == atNull:
			return 0, err
		case kind == atSysinfoEHDR:
			return at, nil
		}
	}
}
