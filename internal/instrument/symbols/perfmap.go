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
	"strings"
)

// maxPerfMap bounds what is read of a list of compiled functions, in bytes.
const maxPerfMap = 64 << 20

// compiledAt returns the readable names of the functions at addresses, in the list that a just-in-time compiler writes,
// /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt in the sources of Linux), by address. A line is START SIZE
// NAME, the numbers in hexadecimal. Of several functions at an address it is the last, because compilers use memory again.
//
// Malformed lines are left out. Of a list that is longer than 64 MiB the end is read. The error is that of the reader.
func compiledAt(list io.ReaderAt, size int64, addresses []uint64) (names map[uint64]string, err error) {
	addresses = slices.Sorted(slices.Values(addresses))
	length := min(size, maxPerfMap)
	lines := bufio.NewReaderSize(io.NewSectionReader(list, size-length, length), 64<<10)
	names = map[uint64]string{}
	for {
		line, err := readLine(lines)
		start, size, name, ok := parseCompiled(bytes.TrimRight(line, "\r\n"))
		for i, _ := slices.BinarySearch(addresses, start); ok && i < len(addresses) && addresses[i]-start < size; i++ {
			names[addresses[i]] = string(name)
		}
		switch {
		case errors.Is(err, io.EOF):
			for address, name := range names {
				names[address] = readable(name)
			}
			return names, nil
		case err != nil:
			return nil, fmt.Errorf("list of compiled functions: %w", err)
		}
	}
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
	return start, size, name, startOK && sizeOK && size <= math.MaxUint64-start && len(name) > 0
}

func parseHex(digits []byte) (value uint64, ok bool) {
	value, err := strconv.ParseUint(strings.TrimPrefix(string(digits), "0x"), 16, 64)
	return value, err == nil
}
