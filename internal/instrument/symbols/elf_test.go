package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A testSymbol is a symbol of a made ELF file.
type testSymbol struct {
	name        uint32 // position in names
	info        byte
	section     uint16
	value, size uint64
}

const (
	madeNames = "\x00first\x00second\x00assembly\x00hidden\x00"
	// The made file has its code at another address than its offset.
	madeOffset, madeAddress = 0x1000, 0x403000
)

func exported(name uint32, value, size uint64) testSymbol {
	return testSymbol{name, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 3, madeAddress + value, size}
}

var madeSymbols = []testSymbol{
	{},
	exported(1, 0, 0x10),
	exported(7, 0x40, 0x10),
	exported(14, 0x80, 0),
	{14, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), 3, madeAddress + 0x20, 0x10},
	{14, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 0, madeAddress + 0x20, 0x10},
}

// madeELF returns a small program with a symbol table: one segment, and the sections .symtab, .strtab and .text. The
// order of bytes and the class are those of a 64-bit little-endian one, or of a 32-bit big-endian one.
func madeELF(class elf.Class, names string, symbols []testSymbol) []byte {
	var image, table bytes.Buffer
	var order binary.ByteOrder = binary.LittleEndian
	data := elf.ELFDATA2LSB
	headerSize, programSize, sectionSize, symbolSize := 64, 56, 64, elf.Sym64Size
	if class == elf.ELFCLASS32 {
		order, data = binary.BigEndian, elf.ELFDATA2MSB
		headerSize, programSize, sectionSize, symbolSize = 52, 32, 40, elf.Sym32Size
	}
	put := func(to *bytes.Buffer, value any) { _ = binary.Write(to, order, value) }
	for _, s := range symbols {
		if class == elf.ELFCLASS32 {
			put(&table, elf.Sym32{Name: s.name, Value: uint32(s.value), Size: uint32(s.size), Info: s.info, Shndx: s.section})
		} else {
			put(&table, elf.Sym64{Name: s.name, Info: s.info, Shndx: s.section, Value: s.value, Size: s.size})
		}
	}
	tableAt := headerSize + programSize
	namesAt := tableAt + table.Len()
	sectionsAt := namesAt + len(names)
	ident := [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(class), byte(data), byte(elf.EV_CURRENT)}
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_SYMTAB), Off: uint64(tableAt), Size: uint64(table.Len()), Link: 2, Entsize: uint64(symbolSize)},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: uint64(len(names))},
		{Type: uint32(elf.SHT_PROGBITS), Addr: madeAddress, Off: madeOffset, Size: 0x100},
	}
	if class == elf.ELFCLASS32 {
		put(&image, elf.Header32{Ident: ident, Type: uint16(elf.ET_EXEC), Version: 1, Phoff: uint32(headerSize), Shoff: uint32(sectionsAt),
			Phentsize: uint16(programSize), Phnum: 1, Shentsize: uint16(sectionSize), Shnum: uint16(len(sections))})
		put(&image, elf.Prog32{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: madeOffset, Vaddr: madeAddress, Filesz: 0x100, Memsz: 0x100})
	} else {
		put(&image, elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Version: 1, Phoff: uint64(headerSize), Shoff: uint64(sectionsAt),
			Phentsize: uint16(programSize), Phnum: 1, Shentsize: uint16(sectionSize), Shnum: uint16(len(sections))})
		put(&image, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: madeOffset, Vaddr: madeAddress, Filesz: 0x100, Memsz: 0x100})
	}
	image.Write(table.Bytes())
	image.WriteString(names)
	for _, s := range sections {
		if class == elf.ELFCLASS32 {
			put(&image, elf.Section32{Type: s.Type, Addr: uint32(s.Addr), Off: uint32(s.Off), Size: uint32(s.Size), Link: s.Link, Entsize: uint32(s.Entsize)})
		} else {
			put(&image, s)
		}
	}
	return image.Bytes()
}

func fromImage(image []byte) (*Table, error) {
	return FromELF(bytes.NewReader(image), int64(len(image)))
}

