package profile

import (
	"cmp"
	"slices"
	"strings"
)

// clockFunctions are the clocks whose cost is that of a call of a function of the vDSO, by the name of the function
// without its prefix. vdso(7) lists the functions.
var clockFunctions = map[string]string{
	"clock_gettime": fineID, "clock_gettime64": fineID, "gettimeofday": "gettimeofday@vdso", "time": "time@vdso",
}

// clockOf returns the clock whose cost is that of a call of a function of the vDSO; for code without a name that of the fine
// clocks.
func clockOf(function string) string { return cmp.Or(clockFunctions[bare(function)], fineID) }

// unnamed is the name of code of the vDSO that belongs to no function with a name.
const unnamed = "vDSO"

// A vdsoFunction is a function of the vDSO: its offset in the image, in bytes.
type vdsoFunction struct {
	offset uint64
	name   string
}

// functions are those of the vDSO of this process. All 64-bit processes of the machine have the
// same image, at other addresses.
type functions struct {
	size uint64 // of the mapping, in bytes; 0 if there is no vDSO
	all  []vdsoFunction
}

// newFunctions returns the functions of a vDSO: their offsets by name.
func newFunctions(size uint64, offsets map[string]uint64) *functions {
	f := &functions{size: size}
	for name, offset := range offsets {
		if !strings.HasPrefix(name, "__") {
			continue // an alias
		}
		f.all = append(f.all, vdsoFunction{offset, name})
	}
	slices.SortFunc(f.all, func(a, b vdsoFunction) int { return int(a.offset) - int(b.offset) }) //nolint:gosec // below 64 KiB
	return f
}

// bare returns the name of a function of the vDSO without its prefix.
func bare(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "__vdso_"), "__kernel_")
}

// of returns the name of the function that a program called, and whether it reads a clock.
// addresses are the innermost addresses of the program, all in its vDSO: the last is in the
// function that was called from outside.
func (f *functions) of(addresses []uint64, vdso addressRange) (name string, reads bool) {
	if f.size == 0 || vdso.end-vdso.start != f.size || vdso.start < 1<<32 {
		return unnamed, true // of a 32-bit process, or of another architecture
	}
	at := addresses[len(addresses)-1] - vdso.start
	for _, function := range slices.Backward(f.all) {
		if function.offset > at {
			continue
		}
		_, reads = clockFunctions[bare(function.name)]
		return function.name, reads
	}
	// Code before the first name is outlined from the functions that read clocks. That of
	// getrandom, which is in the vDSO from Linux 6.11 on, follows its name.
	return unnamed, true
}
