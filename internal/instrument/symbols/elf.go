package symbols

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"math"
)

// Bounds of what is read of an ELF file. Chromium with all its symbols has 1.5 million functions, and
// names of 200 MB.
const (
	maxSymbols  = 256 << 20 // bytes of a symbol table
	maxNames    = 256 << 20 // bytes of a string table
	maxElements = 2 << 20   // functions
	maxHeaders  = 4 << 20   // bytes of headers
	maxSegments = 1024
)

// A segment is a part of a file that is mapped: PT_LOAD of elf(5).
type segment struct{ offset, size, address uint64 }

// FromELF reads the functions of a program or a shared library of size bytes: those of .symtab, or of
// .dynsym if there is no other. Addresses in the table are virtual addresses of the file;
// [Table.Address] converts those of a process to them. A function whose size is 0, as in assembly, reaches
// to the next one or to the end of its section.
//
// The error says what is wrong with the file, or which bound it exceeds. errors.Is(err, ErrNoFunctions)
// if there are no symbols.
func FromELF(file io.ReaderAt, size int64) (table *Table, err error) {
	return fromELF(file, size, func(int64) error { return nil })
}

// fromELF does what FromELF does. It calls reserve with the number of bytes before it takes memory for symbols.
func fromELF(file io.ReaderAt, size int64, reserve func(int64) error) (table *Table, err error) {
	defer recovered(&err)
	parsed, err := parse(file)
	if err != nil {
		return nil, err
	}
	segments, err := segmentsOf(parsed)
	if err != nil {
		return nil, err
	}
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for _, section := range parsed.Sections {
			if section.Type != kind {
				continue
			}
			table := &Table{segments: segments, versioned: true}
			if err := table.readSymbols(parsed, section, file, size, reserve); err != nil {
				return nil, err
			}
			if table.Len() > 0 {
				return table, nil
			}
			break // a file has one of each kind
		}
	}
	return nil, ErrNoFunctions
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

// ErrNoFunctions means that a file names no function: it was stripped, and exports none.
var ErrNoFunctions = errors.New("ELF file: its symbol tables have no function")

// headers is the file as elf.NewFile sees it. NewFile reads the headers, and the names of the sections.
// It makes a copy of each name, so that a file of some megabytes with one long name for all its sections
// takes terabytes. Here the names are never used, so the header says that there are none (e_shstrndx is
// SHN_UNDEF, elf(5)). What remains to be read is bounded: NewFile takes the number and the size of the headers
// as the file states them.
type headers struct {
	file io.ReaderAt
	left int
}

// Where e_shstrndx is in the header, in bytes.
const (
	namesIndex32 = 50
	namesIndex64 = 62
	fileHeader32 = 52
	fileHeader64 = 64
)

func (h *headers) ReadAt(p []byte, offset int64) (int, error) {
	if h.left -= len(p); h.left < 0 {
		return 0, fmt.Errorf("its headers have more than %d bytes", maxHeaders)
	}
	n, err := h.file.ReadAt(p, offset)
	if offset == 0 {
		// NewFile reads the header in one read, of exactly its size.
		switch len(p) {
		case fileHeader32:
			clear(p[namesIndex32 : namesIndex32+2])
		case fileHeader64:
			clear(p[namesIndex64 : namesIndex64+2])
		}
	}
	return n, err
}

// segmentsOf returns those of code first. Segments may share bytes of a file, where one ends and the next begins, and the address in
// question is one of code.
func segmentsOf(file *elf.File) ([]segment, error) {
	var code, others []segment
	for _, header := range file.Progs {
		if header.Type != elf.PT_LOAD || header.Filesz == 0 {
			continue
		}
		if len(code)+len(others) == maxSegments {
			return nil, fmt.Errorf("ELF file: more than %d segments", maxSegments)
		}
		found := segment{header.Off, header.Filesz, header.Vaddr}
		if header.Flags&elf.PF_X != 0 {
			code = append(code, found)
		} else {
			others = append(others, found)
		}
	}
	return append(code, others...), nil
}

// Address converts an address of a process, within a mapping of the file, to the virtual address that the
// file's symbols have. The two differ by more than the start of the mapping: linkers place segments at other
// addresses than their offsets. ok is false outside of the mapping, and of all segments.
func (t *Table) Address(m Mapping, addr uint64) (address uint64, ok bool) {
	if addr < m.Start || addr >= m.End || addr-m.Start > math.MaxUint64-m.Offset {
		return 0, false
	}
	offset := addr - m.Start + m.Offset
	for _, segment := range t.segments {
		if offset >= segment.offset && offset-segment.offset < segment.size {
			return offset - segment.offset + segment.address, true
		}
	}
	return 0, false
}

