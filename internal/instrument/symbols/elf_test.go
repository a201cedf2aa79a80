package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"math/rand/v2"
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

// nameIn returns the name of the function at a virtual address of a made file.
func nameIn(t *testing.T, image []byte, address uint64) string {
	t.Helper()
	offset := address - madeAddress + madeOffset
	names, err := namesAt(bytes.NewReader(image), int64(len(image)), []uint64{offset})
	require.NoError(t, err)
	return names[offset]
}

func TestNamesAt(t *testing.T) {
	for _, class := range []elf.Class{elf.ELFCLASS64, elf.ELFCLASS32} {
		image := madeELF(class, madeNames, madeSymbols)
		var offsets []uint64
		want := map[uint64]string{}
		for at, name := range map[uint64]string{
			0: "first", 0xf: "first", 0x10: "", 0x20: "", 0x40: "second", 0x80: "assembly", 0xff: "assembly", 0x100: "", 0x200: "",
		} {
			offsets = append(offsets, madeOffset+at)
			if name != "" {
				want[madeOffset+at] = name
			}
			require.Equal(t, name, nameIn(t, image, madeAddress+at), "%#x", at)
		}
		names, err := namesAt(bytes.NewReader(image), int64(len(image)), append(offsets, 0, madeOffset-1, 1<<63, offsets[0]))
		require.NoError(t, err)
		require.Equal(t, want, names)
	}
}

// Of several names of one address it is always the same. A function of unknown size reaches to the next.
func TestNamesAtPrefersOneOfSeveralNames(t *testing.T) {
	const names = "\x00global\x00a\x00_x\x00plain\x00longer\x00alpha\x00bravo\x00clock_gettime@@GLIBC_2.17\x00__clock_gettime\x00"
	of := func(name string, binding elf.SymBind, size uint64) testSymbol {
		at := strings.Index(names, "\x00"+name) + 1
		return testSymbol{uint32(at), elf.ST_INFO(binding, elf.STT_FUNC), 3, madeAddress + 0x10, size}
	}
	for want, symbols := range map[string][]testSymbol{
		"global":        {of("a", elf.STB_LOCAL, 8), of("global", elf.STB_GLOBAL, 8), of("a", elf.STB_WEAK, 8)},
		"plain":         {of("_x", elf.STB_GLOBAL, 8), of("plain", elf.STB_GLOBAL, 8)},
		"alpha":         {of("longer", elf.STB_GLOBAL, 8), of("bravo", elf.STB_GLOBAL, 8), of("alpha", elf.STB_GLOBAL, 8)},
		"clock_gettime": {of("clock_gettime@@", elf.STB_GLOBAL, 8), of("__clock_gettime", elf.STB_GLOBAL, 8)},
		"longer":        {of("a", elf.STB_GLOBAL, 0), of("longer", elf.STB_LOCAL, 8)},
	} {
		for range 10 {
			rand.Shuffle(len(symbols), func(i, j int) { symbols[i], symbols[j] = symbols[j], symbols[i] })
			image := madeELF(elf.ELFCLASS64, names, append([]testSymbol{{name: 1, info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), section: 3, value: madeAddress}}, symbols...))
			require.Equal(t, want, nameIn(t, image, madeAddress+0x17))
			require.Equal(t, "global", nameIn(t, image, madeAddress+0xf))
			require.Empty(t, nameIn(t, image, madeAddress+0x18))
		}
	}
}

func TestDefines(t *testing.T) {
	image := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	for name, want := range map[string]bool{"second": true, "assembly": true, "hidden": false, "": false} {
		defines, err := Defines(bytes.NewReader(image), int64(len(image)), []string{"other", name})
		require.NoError(t, err)
		require.Equal(t, want, defines, name)
	}
}

func TestNamesAtRefusesWhatIsWrong(t *testing.T) {
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
		_, err := namesAt(bytes.NewReader(wrong.image), int64(len(wrong.image)), []uint64{madeOffset})
		require.ErrorContains(t, err, wrong.want, name)
	}
	for cut := range whole {
		_, err := namesAt(bytes.NewReader(whole[:cut]), int64(cut), []uint64{madeOffset})
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

func TestNamesAtIsBounded(t *testing.T) {
	image := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	sections := len(image) - 4*64
	binary.LittleEndian.PutUint64(image[sections+64+32:], maxSymbols+24)
	_, err := namesAt(sparse{begin: image, size: 1 << 40}, 1<<40, nil)
	require.ErrorContains(t, err, "more than the 268435456 that are read")

	binary.LittleEndian.PutUint16(image[54:], 0xffff) // e_phentsize
	binary.LittleEndian.PutUint16(image[56:], 0xffff) // e_phnum: 4 GiB of headers
	_, err = namesAt(sparse{begin: image, size: 1 << 40}, 1<<40, nil)
	require.ErrorContains(t, err, "its headers have more than 4194304 bytes")
}

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("index out of range") }

func TestPanicOfTheParserIsAnError(t *testing.T) {
	_, err := namesAt(panicking{}, 1, nil)
	require.EqualError(t, err, "ELF file: index out of range")
	_, err = Defines(panicking{}, 1, nil)
	require.EqualError(t, err, "ELF file: index out of range")
	_, err = Interpreter(panicking{})
	require.EqualError(t, err, "ELF file: index out of range")
}

// allocated returns how many bytes a function takes of the heap, all together.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// All symbols share one name of a megabyte, and its symbols are not kept.
func TestLongNamesTakeNoMemory(t *testing.T) {
	symbols := make([]testSymbol, 20_000)
	for i := range symbols {
		symbols[i] = exported(1, uint64(i)&0xff, 1)
	}
	image := madeELF(elf.ELFCLASS64, "\x00"+strings.Repeat("x", 1<<20), symbols)
	name := ""
	require.Less(t, allocated(func() { name = nameIn(t, image, madeAddress) }), uint64(4<<20))
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
	require.Less(t, allocated(func() {
		_, err := Interpreter(bytes.NewReader(image))
		require.NoError(t, err)
	}), uint64(64<<20))
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
		offsets := []uint64{0, 1, 0x1000, 0x1040, 0x7fff, 1 << 63, ^uint64(0)}
		names, err := namesAt(bytes.NewReader(image), int64(len(image)), offsets)
		if err != nil {
			require.Nil(t, names)
		}
		for offset, name := range names {
			require.Contains(t, offsets, offset)
			require.LessOrEqual(t, len(name), maxLength)
		}
		_, _ = Defines(bytes.NewReader(image), int64(len(image)), []string{"first"})
	})
}
