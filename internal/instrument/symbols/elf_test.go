package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

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
	madeNames = "\x00first\x00second\x00data\x00hidden\x00"
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
	{14, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), 3, madeAddress + 0x20, 0x10},
	{14, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 0, madeAddress + 0x20, 0x10},
}

// madeELF returns a small program with a symbol table: one segment, and the sections .symtab, .strtab and .text. It is
// a 64-bit little-endian program, or a 32-bit big-endian one.
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
			put(&table, elf.Sym32{Name: s.name, Value: uint32(s.value), Size: uint32(s.size), Info: s.info,
				Shndx: s.section})
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
		{Type: uint32(elf.SHT_SYMTAB), Off: uint64(tableAt), Size: uint64(table.Len()), Link: 2,
			Entsize: uint64(symbolSize)},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: uint64(len(names))},
		{Type: uint32(elf.SHT_PROGBITS), Addr: madeAddress, Off: madeOffset, Size: 0x100},
	}
	if class == elf.ELFCLASS32 {
		put(&image, elf.Header32{Ident: ident, Type: uint16(elf.ET_EXEC), Version: 1, Phoff: uint32(headerSize),
			Shoff:     uint32(sectionsAt),
			Phentsize: uint16(programSize), Phnum: 1, Shentsize: uint16(sectionSize), Shnum: uint16(len(sections))})
		put(&image, elf.Prog32{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: madeOffset, Vaddr: madeAddress,
			Filesz: 0x100, Memsz: 0x100})
	} else {
		put(&image, elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Version: 1, Phoff: uint64(headerSize),
			Shoff:     uint64(sectionsAt),
			Phentsize: uint16(programSize), Phnum: 1, Shentsize: uint16(sectionSize), Shnum: uint16(len(sections))})
		put(&image, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: madeOffset, Vaddr: madeAddress,
			Filesz: 0x100, Memsz: 0x100})
	}
	image.Write(table.Bytes())
	image.WriteString(names)
	for _, s := range sections {
		if class == elf.ELFCLASS32 {
			put(&image, elf.Section32{Type: s.Type, Addr: uint32(s.Addr), Off: uint32(s.Off), Size: uint32(s.Size),
				Link: s.Link, Entsize: uint32(s.Entsize)})
		} else {
			put(&image, s)
		}
	}
	return image.Bytes()
}

// namesAt returns the names at virtual addresses of a made file.
func namesAt(t *testing.T, image []byte, addresses ...uint64) []string {
	t.Helper()
	offsets := make([]uint64, len(addresses))
	for i, address := range addresses {
		offsets[i] = address - madeAddress + madeOffset
	}
	names, err := Names(bytes.NewReader(image), offsets)
	require.NoError(t, err)
	return names
}

