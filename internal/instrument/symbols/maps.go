package symbols

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const (
	// maxMaps bounds the length of the list of mappings, in bytes.
	maxMaps = 64 << 20
	// maxMapsLine bounds one line in bytes: a path of PATH_MAX, each byte escaped.
	maxMapsLine = 32 << 10
)

// A Mapping is an executable part of the memory of a process.
type Mapping struct {
	Start, End uint64 // addresses; End is the first after it
	Offset     uint64 // where Start is in the file, in bytes
	Inode      uint64 // of the file; 0 if the mapping is not of a file
	// Path is the path of the file in the mount namespace of the process, with " (deleted)" if the file was removed, or a
	// name of the kernel, as [vdso] and [vsyscall]. Empty for memory without a name.
	Path string
}

// Base returns the last element of the path: libc.so.6, also if the file was removed. Empty if there is no path.
func (m Mapping) Base() string {
	if m.Path == "" || m.Path[0] != '/' {
		return m.Path
	}
	return strings.TrimSuffix(path.Base(m.Path), " (deleted)")
}

// ParseMaps reads the list of mappings of a process, /proc/PID/maps of proc_pid_maps(5). It returns the executable
// mappings, in order of address.
func ParseMaps(r io.Reader) ([]Mapping, error) {
	limited := &io.LimitedReader{R: r, N: maxMaps + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxMapsLine)
	var mappings []Mapping
	for lines.Scan() && limited.N > 0 {
		if mapping, executable := parseMapping(lines.Text()); executable {
			mappings = append(mappings, mapping)
		}
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("maps: more than %d bytes", maxMaps)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	// The list is not read at once, so that a mapping which moves in the meantime may be out of order.
	slices.SortFunc(mappings, func(a, b Mapping) int { return cmp.Compare(a.Start, b.Start) })
	return mappings, nil
}

// parseMapping reads one line: 7f00-7f10 r-xp 00001000 fd:01 42    /usr/bin/x (deleted). It returns false for others
// than executable mappings.
func parseMapping(line string) (m Mapping, executable bool) {
	const columns = 5
	var fields [columns]string
	rest := line
	for i := range fields {
		fields[i], rest, _ = strings.Cut(rest, " ")
	}
	var wrong [4]error
	start, end, _ := strings.Cut(fields[0], "-")
	m.Start, wrong[0] = strconv.ParseUint(start, 16, 64)
	m.End, wrong[1] = strconv.ParseUint(end, 16, 64)
	m.Offset, wrong[2] = strconv.ParseUint(fields[2], 16, 64)
	m.Inode, wrong[3] = strconv.ParseUint(fields[4], 10, 64)
	// The kernel escapes line ends and nothing else (seq_file_path in fs/proc/task_mmu.c).
	m.Path = strings.ReplaceAll(strings.TrimLeft(rest, " "), `\012`, "\n")
	return m, strings.Contains(fields[1], "x") && m.Start < m.End && errors.Join(wrong[:]...) == nil
}

func mappingAt(mappings []Mapping, addr uint64) (Mapping, bool) {
	i := sort.Search(len(mappings), func(i int) bool { return mappings[i].End > addr })
	if i < len(mappings) && mappings[i].Start <= addr {
		return mappings[i], true
	}
	return Mapping{}, false
}
