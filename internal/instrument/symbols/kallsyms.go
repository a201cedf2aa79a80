package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
)

const (
	// maxKernelSymbols bounds the text symbols of a kernel and its modules. Kernels of distributions have
	// some 100,000.
	maxKernelSymbols = 4 << 20
	// pageSize bounds the last symbol of the kernel, which has no next one. The smallest page of all
	// architectures.
	pageSize = 4096
)

// ErrHidden means that the kernel shows no addresses to this process: kernel.kptr_restrict of proc_sys_kernel(5)
// forbids it.
var ErrHidden = errors.New("/proc/kallsyms: the kernel hides its addresses; run as root, with sysctl kernel.kptr_restrict at 0 or 1")

// A Symbol is a function of the kernel.
type Symbol struct {
	Name       string // as in the list: not demangled
	Start, End uint64 // addresses; End is the first after it
}

// ParseKallsyms reads the symbols of the kernel and of its modules, /proc/kallsyms of proc_kallsyms(5). It returns the
// functions that want accepts, in order of address. A function ends where the next symbol of code (t, T, w, W)
// at a larger address starts, of whatever module. The list need not be in order: the modules are not.
//
// The error is [ErrHidden] if all addresses are 0, or names the first malformed line.
func ParseKallsyms(r io.Reader, want func(name string) bool) ([]Symbol, error) {
	var starts []uint64
	var wanted []Symbol
	visible := false
	lines := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if line = bytes.TrimRight(line, "\n"); len(line) > 0 {
			start, kind, name, ok := parseKernelSymbol(line)
			if !ok {
				return nil, fmt.Errorf("/proc/kallsyms: line %d: %.80q: want ADDRESS TYPE NAME, as in ffffffff81000000 T _text", number, line)
			}
			visible = visible || start != 0
			if kind|0x20 == 't' || kind|0x20 == 'w' {
				if len(starts) == maxKernelSymbols {
					return nil, fmt.Errorf("/proc/kallsyms: line %d: more than %d functions", number, maxKernelSymbols)
				}
				starts = append(starts, start)
				if name := string(name); want(name) {
					wanted = append(wanted, Symbol{Name: name, Start: start})
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("/proc/kallsyms: %w", err)
		}
	}
	if len(starts) > 0 && !visible {
		return nil, ErrHidden
	}
	slices.Sort(starts)
	for i := range wanted {
		wanted[i].End = endOf(wanted[i].Start, starts)
	}
	slices.SortFunc(wanted, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
	})
	return wanted, nil
}

// endOf returns the first of the sorted starts that is larger; for the last one, the end of its page.
func endOf(start uint64, starts []uint64) uint64 {
	next := sort.Search(len(starts), func(i int) bool { return starts[i] > start })
	if next < len(starts) {
		return starts[next]
	}
	end := start | (pageSize - 1)
	return end + min(1, math.MaxUint64-end)
}

// parseKernelSymbol reads one line: ffffffff81000000 T _text, with a tab and [module] for a module.
func parseKernelSymbol(line []byte) (start uint64, kind byte, name []byte, ok bool) {
	address, rest, _ := bytes.Cut(line, []byte(" "))
	start, ok = parseHex(address)
	if !ok || len(rest) < 3 || rest[1] != ' ' {
		return 0, 0, nil, false
	}
	name, _, _ = bytes.Cut(rest[2:], []byte("\t"))
	return start, rest[0], name[:min(len(name), maxName)], len(name) > 0
}