func TestFromELF(t *testing.T) {
	for _, class := range []elf.Class{elf.ELFCLASS64, elf.ELFCLASS32} {
		table, err := fromImage(madeELF(class, madeNames, madeSymbols))
		require.NoError(t, err)
		requireNames(t, table, map[uint64]string{
			madeAddress - 1: "", madeAddress: "first", madeAddress + 0x10: "", madeAddress + 0x20: "", madeAddress + 0x40: "second",
			madeAddress + 0x80: "assembly", madeAddress + 0xff: "assembly", madeAddress + 0x100: "",
		})
		m := Mapping{Start: 0x7000, End: 0x8000, Offset: madeOffset}
		for addr, want := range map[uint64]uint64{0x7000: madeAddress, 0x7040: madeAddress + 0x40, 0x70ff: madeAddress + 0xff, 0x7100: 0, 0x6fff: 0, 0x8000: 0} {
			address, ok := table.Address(m, addr)
			require.Equal(t, want, address, "%#x", addr)
			require.Equal(t, want != 0, ok, "%#x", addr)
		}
	}
}

func TestAddressPrefersCode(t *testing.T) {
	// The end of one segment and the start of the next share a page of the file.
	segments, err := segmentsOf(&elf.File{Progs: []*elf.Prog{
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0, Filesz: 0x2000, Vaddr: 0x100000}},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0x1000, Filesz: 0x1000, Vaddr: 0x5000, Flags: elf.PF_X}},
	}})
	require.NoError(t, err)
	table := &Table{segments: segments}
	address, ok := table.Address(Mapping{Start: 0x10000, End: 0x12000}, 0x11000)
	require.True(t, ok)
	require.Equal(t, uint64(0x5000), address)
	_, ok = table.Address(Mapping{Start: 1, End: 0x12000, Offset: ^uint64(0)}, 0x11000)
	require.False(t, ok)
}

func TestFromELFRefusesWhatIsWrong(t *testing.T) {
	whole := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	sections := len(whole) - 4*64
	change := func(at int, values ...byte) []byte {
		image := bytes.Clone(whole)
		copy(image[at:], values)
		return image
	}
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	for name, wrong := range map[string]struct {
		image []byte
		want  string
	}{
		"empty":                {nil, "ELF file: EOF"},
		"script":               {[]byte("#!/bin/sh\necho a program that is none, of some length"), "bad magic"},
		"object file":          {change(16, byte(elf.ET_REL)), "neither a program nor a shared library"},
		"no symbols":           {change(sections+64+4, byte(elf.SHT_NOTE)), "no function"},
		"symbols too long":     {change(sections+64+32, huge...), "beyond the file"},
		"symbols elsewhere":    {change(sections+64+24, huge...), "beyond the file"},
		"names too long":       {change(sections+128+32, huge...), "beyond the file"},
		"no names":             {change(sections+64+40, 200), "no string table"},
		"names of wrong type":  {change(sections+64+40, 3), "no string table"},
		"compressed":           {change(sections+128+8, 0, 8), "ELF file: "},
		"many sections":        {change(60, 0, 0), "ELF file: "},
		"headers of any size":  {change(54, 0xff, 0xff, 0xff, 0xff), "ELF file: "},
		"sections of any size": {change(58, 0xff, 0xff, 0xff, 0xff), "ELF file: "},
	} {
		_, err := fromImage(wrong.image)
		require.ErrorContains(t, err, wrong.want, name)
	}
	for cut := range whole {
		_, err := fromImage(whole[:cut])
		require.Error(t, err, "cut at %d", cut)
	}
}

// sparse is a file with a hole: a beginning, zeros, and an end.
type sparse struct {
	begin, end []byte
	size       int64
}

func (s sparse) ReadAt(p []byte, offset int64) (int, error) {
	for i := range p {
		at := offset + int64(i)
		switch {
		case at >= s.size:
			return i, io.EOF
		case at < int64(len(s.begin)):
			p[i] = s.begin[at]
		case at >= s.size-int64(len(s.end)):
			p[i] = s.end[at-s.size+int64(len(s.end))]
		default:
			p[i] = 0
		}
	}
	return len(p), nil
}

func TestFromELFIsBounded(t *testing.T) {
	image := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	sections := len(image) - 4*64
	binary.LittleEndian.PutUint64(image[sections+64+32:], maxSymbols+24)
	_, err := FromELF(sparse{begin: image, size: 1 << 40}, 1<<40)
	require.ErrorContains(t, err, "more than the 268435456 that are read")

	binary.LittleEndian.PutUint16(image[54:], 0xffff) // e_phentsize
	binary.LittleEndian.PutUint16(image[56:], 0xffff) // e_phnum: 4 GiB of headers
	_, err = FromELF(sparse{begin: image, size: 1 << 40}, 1<<40)
	require.ErrorContains(t, err, "its headers have more than 4194304 bytes")
}

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("index out of range") }

