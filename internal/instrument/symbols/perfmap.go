package symbols

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// maxMatches bounds how often the lines of a list have addresses in question.
const maxMatches = 1 << 20

// CompiledNames returns the names of the functions at addresses of a process, from the list that its just-in-time
// compiler writes, /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt in the sources of Linux). A line is
// START SIZE NAME, the numbers in hexadecimal. The last line with an address counts, because compilers use memory
// again. A name is empty if no line has the address.
//
// Malformed lines are left out. Names are readable, as from [Names]. The error comes from the reader.
func CompiledNames(list io.Reader, addresses []uint64) ([]string, error) {
	sorted := slices.Sorted(slices.Values(addresses))
	found := map[uint64][]byte{}
	lines := bufio.NewReaderSize(list, 2*maxName)
	matches := 0
	for whole := true; matches < maxMatches; {
		line, more, err := lines.ReadLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("list of compiled functions: %w", err)
		}
		if err != nil {
			break
		}
		if whole { // the rest of a long line follows
			start, size, name := parseCompiled(line)
			for i, _ := slices.BinarySearch(sorted, start); i < len(sorted) && sorted[i]-start < size; i++ {
				found[sorted[i]] = append(found[sorted[i]][:0], name...)
				matches++
			}
		}
		whole = !more
	}
	names := make([]string, len(addresses))
	for i, address := range addresses {
		names[i] = readable(string(found[address]))
	}
	return names, nil
}

// parseCompiled returns the fields of a line: 7f12a0 2c LazyCompile:~main file.js:1. The size of a malformed line is 0.
func parseCompiled(line []byte) (start, size uint64, name []byte) {
	first, rest, _ := bytes.Cut(line, []byte(" "))
	second, name, _ := bytes.Cut(rest, []byte(" "))
	start, startOK := parseHex(first)
	size, sizeOK := parseHex(second)
	name = bytes.TrimLeft(name, " ")
	if !startOK || !sizeOK || size > math.MaxUint64-start || len(name) == 0 {
		return 0, 0, nil
	}
	return start, size, name[:min(len(name), maxName)]
}

func parseHex(digits []byte) (value uint64, ok bool) {
	value, err := strconv.ParseUint(string(bytes.TrimPrefix(digits, []byte("0x"))), 16, 64)
	return value, err == nil
}
