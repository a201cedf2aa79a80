package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Bounds of what is read of an ELF file.
const (
	maxSymbols     = 256 << 20 // bytes of a symbol table; Chromium has 1.5 million functions
	maxHeaders     = 4 << 20   // bytes of headers
	maxName        = 4096      // bytes of a name; mangled names of C++ templates have some thousand
	maxInterpreter = 4096      // bytes of the path of an interpreter: PATH_MAX
	// maxDefined is the number of functions among which [Defines] looks for some names.
	maxDefined = 1 << 20
)

// ErrNoFunctions means that a file names no function: it was stripped, and exports none.
var ErrNoFunctions = errors.New("ELF file: its symbol tables have no function")

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
		if header.Filesz > maxInterpreter {
			return "", fmt.Errorf("ELF file: the path of its interpreter has %d bytes, more than %d", header.Filesz, maxInterpreter)
		}
		linker := make([]byte, header.Filesz)
		if _, err := file.ReadAt(linker, int64(header.Off)); err != nil { //nolint:gosec // a negative offset is an error of ReadAt
			return "", fmt.Errorf("ELF file: the path of its interpreter: %w", err)
		}
		return string(bytes.TrimRight(linker, "\x00")), nil
	}
	return "", nil
}

// Defines reports whether a program or a shared library of size bytes has a function with one of these names. The error is
// that of its headers or its symbols; see ErrNoFunctions.
func Defines(file io.ReaderAt, size int64, names []string) (defines bool, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return false, err
	}
	n := 0
	err = functions(parsed, file, size, func(f function) bool {
		defines = slices.Contains(names, f.name())
		n++
		return !defines && n < maxDefined
	})
	return defines, err
}

