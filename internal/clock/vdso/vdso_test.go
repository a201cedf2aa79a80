package vdso

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// tinyImage is a minimal vDSO: one loadable segment, a dynamic symbol table with one function,
// and the section headers for them.
func tinyImage(symbolValue uint64) []byte {
	const (
		headerSize  = 64
		programSize = 56
		symbolSize  = 24
		names       = headerSize + programSize
	)
	strings := []byte("\x00__vdso_time\x00.dynsym\x00.dynstr\x00")
	symbols := uint64(names + len(strings))
	sections := symbols + 2*symbolSize
	var image bytes.Buffer
	put := func(values ...any) {
		for _, value := range values {
			_ = binary.Write(&image, binary.LittleEndian, value)
		}
	}
	put([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9))
	put(uint16(elf.ET_DYN), uint16(elf.EM_X86_64), uint32(1), uint64(0), uint64(headerSize), sections,
		uint32(0), uint16(headerSize), uint16(programSize), uint16(1), uint16(64), uint16(3), uint16(2))
	put(uint32(elf.PT_LOAD), uint32(elf.PF_R|elf.PF_X), uint64(0), uint64(0), uint64(0), uint64(4096), uint64(4096),
		uint64(4096))
	put(strings)
	put(make([]byte, symbolSize))
	put(uint32(1), byte(elf.STT_FUNC), byte(0), uint16(1), symbolValue, uint64(16))
	put(make([]byte, 64))
	put(uint32(13), uint32(elf.SHT_DYNSYM), uint64(0), uint64(0), symbols, uint64(2*symbolSize), uint32(2), uint32(1),
		uint64(8), uint64(symbolSize))
	put(uint32(21), uint32(elf.SHT_STRTAB), uint64(0), uint64(0), uint64(names), uint64(len(strings)), uint32(0),
		uint32(0), uint64(1), uint64(0))
	return image.Bytes()
}

func TestParseFindsAFunction(t *testing.T) {
	offsets, err := Parse(bytes.NewReader(tinyImage(0x500)))
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"__vdso_time": 0x500}, offsets)
}

func TestParseRefusesBrokenImages(t *testing.T) {
	whole := tinyImage(0x500)
	change := func(at int, value byte) []byte {
		image := bytes.Clone(whole)
		image[at] = value
		return image
	}
	for name, broken := range map[string]struct {
		image []byte
		want  string
	}{
		"empty":                 {nil, "vDSO image"},
		"wrong magic":           {change(0, 'M'), "bad magic"},
		"truncated header":      {whole[:40], "vDSO image"},
		"truncated symbols":     {whole[:len(whole)-200], "vDSO image"},
		"no segment":            {change(64, byte(elf.PT_NOTE)), "no loadable segment"},
		"no symbols":            {change(len(whole)-128+4, byte(elf.SHT_NOTE)), "vDSO image"},
		"no function":           {change(len(whole)-192-24+4, byte(elf.STT_OBJECT)), "defines no function"},
		"function out of range": {tinyImage(1 << 40), "outside the loaded image"},
	} {
		_, err := Parse(bytes.NewReader(broken.image))
		require.ErrorContains(t, err, broken.want, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(tinyImage(0x500))
	f.Add(tinyImage(0x500)[:100])
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, image []byte) {
		offsets, err := Parse(bytes.NewReader(image))
		if (err == nil) != (len(offsets) > 0) {
			t.Fatalf("%d functions and error %v", len(offsets), err)
		}
	})
}