func TestNames(t *testing.T) {
	for _, class := range []elf.Class{elf.ELFCLASS64, elf.ELFCLASS32} {
		image := madeELF(class, madeNames, madeSymbols)
		addresses := []uint64{0xff, 0, 0xf, 0x10, 0x20, 0x40, 0x80, 0x100, 0x40} // in any order, and twice
		for i := range addresses {
			addresses[i] += madeAddress
		}
		require.Equal(t, []string{"", "first", "first", "", "", "second", "", "", "second"},
			namesAt(t, image, addresses...))
		names, err := Names(bytes.NewReader(image), []uint64{0, madeOffset, ^uint64(0)})
		require.NoError(t, err)
		require.Equal(t, []string{"", "first", ""}, names, "outside of all segments")
		names, err = Names(bytes.NewReader(image), nil)
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

// One function may have several names, and another may begin within it.
func TestNamesOfOneAddress(t *testing.T) {
	type alias struct {
		name    string
		binding elf.SymBind
		size    uint64
	}
	for want, aliases := range map[string][]alias{
		"plain":         {{"_x", elf.STB_GLOBAL, 8}, {"plain", elf.STB_GLOBAL, 8}},
		"short":         {{"longer", elf.STB_GLOBAL, 8}, {"short", elf.STB_GLOBAL, 8}},
		"alpha":         {{"bravo", elf.STB_GLOBAL, 8}, {"alpha", elf.STB_GLOBAL, 8}},
		"clock_gettime": {{"clock_gettime@@GLIBC_2.17", elf.STB_GLOBAL, 8}, {"__clock_gettime", elf.STB_GLOBAL, 8}},
		"covers":        {{"a", elf.STB_GLOBAL, 2}, {"covers", elf.STB_LOCAL, 8}},
		"inner":         {{"inner", elf.STB_LOCAL, 8}},
	} {
		names, symbols := "\x00outer\x00", []testSymbol{{1, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 3, madeAddress,
			0x80}}
		for _, a := range aliases {
			symbols = append(symbols, testSymbol{uint32(len(names)), elf.ST_INFO(a.binding, elf.STT_FUNC), 3,
				madeAddress + 0x10, a.size})
			names += a.name + "\x00"
		}
		require.Equal(t, []string{"outer", want}, namesAt(t, madeELF(elf.ELFCLASS64, names, symbols), madeAddress+0xf,
			madeAddress+0x14))
	}
}

func TestDefines(t *testing.T) {
	image := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	defines := func(names ...string) bool {
		defines, err := Defines(bytes.NewReader(image), names)
		require.NoError(t, err)
		return defines
	}
	require.False(t, defines("first"), "it is not for other programs")
	sections := len(image) - 4*64
	binary.LittleEndian.PutUint32(image[sections+64+4:], uint32(elf.SHT_DYNSYM))
	require.True(t, defines("none", "first"))
	require.True(t, defines("second"))
	require.False(t, defines("firs", "first2", "hidden", ""))
}

func TestMalformedFiles(t *testing.T) {
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
		"symbols too long":     {change(sections+64+32, huge...), "EOF"},
		"symbols elsewhere":    {change(sections+64+24, huge...), "EOF"},
		"names elsewhere":      {change(sections+128+31, 0xff), "ELF file: "},
		"no names":             {change(sections+64+40, 200), "no string table"},
		"names of wrong type":  {change(sections+64+40, 3), "no string table"},
		"many sections":        {change(60, 0, 0), "ELF file: "},
		"headers of any size":  {change(54, 0xff, 0xff, 0xff, 0xff), "ELF file: "},
		"sections of any size": {change(58, 0xff, 0xff, 0xff, 0xff), "ELF file: "},
	} {
		_, err := Names(bytes.NewReader(wrong.image), []uint64{madeOffset})
		require.ErrorContains(t, err, wrong.want, name)
	}
	for cut := range whole {
		_, err := Names(bytes.NewReader(whole[:cut]), []uint64{madeOffset})
		require.Error(t, err, "cut at %d", cut)
	}
	_, err := Names(panicking{}, nil)
	require.EqualError(t, err, "ELF file: index out of range")
}

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("index out of range") }

