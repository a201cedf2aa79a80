// Package vdso finds the vDSO and its functions.
//
// The vDSO is a small shared library that the Linux kernel maps into every
// process, so that questions like "what time is it?" can be answered without
// entering the kernel; see vdso(7). Programs usually reach it through libc.
// timebench has no libc, so it asks the kernel where the library lies
// (AT_SYSINFO_EHDR in the auxiliary vector, getauxval(3)) and reads its symbol
// table as any linker would.
package vdso

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
)

// Parse reads the symbol table of a vDSO image and returns, for each function
// that the image defines, its offset in bytes from the image's first byte. An
// error says what about the image is wrong.
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
			return nil, fmt.Errorf("vDSO image: function %s lies at %#x, outside the loaded image", symbol.Name, symbol.Value)
		}
		offsets[symbol.Name] = offset
	}
	if len(offsets) == 0 {
		return nil, errors.New("vDSO image: defines no function")
	}
	return offsets, nil
}

// firstLoad returns the segment that the kernel mapped at the image's base.
func firstLoad(file *elf.File) (*elf.Prog, error) {
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_LOAD {
			return segment, nil
		}
	}
	return nil, errors.New("vDSO image: has no loadable segment")
}
