package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	// maxHeaders bounds the headers of a file and the names of its sections, in bytes. debug/elf copies a name for each
	// section that has it, so a file with one long name for all sections takes up to the square of this in memory.
	// Chromium has 4 KB.
	maxHeaders = 64 << 10
	// maxSymbols bounds how much of a symbol table is read, in bytes. Chromium has 40 MB.
	maxSymbols = 128 << 20
	// maxName bounds a name in a file, in bytes. Mangled names of C++ templates have some thousand.
	maxName = 4096
	// maxAliases bounds the names of a function.
	maxAliases = 16
)

// Names returns the names of the functions of a program or a shared library at offsets in the file. A name is empty if
// no function is known there.
//
// The functions are in .symtab and .dynsym. Where functions overlap, the function that starts last has the offset. Of
// several names, a name without a leading underscore is preferred; then the shortest; then the first in the alphabet.
//
// Names are readable: C++ and Rust names are demangled, control characters are replaced, and they have at most 200
// bytes. The error says what is wrong with the file.
func Names(file io.ReaderAt, offsets []uint64) (names []string, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return nil, err
	}
	search := newSearch(parsed, offsets)
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		if err := eachFunction(file, parsed, kind, search.add); err != nil {
			return nil, err
		}
	}
	return search.names(file, len(offsets)), nil
}

// Defines reports whether a shared library has one of these functions for other programs: .dynsym. The error says what
// is wrong with the file.
func Defines(file io.ReaderAt, names []string) (defines bool, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return false, err
	}
	longest := len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) }))
	err = eachFunction(file, parsed, elf.SHT_DYNSYM, func(f function) {
		defines = defines || slices.Contains(names, f.name(file, longest+1))
	})
	return defines, err
}

// maxInterpreter bounds the path of an interpreter, in bytes: PATH_MAX.
const maxInterpreter = 4096

// Interpreter returns the path of the dynamic linker that a program asks for, PT_INTERP of elf(5). It is empty if the
// program is static. The error says what is wrong with the file.
func Interpreter(file io.ReaderAt) (linker string, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return "", err
	}
	for _, header := range parsed.Progs {
		if header.Type != elf.PT_INTERP {
			continue
		}
		path := make([]byte, min(header.Filesz, maxInterpreter))
		if _, err := header.ReadAt(path, 0); err != nil {
			return "", fmt.Errorf("ELF file: the path of its interpreter: %w", err)
		}
		return string(bytes.TrimRight(path, "\x00")), nil
	}
	return "", nil
}

// parse reads the headers of a program or a shared library.
func parse(file io.ReaderAt) (*elf.File, error) {
	parsed, err := elf.NewFile(&headers{file, maxHeaders})
	if err != nil {
		return nil, fmt.Errorf("ELF file: %w", err)
	}
	if parsed.Type != elf.ET_EXEC && parsed.Type != elf.ET_DYN {
		return nil, fmt.Errorf("ELF file: it is of type %v, neither a program nor a shared library", parsed.Type)
	}
	return parsed, nil
}

// headers are the bytes of a file that may still be read as headers.
type headers struct {
	file io.ReaderAt
	left int
}

func (h *headers) ReadAt(p []byte, offset int64) (int, error) {
	if h.left -= len(p); h.left < 0 {
		return 0, fmt.Errorf("its headers have more than %d bytes", maxHeaders)
	}
	return h.file.ReadAt(p, offset)
}

// recovered is deferred by callers of debug/elf, and makes a panic an error. The package is not hardened, as its
// documentation says: a malformed file may make it panic.
func recovered(err *error) {
	if wrong := recover(); wrong != nil {
		*err = fmt.Errorf("ELF file: %v", wrong)
	}
}

// A function is a symbol of code, with the virtual addresses that the program headers use.
type function struct {
	start, end uint64
	nameAt     uint64 // in the file
	nameEnd    uint64 // the end of the string table
}

func (f function) covers(address uint64) bool { return f.start <= address && address < f.end }

// name returns the name in the file, up to a length and without its version: clock_gettime of
// clock_gettime@@GLIBC_2.17. It is empty if the file is malformed.
func (f function) name(file io.ReaderAt, length int) string {
	name := make([]byte, min(uint64(length), f.nameEnd-f.nameAt))
	n, _ := file.ReadAt(name, int64(f.nameAt)) //nolint:gosec // a negative offset is an error of ReadAt
	name, _, _ = bytes.Cut(name[:n], []byte{0})
	if at := bytes.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	return string(name)
}

