package vdso

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// realImage returns the vDSO of this process.
func realImage(t testing.TB) []byte {
	t.Helper()
	image, err := load()
	if errors.Is(err, ErrNone) {
		need.Missing(t, "vdso", err.Error())
	}
	require.NoError(t, err)
	var bytes []byte
	page := make([]byte, os.Getpagesize())
	for {
		n, err := memory(image.base).ReadAt(page, int64(len(bytes)))
		bytes = append(bytes, page[:n]...)
		if err != nil {
			return bytes
		}
	}
}

func TestParseRefusesBrokenImages(t *testing.T) {
	image := realImage(t)
	mapped, err := load()
	require.NoError(t, err)
	offsets, err := Parse(bytes.NewReader(image))
	require.NoError(t, err)
	require.Equal(t, mapped.offsets, offsets)
	for cut := 0; cut < len(image); cut += 97 {
		if _, err = Parse(bytes.NewReader(image[:cut])); err == nil {
			break // all that the parser needs was before the cut
		}
		require.ErrorContains(t, err, "vDSO image", "cut at %d", cut)
	}
	if strconv.IntSize < 64 {
		return // its headers have other offsets
	}
	segment := int(binary.NativeEndian.Uint64(image[32:])) // its program header: elf(5)
	for want, damage := range map[string]func([]byte){
		"bad magic":                func(image []byte) { image[0] = 'M' },
		"no loadable segment":      func(image []byte) { clear(image[56:58]) }, // no program headers
		"outside the loaded image": func(image []byte) { clear(image[segment+40:][:8]) },
	} {
		broken := bytes.Clone(image)
		damage(broken)
		_, err := Parse(bytes.NewReader(broken))
		require.ErrorContains(t, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(realImage(f))
	f.Fuzz(func(t *testing.T, image []byte) {
		offsets, err := Parse(bytes.NewReader(image))
		require.Equal(t, err == nil, len(offsets) > 0)
	})
}

func TestLookupNamesWhatIsMissing(t *testing.T) {
	realImage(t)
	_, err := Lookup("no_such_function")
	require.Regexp(t, "^the vDSO of this kernel has no __(vdso|kernel)_no_such_function$", err.Error())
}

func TestMemoryEndsWhereNothingIsMapped(t *testing.T) {
	pages, err := unix.Mmap(-1, 0, 2*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	pages[0] = 42
	require.NoError(t, unix.Mprotect(pages[os.Getpagesize():], unix.PROT_NONE))
	defer func() { require.NoError(t, unix.Munmap(pages)) }()
	base := memory(unsafe.Pointer(&pages[0]))
	p := make([]byte, 16)

	n, err := base.ReadAt(p, 0)
	require.NoError(t, err)
	require.Equal(t, 16, n)
	require.Equal(t, byte(42), p[0])
	_, err = base.ReadAt(p, int64(os.Getpagesize())-8)
	require.ErrorIs(t, err, io.EOF)
	_, err = base.ReadAt(p, -1)
	require.ErrorIs(t, err, io.EOF)
	_, err = base.ReadAt(p, 1<<40)
	require.ErrorIs(t, err, io.EOF)
}
