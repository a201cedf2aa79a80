// Package vdso finds the vDSO and its functions.
//
// The vDSO is a small shared library that the Linux kernel maps into every process, so that a
// program can read the time without entering the kernel; see vdso(7). Programs usually call it
// through libc. timebench has no libc. It gets the address of the library from the kernel
// (AT_SYSINFO_EHDR in the auxiliary vector, getauxval(3)), and reads the symbol table as a linker
// does.
package vdso

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
)

// ErrNone means that the kernel mapped no vDSO into this process. Documents have its text as the
// reason of a clock.
var ErrNone = errors.New("the kernel mapped no vDSO into this process")

// Parse reads the symbol table of a vDSO image. It returns the offset of each function in bytes
// from the start of the image, by name. An error is what is wrong with the image.
func Parse(image io.ReaderAt) (map[string]uint64, error) {
	file, err := elf.NewFile(image)
	if err != nil {
		return nil, fmt.Errorf("vDSO image: %w", err)
	}
	load, err := firstLoad(file)
	if err != nil {
		return nil, err
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("vDSO image: %w", err)
	}
	offsets := make(map[string]uint64)
	for _, symbol := range symbols {
		if elf.ST_TYPE(symbol.Info) != elf.STT_FUNC || symbol.Section == elf.SHN_UNDEF {
			continue
		}
		offset := symbol.Value - load.Vaddr
		if symbol.Value < load.Vaddr || offset >= load.Memsz {
			return nil, fmt.Errorf("vDSO image: function %s is at %#x, outside the loaded image", symbol.Name,
				symbol.Value)
		}
		offsets[symbol.Name] = offset
	}
	if len(offsets) == 0 {
		return nil, errors.New("vDSO image: defines no function")
	}
	return offsets, nil
}

// firstLoad returns the segment that the kernel maps at the base of the image.
func firstLoad(file *elf.File) (*elf.Prog, error) {
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_LOAD {
			return segment, nil
		}
	}
	return nil, errors.New("vDSO image: has no loadable segment")
}