// readSymbols fills the table with the functions of a section.
//
// It does not use the methods of debug/elf, which make a string of each name: that takes several times the memory, and
// terabytes for a file in which all symbols share one long name.
func (t *Table) readSymbols(file *elf.File, section *elf.Section, contents io.ReaderAt, size int64, reserve func(int64) error) error {
	within := func(s *elf.Section, bound uint64) error {
		switch {
		case s.Flags&elf.SHF_COMPRESSED != 0:
			return errors.New("ELF file: its symbols are compressed")
		case s.Offset > uint64(size) || s.FileSize > uint64(size)-s.Offset:
			return fmt.Errorf("ELF file: its symbols at %#x end beyond the file", s.Offset)
		case s.FileSize > bound:
			return fmt.Errorf("ELF file: %d bytes of symbols, more than the %d that are read", s.FileSize, bound)
		}
		return nil
	}
	if err := within(section, maxSymbols); err != nil {
		return err
	}
	if int64(section.Link) >= int64(len(file.Sections)) || file.Sections[section.Link].Type != elf.SHT_STRTAB {
		return errors.New("ELF file: its symbol table has no string table")
	}
	stringTable := file.Sections[section.Link]
	if err := within(stringTable, maxNames); err != nil {
		return err
	}
	if err := reserve(int64(stringTable.FileSize + 2*functionSize*mostFunctions(file, section))); err != nil {
		return err
	}
	names := make([]byte, stringTable.FileSize)
	if _, err := io.ReadFull(io.NewSectionReader(contents, int64(stringTable.Offset), int64(stringTable.FileSize)), names); err != nil {
		return fmt.Errorf("ELF file: string table: %w", err)
	}
	t.names = names
	functions, err := t.symbols(file, section, contents)
	if err != nil {
		return err
	}
	t.build(functions)
	return nil
}

func symbolSize(file *elf.File) uint64 {
	if file.Class == elf.ELFCLASS32 {
		return elf.Sym32Size
	}
	return elf.Sym64Size
}

func mostFunctions(file *elf.File, section *elf.Section) uint64 {
	return min(section.FileSize/symbolSize(file), maxElements)
}

func (t *Table) symbols(file *elf.File, section *elf.Section, contents io.ReaderAt) ([]function, error) {
	functions := make([]function, 0, mostFunctions(file, section))
	entry := make([]byte, symbolSize(file))
	const buffer = 64 << 10
	symbols := bufio.NewReaderSize(io.NewSectionReader(contents, int64(section.Offset), int64(section.FileSize)), buffer)
	for range section.FileSize / symbolSize(file) {
		if _, err := io.ReadFull(symbols, entry); err != nil {
			return nil, fmt.Errorf("ELF file: symbol table: %w", err)
		}
		symbol := decode(file, entry)
		kind := elf.ST_TYPE(symbol.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || elf.SectionIndex(symbol.Shndx) == elf.SHN_UNDEF {
			continue
		}
		if uint64(symbol.Name) >= uint64(len(t.names)) {
			continue // malformed
		}
		if len(functions) == maxElements {
			return nil, fmt.Errorf("ELF file: more than %d functions", maxElements)
		}
		functions = append(functions, t.function(file, symbol))
	}
	return functions, nil
}

func decode(file *elf.File, entry []byte) elf.Sym64 {
	order := file.ByteOrder
	if file.Class == elf.ELFCLASS32 {
		return elf.Sym64{
			Name:  order.Uint32(entry),
			Value: uint64(order.Uint32(entry[4:])),
			Size:  uint64(order.Uint32(entry[8:])),
			Info:  entry[12],
			Shndx: order.Uint16(entry[14:]),
		}
	}
	return elf.Sym64{
		Name:  order.Uint32(entry),
		Info:  entry[4],
		Shndx: order.Uint16(entry[6:]),
		Value: order.Uint64(entry[8:]),
		Size:  order.Uint64(entry[16:]),
	}
}

func (t *Table) function(file *elf.File, symbol elf.Sym64) function {
	f := function{start: symbol.Value, name: symbol.Name, rank: rank(elf.ST_BIND(symbol.Info))}
	if file.Machine == elf.EM_ARM {
		f.start &^= 1 // says that the function is in Thumb code (ELF for the Arm architecture, 5.5.3)
	}
	if symbol.Size > 0 {
		f.end = f.start + min(symbol.Size, math.MaxUint64-f.start)
		return f
	}
	f.open, f.end = true, f.start
	if int(symbol.Shndx) < len(file.Sections) {
		section := file.Sections[symbol.Shndx]
		if f.start >= section.Addr && f.start-section.Addr < section.Size {
			f.end = section.Addr + min(section.Size, math.MaxUint64-section.Addr)
		}
	}
	return f
}

// rank orders the names of one address.
func rank(binding elf.SymBind) uint8 {
	switch binding {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	default:
		return 2
	}
}
