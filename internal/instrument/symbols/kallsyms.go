package symbols

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
)

// ErrHidden means that the kernel shows no addresses to this process: kernel.kptr_restrict of proc_sys_kernel(5)
// forbids it.
var ErrHidden = errors.New("/proc/kallsyms hides the addresses; that needs root or CAP_SYSLOG (kernel.kptr_restrict)")

// A Symbol is a function of the kernel.
type Symbol struct {
	Name       string // as in the list: not demangled
	Start, End uint64 // addresses; End is the first after it
}

// ParseKallsyms reads the symbols of the kernel and of its modules, /proc/kallsyms of proc_kallsyms(5). It returns the
// functions that want accepts, in order of address. A function ends where the next symbol of code (t, T, w, W)
// at a larger address starts, of whatever module. The list need not be in order: the
// modules are not. Lines that are no symbol are left out.
//
// The error is [ErrHidden] if all addresses are 0.
func ParseKallsyms(r io.Reader, want func(name string) bool) ([]Symbol, error) {
	var starts []uint64
	var wanted []Symbol
	visible := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // ffffffff81000000 T _text, and [module] of a module
		if len(fields) < 3 {
			continue
		}
		start, ok := parseHex([]byte(fields[0]))
		if !ok {
			continue
		}
		visible = visible || start != 0
		if strings.ContainsAny(fields[1], "tTwW") {
			starts = append(starts, start)
			if want(fields[2]) {
				wanted = append(wanted, Symbol{Name: fields[2], Start: start})
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("/proc/kallsyms: %w", err)
	}
	if len(starts) > 0 && !visible {
		return nil, ErrHidden
	}
	starts = append(starts, math.MaxUint64)
	slices.Sort(starts)
	for i := range wanted {
		next := sort.Search(len(starts), func(k int) bool { return starts[k] > wanted[i].Start })
		wanted[i].End = starts[min(next, len(starts)-1)]
	}
	slices.SortFunc(wanted, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
	})
	return wanted, nil
}
