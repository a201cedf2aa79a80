package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxPerfMap bounds what is read of a list of compiled functions, in bytes.
	maxPerfMap  = 64 << 20
	maxCompiled = 1 << 20
	// minLine is the length of the shortest line: 0 1 a.
	minLine = 6
)

func mostCompiled(size int64) int64 { return min(size/minLine+1, maxCompiled) }

// ParsePerfMap reads the list of functions that a just-in-time compiler writes, /tmp/perf-PID.map
// (tools/perf/Documentation/jit-interface.txt in the sources of Linux). A line is START SIZE NAME, the numbers in
// hexadecimal. A later function replaces each earlier one that it overlaps, because compilers use memory again.
//
// Malformed lines are left out. At most size bytes, 64 MiB and 1,048,576 functions are read; what follows is left out. The
// error is that of the reader.
func ParsePerfMap(r io.Reader, size int64) (*Table, error) {
	size = min(size, maxPerfMap)
	t := &Table{names: make([]byte, 0, size)}
	compiled := make([]function, 0, mostCompiled(size))
	lines := bufio.NewReaderSize(io.LimitReader(r, size), 64<<10)
	for len(compiled) < maxCompiled {
		line, err := readLine(lines)
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			start, size, name, ok := parseCompiled(line)
			if ok {
				compiled = append(compiled, function{start: start, end: start + size, name: uint32(len(t.names))})
				t.names = append(append(t.names, name...), 0)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list of compiled functions: %w", err)
		}
	}
	t.functions = latest(compiled)
	return t, nil
}

// readLine returns the next line, of a longer one the part that fits into the buffer. The line is valid until the
// next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	line = bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	return line, err
}

// parseCompiled reads one line: 7f12a0 2c LazyCompile:~main file.js:1.
func parseCompiled(line []byte) (start, size uint64, name []byte, ok bool) {
	first, rest, _ := bytes.Cut(line, []byte(" "))
	second, name, _ := bytes.Cut(rest, []byte(" "))
	start, startOK := parseHex(first)
	size, sizeOK := parseHex(second)
	name = bytes.TrimLeft(name, " ")
	name = name[:min(len(name), maxName)]
	if !startOK || !sizeOK || size == 0 || size > math.MaxUint64-start || len(name) == 0 || name[0] == 0 {
		return 0, 0, nil, false
	}
	return start, size, name, true
}

func parseHex(digits []byte) (value uint64, ok bool) {
	value, err := strconv.ParseUint(strings.TrimPrefix(string(digits), "0x"), 16, 64)
	return value, err == nil
}

// latest returns the functions that no later one overlaps, in order of address.
func latest(compiled []function) []function {
	order := make([]int, len(compiled))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(compiled[a].start, compiled[b].start) })
	// From the lowest address upwards, active are the functions that have begun. All of them overlap, so
	// that each but the latest is replaced; the latest is on top.
	replaced := make([]bool, len(compiled))
	active := make(latestFirst, 0, len(compiled))
	for _, i := range order {
		for len(active) > 0 && compiled[active[0]].end <= compiled[i].start {
			heap.Pop(&active)
		}
		if len(active) > 0 {
			replaced[min(active[0], i)] = true
		}
		heap.Push(&active, i)
	}
	kept := make([]function, 0, len(compiled))
	for _, i := range order {
		if !replaced[i] {
			kept = append(kept, compiled[i])
		}
	}
	return kept
}

type latestFirst []int

func (h latestFirst) Len() int           { return len(h) }
func (h latestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h latestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *latestFirst) Push(position any) { *h = append(*h, position.(int)) }
func (h *latestFirst) Pop() any {
	last := len(*h) - 1
	position := (*h)[last]
	*h = (*h)[:last]
	return position
}