func TestPanicOfTheParserIsAnError(t *testing.T) {
	_, err := FromELF(panicking{}, 1)
	require.EqualError(t, err, "ELF file: index out of range")
}

// All symbols share one name of a megabyte.
func TestLongNamesTakeNoMemory(t *testing.T) {
	symbols := make([]testSymbol, 20_000)
	for i := range symbols {
		symbols[i] = exported(1, uint64(i)&0xff, 1)
	}
	table, err := fromImage(madeELF(elf.ELFCLASS64, "\x00"+strings.Repeat("x", 1<<20), symbols))
	require.NoError(t, err)
	require.Equal(t, 256, table.Len())
	name, ok := table.Lookup(madeAddress)
	require.True(t, ok)
	require.Len(t, name, maxLength)
}

// withInterpreter returns a program whose only segment is the path of an interpreter, at its end.
func withInterpreter(path string, size uint64) []byte {
	image := madeELF(elf.ELFCLASS64, madeNames, nil)
	const programHeader = 64
	binary.LittleEndian.PutUint32(image[programHeader:], uint32(elf.PT_INTERP))
	binary.LittleEndian.PutUint64(image[programHeader+8:], uint64(len(image)))
	binary.LittleEndian.PutUint64(image[programHeader+32:], size)
	return append(image, path...)
}

func TestInterpreter(t *testing.T) {
	const linker = "/lib64/ld-linux-x86-64.so.2\x00"
	found, err := Interpreter(bytes.NewReader(withInterpreter(linker, uint64(len(linker)))))
	require.NoError(t, err)
	require.Equal(t, "/lib64/ld-linux-x86-64.so.2", found)

	found, err = Interpreter(bytes.NewReader(madeELF(elf.ELFCLASS32, madeNames, madeSymbols)))
	require.NoError(t, err)
	require.Empty(t, found, "a static program")

	for want, image := range map[string][]byte{
		"ELF file: EOF":              nil,
		"bad magic":                  []byte("#!/usr/bin/env python3\nprint('a script that is longer than a header of ELF')\n"),
		"EOF":                        withInterpreter(linker, 4000),
		"4097 bytes, more than 4096": withInterpreter(linker, 4097),
		"more than 4096":             withInterpreter(linker, 1<<62),
	} {
		_, err := Interpreter(bytes.NewReader(image))
		require.ErrorContains(t, err, want)
	}
	_, err = Interpreter(panicking{})
	require.EqualError(t, err, "ELF file: index out of range")
}

// All sections share one name of megabytes, and debug/elf makes a copy of it for each.
func TestLongNamesOfSectionsTakeNoMemory(t *testing.T) {
	const number, length = 60_000, 4 << 20
	image := madeELF(elf.ELFCLASS64, madeNames, nil)
	namesAt := len(image)
	image = append(append(image, bytes.Repeat([]byte("A"), length)...), 0)
	sectionsAt := len(image)
	put := func(s elf.Section64) { image, _ = binary.Append(image, binary.LittleEndian, s) }
	put(elf.Section64{})
	put(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: length + 1})
	for range number - 2 {
		put(elf.Section64{Type: uint32(elf.SHT_PROGBITS)})
	}
	binary.LittleEndian.PutUint64(image[40:], uint64(sectionsAt)) // e_shoff
	binary.LittleEndian.PutUint16(image[60:], number)             // e_shnum
	binary.LittleEndian.PutUint16(image[62:], 1)                  // e_shstrndx
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Interpreter(bytes.NewReader(image))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

func FuzzFromELF(f *testing.F) {
	whole := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	f.Add(whole)
	f.Add(whole[:200])
	f.Add(madeELF(elf.ELFCLASS32, madeNames, madeSymbols))
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, image []byte) {
		if linker, err := Interpreter(bytes.NewReader(image)); err != nil {
			require.Empty(t, linker)
		}
		table, err := fromImage(image)
		if err != nil {
			return
		}
		requireOrdered(t, table)
		for _, addr := range []uint64{0, 1, 0x1000, 0x7fff, 1 << 63, ^uint64(0)} {
			table.Address(Mapping{Start: 0, End: ^uint64(0), Offset: 0x1000}, addr)
		}
	})
}
