package vdso

import (
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

const (
	// atSysinfoEHDR is AT_SYSINFO_EHDR of getauxval(3): the address of the vDSO.
	atSysinfoEHDR = 33
	// maxImage bounds the size of a vDSO in bytes. Real ones have one to four pages of at most
	// 64 KiB.
	maxImage = 1 << 20
)

// Lookup returns the address of the function of the vDSO of this process for a call, such as clock_gettime. The address
// is valid for the life of the process: the kernel never unmaps the vDSO.
func Lookup(call string) (uintptr, error) {
	image, err := load()
	if err != nil {
		return 0, err
	}
	name := prefix(image.offsets) + call
	offset, ok := image.offsets[name]
	if !ok {
		return 0, fmt.Errorf("the vDSO of this kernel has no %s", name)
	}
	return image.base + uintptr(offset), nil
}

type mapped struct {
	base    uintptr
	offsets map[string]uint64
}

var load = sync.OnceValues(func() (mapped, error) {
	image, err := find()
	if err != nil {
		debuglog.Printf("vdso", "%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(image.offsets)) {
		debuglog.Printf("vdso", "%s found at %#x", name, image.base+uintptr(image.offsets[name]))
	}
	return image, err
})

func find() (mapped, error) {
	vector, err := unix.Auxv()
	if err != nil {
		return mapped{}, fmt.Errorf("auxiliary vector: %w", err)
	}
	for _, pair := range vector {
		if pair[0] == atSysinfoEHDR && pair[1] != 0 {
			offsets, err := Parse(memory(pair[1]))
			return mapped{base: pair[1], offsets: offsets}, err
		}
	}
	return mapped{}, ErrNone
}

// memory reads the memory of this process from an address. Unmapped memory is io.EOF, as the end
// of a file.
type memory uintptr

func (base memory) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 || offset+int64(len(p)) > maxImage {
		return 0, io.EOF
	}
	// Without /proc the size of the mapping is unknown. So a read beyond it is caught instead:
	// the fault becomes a panic here.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			n, err = 0, io.EOF
		}
	}()
	// The vDSO is a mapping of the kernel, not Go memory: it does not move, and the garbage
	// collector does not free it. So its address may be stored as a number, and converted to a
	// pointer here.
	address := uintptr(base)
	start := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	return copy(p, unsafe.Slice((*byte)(unsafe.Add(start, offset)), len(p))), nil
}

// NameAt returns the name of the function at an address in the vDSO of any process, which starts at start. It is empty
// before the first function, and for a process of another width: a kernel has another vDSO for 32-bit processes, with
// addresses below 4 GiB.
func NameAt(start, address uint64) (name string) {
	image, err := load()
	if err != nil || (start>>32 == 0) != (uint64(image.base)>>32 == 0) {
		return ""
	}
	first := uint64(0)
	for function, offset := range image.offsets {
		// Without underscores it is an alias.
		if strings.HasPrefix(function, "__") && offset >= first && offset <= address-start {
			name, first = function, offset
		}
	}
	return name
}

// prefix returns the prefix of the clocks' functions: __kernel_ on some CPUs. All have other functions with that
// prefix, such as __kernel_rt_sigreturn.
func prefix(offsets map[string]uint64) string {
	const usual = "__vdso_"
	for name := range offsets {
		if strings.HasPrefix(name, usual) {
			return usual
		}
	}
	return "__kernel_"
}

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