// eachFunction calls visit for each function of the symbol table of a kind. It does not use the methods of debug/elf,
// which make a string of each name: gigabytes for a file in which all symbols share one long name.
func eachFunction(file io.ReaderAt, parsed *elf.File, kind elf.SectionType, visit func(function)) error {
	table := parsed.SectionByType(kind)
	if table == nil {
		return nil
	}
	if uint64(table.Link) >= uint64(len(parsed.Sections)) || parsed.Sections[table.Link].Type != elf.SHT_STRTAB {
		return errors.New("ELF file: its symbol table has no string table")
	}
	names := parsed.Sections[table.Link]
	size := elf.Sym64Size
	if parsed.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	length := int64(min(table.FileSize, maxSymbols))
	at := int64(table.Offset) //nolint:gosec // debug/elf refuses a negative one
	symbols := bufio.NewReaderSize(io.NewSectionReader(file, at, length), 64<<10)
	entry := make([]byte, size)
	for range length / int64(size) {
		if _, err := io.ReadFull(symbols, entry); err != nil {
			return fmt.Errorf("ELF file: symbol table: %w", err)
		}
		symbol := decode(parsed, entry)
		kind := elf.ST_TYPE(symbol.Info)
		defined := elf.SectionIndex(symbol.Shndx) != elf.SHN_UNDEF && uint64(symbol.Name) < names.FileSize
		if defined && (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) {
			visit(function{start: symbol.Value, end: symbol.Value + min(symbol.Size, math.MaxUint64-symbol.Value),
				nameAt: names.Offset + uint64(symbol.Name), nameEnd: names.Offset + names.FileSize})
		}
	}
	return nil
}

func decode(parsed *elf.File, entry []byte) elf.Sym64 {
	order := parsed.ByteOrder
	if parsed.Class == elf.ELFCLASS32 {
		return elf.Sym64{
			Name: order.Uint32(entry), Value: uint64(order.Uint32(entry[4:])), Size: uint64(order.Uint32(entry[8:])),
			Info: entry[12], Shndx: order.Uint16(entry[14:]),
		}
	}
	return elf.Sym64{
		Name: order.Uint32(entry), Info: entry[4], Shndx: order.Uint16(entry[6:]),
		Value: order.Uint64(entry[8:]), Size: order.Uint64(entry[16:]),
	}
}

// A search finds the functions at addresses while the symbols of a file pass by.
type search struct {
	places []place // in order of address
}

// A place is an address to name.
type place struct {
	address uint64
	index   int // of its offset
	// before are the functions that start last between the previous place and this one: all have the same start.
	before []function
}

// newSearch returns the search for offsets. Offsets outside of all segments are left out.
func newSearch(parsed *elf.File, offsets []uint64) *search {
	s := new(search)
	for i, offset := range offsets {
		if address, ok := addressOf(parsed, offset); ok {
			s.places = append(s.places, place{address: address, index: i})
		}
	}
	slices.SortFunc(s.places, func(a, b place) int { return cmp.Compare(a.address, b.address) })
	return s
}

// addressOf returns the virtual address of an offset in a file. Linkers place segments at other addresses than their
// offsets. Segments may share bytes of a file, where one ends and the next begins: code is preferred.
func addressOf(parsed *elf.File, offset uint64) (address uint64, ok bool) {
	for _, header := range parsed.Progs {
		if header.Type == elf.PT_LOAD && offset >= header.Off && offset-header.Off < header.Filesz {
			address, ok = offset-header.Off+header.Vaddr, true
			if header.Flags&elf.PF_X != 0 {
				break
			}
		}
	}
	return address, ok
}

// add looks at a function of the file.
func (s *search) add(f function) {
	i, _ := slices.BinarySearchFunc(s.places, f.start,
		func(p place, start uint64) int { return cmp.Compare(p.address, start) })
	if i == len(s.places) {
		return
	}
	before := &s.places[i].before
	if len(*before) > 0 && f.start > (*before)[0].start {
		*before = (*before)[:0]
	}
	if len(*before) == 0 || f.start == (*before)[0].start && len(*before) < maxAliases {
		*before = append(*before, f)
	}
}

// names returns the names by the offsets.
func (s *search) names(file io.ReaderAt, number int) []string {
	names := make([]string, number)
	var before []function
	for _, p := range s.places {
		if len(p.before) > 0 {
			before = p.before
		}
		names[p.index] = readable(bestName(file, before, p.address))
	}
	return names
}

// bestName returns the name at an address of functions with the same start.
func bestName(file io.ReaderAt, functions []function, address uint64) string {
	best := ""
	for _, f := range functions {
		name := ""
		if f.covers(address) {
			name = f.name(file, maxName)
		}
		hidden := func(name string) int { return min(1, len(name)-len(strings.TrimLeft(name, "_"))) }
		if name != "" && (best == "" ||
			cmp.Or(hidden(name)-hidden(best), len(name)-len(best), strings.Compare(name, best)) < 0) {
			best = name
		}
	}
	return best
}