// taken returns the memory that a function allocates in all, in bytes.
func taken(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Files that another user makes to take memory or time of a profiler that runs as root.
func TestHostileFiles(t *testing.T) {
	shared := make([]testSymbol, 20_000)
	for i := range shared {
		shared[i] = exported(1, uint64(i)&0xff, 1)
	}
	oneName := madeELF(elf.ELFCLASS64, "\x00"+strings.Repeat("x", 1<<20), shared)
	endless := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	binary.LittleEndian.PutUint64(endless[len(endless)-4*64+64+32:], 1<<40)
	manyHeaders := bytes.Clone(endless)
	binary.LittleEndian.PutUint16(manyHeaders[54:], 0xffff) // e_phentsize
	binary.LittleEndian.PutUint16(manyHeaders[56:], 0xffff) // e_phnum: 4 GiB of headers
	for name, file := range map[string]io.ReaderAt{
		"all symbols share a name of a megabyte":        bytes.NewReader(oneName),
		"a symbol table of a terabyte":                  io.NewSectionReader(zeros{endless}, 0, 1<<41),
		"headers of gigabytes":                          io.NewSectionReader(zeros{manyHeaders}, 0, 1<<40),
		"all sections share a name of four megabytes":   bytes.NewReader(manySections(60_000, 4<<20)),
		"all sections share a name, as long as can be":  bytes.NewReader(manySections(500, 30<<10)),
		"all sections share a name, as many as can be":  bytes.NewReader(manySections(1000, 1<<10)),
		"all sections are symbol tables of a gigabyte":  io.NewSectionReader(zeros{manyTables()}, 0, 1<<41),
		"a program whose end is a sparse hole of zeros": io.NewSectionReader(zeros{oneName}, 0, 1<<40),
	} {
		began := time.Now()
		bytes := taken(func() {
			offsets := make([]uint64, 3000)
			for i := range offsets {
				offsets[i] = madeOffset + uint64(i)
			}
			_, err := Names(file, offsets)
			t.Log(name, err)
			_, err = Defines(file, []string{"clock_gettime"})
			t.Log(name, err)
			_, err = Interpreter(file)
			t.Log(name, err)
		})
		require.Less(t, bytes, uint64(64<<20), name)
		t.Logf("%s: %d bytes, %v", name, bytes, time.Since(began))
	}
}

// zeros is a file that begins with some bytes, and has zeros without end.
type zeros struct{ begin []byte }

func (z zeros) ReadAt(p []byte, offset int64) (int, error) {
	clear(p)
	if offset < int64(len(z.begin)) {
		copy(p, z.begin[offset:])
	}
	return len(p), nil
}

// manySections returns a program with sections that share one name. debug/elf makes a copy for each section.
func manySections(number, length int) []byte {
	image := madeELF(elf.ELFCLASS64, madeNames, nil)
	namesAt := len(image)
	image = append(append(image, bytes.Repeat([]byte("A"), length)...), 0)
	sectionsAt := len(image)
	put := func(s elf.Section64) { image, _ = binary.Append(image, binary.LittleEndian, s) }
	put(elf.Section64{})
	put(elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: uint64(length) + 1})
	for range number - 2 {
		put(elf.Section64{Type: uint32(elf.SHT_PROGBITS)})
	}
	binary.LittleEndian.PutUint64(image[40:], uint64(sectionsAt)) // e_shoff
	binary.LittleEndian.PutUint16(image[60:], uint16(number))     // e_shnum
	binary.LittleEndian.PutUint16(image[62:], 1)                  // e_shstrndx
	return image
}

// manyTables returns a program in which every section is a symbol table of a gigabyte.
func manyTables() []byte {
	const number = 900
	image := manySections(number, 1)
	for i := len(image) - (number-2)*64; i < len(image); i += 64 {
		binary.LittleEndian.PutUint32(image[i+4:],
			uint32(elf.SHT_SYMTAB+elf.SectionType(i/64%2)*(elf.SHT_DYNSYM-elf.SHT_SYMTAB)))
		binary.LittleEndian.PutUint64(image[i+32:], 1<<30)
		binary.LittleEndian.PutUint32(image[i+40:], 1)
	}
	return image
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
		"ELF file: EOF":           nil,
		"bad magic":               []byte("#!/usr/bin/env python3\nprint('a script that is longer than a header of ELF')\n"),
		"EOF":                     withInterpreter(linker, 4000),
		"path of its interpreter": withInterpreter(linker, 1<<62),
	} {
		_, err := Interpreter(bytes.NewReader(image))
		require.ErrorContains(t, err, want)
	}
	_, err = Interpreter(panicking{})
	require.EqualError(t, err, "ELF file: index out of range")
}

func FuzzNames(f *testing.F) {
	whole := madeELF(elf.ELFCLASS64, madeNames, madeSymbols)
	f.Add(whole)
	f.Add(whole[:200])
	f.Add(madeELF(elf.ELFCLASS32, madeNames, madeSymbols))
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, image []byte) {
		if linker, err := Interpreter(bytes.NewReader(image)); err != nil {
			require.Empty(t, linker)
		}
		if defines, err := Defines(bytes.NewReader(image), []string{"first"}); err != nil {
			require.False(t, defines)
		}
		offsets := []uint64{0, 1, madeOffset, 0x7fff, 1 << 63, ^uint64(0)}
		names, err := Names(bytes.NewReader(image), offsets)
		require.Equal(t, err == nil, len(names) == len(offsets))
		for _, name := range names {
			require.LessOrEqual(t, len(name), maxLength)
		}
	})
}