// namesAt returns the readable names of the functions at offsets of an ELF file of size bytes, by offset. It reads the symbols
// of .symtab, or those of .dynsym if there is no other, in one pass and keeps none.
//
// An offset has the function that starts last before it. A function whose size is 0, as in assembly, reaches to the next one or
// to the end of its section. The error says what is wrong with the file, or which bound it exceeds.
func namesAt(file io.ReaderAt, size int64, offsets []uint64) (names map[uint64]string, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return nil, err
	}
	type wanted struct {
		offset, address uint64
		last            function // of those that start above the address before
	}
	var all []wanted
	for _, offset := range offsets {
		if address, ok := addressOf(parsed, offset); ok {
			all = append(all, wanted{offset: offset, address: address})
		}
	}
	slices.SortFunc(all, func(a, b wanted) int { return cmp.Compare(a.address, b.address) })
	err = functions(parsed, file, size, func(f function) bool {
		i, _ := slices.BinarySearchFunc(all, f.start, func(w wanted, start uint64) int { return cmp.Compare(w.address, start) })
		if i < len(all) && f.preferredTo(all[i].last) {
			all[i].last = f
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	names = map[uint64]string{}
	var last function
	for _, w := range all {
		if w.last.end > 0 {
			last = w.last
		}
		if w.address < last.end {
			names[w.offset] = readable(last.name())
		}
	}
	return names, nil
}

// addressOf returns the virtual address of an offset in the code of a file. The two differ, because linkers place segments at
// other addresses than their offsets.
func addressOf(file *elf.File, offset uint64) (address uint64, ok bool) {
	for _, p := range file.Progs {
		// The end of one segment and the beginning of the next may share bytes of the file, of which one is code.
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// A function is one symbol of a file.
type function struct {
	start, end uint64 // virtual addresses
	rank       int    // of its binding: the lowest is preferred, and one whose size is not known last
	at         uint32 // where the name is in names
	names      io.ReaderAt
}

// name returns the name as it is in the file, without the version that ld(1) appends in .symtab: clock_gettime@@GLIBC_2.17.
func (f function) name() string {
	text := make([]byte, maxName)
	n, _ := f.names.ReadAt(text, int64(f.at)) // the last names end before so many bytes
	text, _, _ = bytes.Cut(text[:n], []byte{0})
	if version := bytes.IndexByte(text, '@'); version > 0 {
		text = text[:version]
	}
	return string(text)
}

// preferredTo reports whether f starts after g, or has the better one of several names of one address: a global one rather
// than a weak one, rather than a local one; then one that does not begin with an underscore; then the shortest; then the first
// in the alphabet.
func (f function) preferredTo(g function) bool {
	if f.start != g.start || g.end == 0 {
		return f.start > g.start || g.end == 0
	}
	if f.rank != g.rank {
		return f.rank < g.rank
	}
	a, b := f.name(), g.name()
	hidden := func(name string) int { return len(name) - len(strings.TrimPrefix(name, "_")) }
	return cmp.Or(cmp.Compare(hidden(a), hidden(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0
}

// parse reads the headers of a program or a shared library. The names of the sections are missing.
func parse(file io.ReaderAt) (*elf.File, error) {
	parsed, err := elf.NewFile(&headers{file: file, left: maxHeaders})
	if err != nil {
		return nil, fmt.Errorf("ELF file: %w", err)
	}
	if parsed.Type != elf.ET_EXEC && parsed.Type != elf.ET_DYN {
		return nil, fmt.Errorf("ELF file: it is of type %v, neither a program nor a shared library", parsed.Type)
	}
	return parsed, nil
}

// recovered is deferred by what uses debug/elf, and makes a panic an error. The package is not hardened, as its documentation
// says: a malformed file may make it panic. Nothing outlives the call that a panic could leave half done.
func recovered(err *error) {
	if wrong := recover(); wrong != nil {
		*err = fmt.Errorf("ELF file: %v", wrong)
	}
}

// headers is the file as elf.NewFile sees it. NewFile reads the headers, and the names of the sections.
// It makes a copy of each name, so that a file of some megabytes with one long name for all its sections
// takes terabytes. Here the names are never used, so the header says that there are none (e_shstrndx is
// SHN_UNDEF, elf(5)). What remains to be read is bounded: NewFile takes the number and the size of the headers
// as the file states them.
type headers struct {
	file io.ReaderAt
	left int
}

func (h *headers) ReadAt(p []byte, offset int64) (int, error) {
	if h.left -= len(p); h.left < 0 {
		return 0, fmt.Errorf("its headers have more than %d bytes", maxHeaders)
	}
	n, err := h.file.ReadAt(p, offset)
	// NewFile reads the header in one read, of exactly its size: 52 or 64 bytes, of which e_shstrndx is the last two.
	if offset == 0 && (len(p) == 52 || len(p) == 64) {
		clear(p[len(p)-2:])
	}
	return n, err
}

// functions calls visit for each function of .symtab, or of .dynsym if there is none in that, until it returns false.
//
// It does not use the methods of debug/elf, which make a string of each name: that takes several times the memory, and
// terabytes for a file in which all symbols share one long name.
func functions(file *elf.File, contents io.ReaderAt, size int64, visit func(function) bool) error {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		i := slices.IndexFunc(file.Sections, func(s *elf.Section) bool { return s.Type == kind }) // a file has one of each kind
		if i < 0 {
			continue
		}
		if found, err := functionsIn(file, file.Sections[i], contents, size, visit); err != nil || found {
			return err
		}
	}
	return ErrNoFunctions
}

func functionsIn(file *elf.File, section *elf.Section, contents io.ReaderAt, size int64, visit func(function) bool) (found bool, err error) {
	part := func(s *elf.Section) (*io.SectionReader, error) {
		switch {
		case s.Flags&elf.SHF_COMPRESSED != 0:
			return nil, errors.New("ELF file: its symbols are compressed")
		case s.Offset > uint64(size) || s.FileSize > uint64(size)-s.Offset:
			return nil, fmt.Errorf("ELF file: its symbols at %#x end beyond the file", s.Offset)
		}
		return io.NewSectionReader(contents, int64(s.Offset), int64(s.FileSize)), nil
	}
	table, err := part(section)
	if err != nil {
		return false, err
	}
	if table.Size() > maxSymbols {
		return false, fmt.Errorf("ELF file: %d bytes of symbols, more than the %d that are read", table.Size(), maxSymbols)
	}
	if int64(section.Link) >= int64(len(file.Sections)) || file.Sections[section.Link].Type != elf.SHT_STRTAB {
		return false, errors.New("ELF file: its symbol table has no string table")
	}
	names, err := part(file.Sections[section.Link])
	if err != nil {
		return false, err
	}
	entry := make([]byte, elf.Sym64Size)
	if file.Class == elf.ELFCLASS32 {
		entry = entry[:elf.Sym32Size]
	}
	const buffer = 64 << 10
	symbols := bufio.NewReaderSize(table, buffer)
	for range table.Size() / int64(len(entry)) {
		if _, err := io.ReadFull(symbols, entry); err != nil {
			return found, fmt.Errorf("ELF file: symbol table: %w", err)
		}
		symbol := decode(file, entry)
		kind := elf.ST_TYPE(symbol.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || elf.SectionIndex(symbol.Shndx) == elf.SHN_UNDEF || symbol.Name == 0 {
			continue
		}
		if f := functionOf(file, symbol); f.end > f.start {
			found, f.names = true, names
			if !visit(f) {
				break
			}
		}
	}
	return found, nil
}

func decode(file *elf.File, entry []byte) (symbol elf.Sym64) {
	if file.Class == elf.ELFCLASS64 {
		_, _ = binary.Decode(entry, file.ByteOrder, &symbol) // of its size
		return symbol
	}
	var small elf.Sym32
	_, _ = binary.Decode(entry, file.ByteOrder, &small)
	return elf.Sym64{Name: small.Name, Info: small.Info, Shndx: small.Shndx, Value: uint64(small.Value), Size: uint64(small.Size)}
}

var ranks = map[elf.SymBind]int{elf.STB_GLOBAL: -2, elf.STB_WEAK: -1}

func functionOf(file *elf.File, symbol elf.Sym64) function {
	f := function{start: symbol.Value, at: symbol.Name, rank: ranks[elf.ST_BIND(symbol.Info)]}
	if file.Machine == elf.EM_ARM {
		f.start &^= 1 // says that the function is in Thumb code (ELF for the Arm architecture, 5.5.3)
	}
	f.end = f.start + min(symbol.Size, math.MaxUint64-f.start)
	if symbol.Size == 0 && int(symbol.Shndx) < len(file.Sections) {
		f.rank += len(ranks) + 1
		if section := file.Sections[symbol.Shndx]; f.start >= section.Addr && f.start-section.Addr < section.Size {
			f.end = section.Addr + min(section.Size, math.MaxUint64-section.Addr)
		}
	}
	return f
}
