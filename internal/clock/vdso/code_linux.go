package vdso

import (
	"debug/elf"
	"io"
)

// Code returns a copy of the vDSO of this process: its first loadable segment, as the kernel left it after it chose
// the instructions for the CPU (the alternatives of arch/*/include/asm/alternative.h).
func Code() ([]byte, error) {
	image, err := load()
	if err != nil {
		return nil, err
	}
	file, err := elf.NewFile(memory(image.base))
	if err != nil {
		return nil, err
	}
	segment, err := firstLoad(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(segment.Open(), maxImage))
}
