package runtimes

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
)

// crafted returns a 64-bit ELF program with other sections, which the kernel does not look at: so many, which share one name
// of so many bytes. See elf(5).
func crafted(t *testing.T, program []byte, sections, name int) []byte {
	t.Helper()
	const (
		sectionsAt, sectionSizeAt, stringTable = 40, 58, 3 // e_shoff, e_shentsize; SHT_STRTAB
		headerSize                             = 64
	)
	require.Equal(t, "\x7fELF\x02", string(program[:5]))
	at := len(program)
	program = append(program, strings.Repeat("A", name)+"\x00"...)
	binary.NativeEndian.PutUint64(program[sectionsAt:], uint64(len(program)))
	for i, value := range []uint16{headerSize, uint16(sections), 1} { // e_shnum, e_shstrndx
		binary.NativeEndian.PutUint16(program[sectionSizeAt+2*i:], value)
	}
	for i := range sections {
		header := make([]byte, headerSize)
		binary.NativeEndian.PutUint32(header[4:], min(uint32(i), 1)) // SHT_PROGBITS, without content
		if i == 1 {
			binary.NativeEndian.PutUint32(header[4:], stringTable)
			binary.NativeEndian.PutUint64(header[24:], uint64(at))
			binary.NativeEndian.PutUint64(header[32:], uint64(name+1))
		}
		program = append(program, header...)
	}
	return program
}

// A program in PATH whose sections share a name, of which debug/elf makes a copy for each of them.
func TestCraftedProgram(t *testing.T) {
	need.Processes(t)
	shell, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	folder := t.TempDir()
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	bench := filepath.Join(folder, "bench")
	require.NoError(t, os.WriteFile(bench, []byte(honest), 0o600))
	of := func(name string, content []byte) Selected {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o700))
		return Selected{Runtime: Runtime{
			Name: name, Programs: []string{name}, Version: []string{"-c", "echo 1"}, Calls: []Call{{"now", wall}, {"new Time", monotonic}, {"absent", cpuTime}},
			Build: func(b build) ([]string, error) { return []string{b.path, bench}, nil },
		}}
	}
	const sections, name, most = 400, 4 << 20, 400 << 20
	measured := run(t, Settings{Runtimes: []Selected{of("crafted", crafted(t, shell, sections, name)), of("plain", shell)}}).Runtimes
	peak, ok := memory.PeakBytes(os.Getpid())
	require.True(t, ok)
	require.Less(t, peak, int64(most))
	for _, r := range measured {
		require.True(t, r.Available)
		require.Empty(t, r.Reason)
		require.NotEmpty(t, r.Libc)
		require.Equal(t, measured[1].Libc, r.Libc)
	}
}

// The C library of what is no program is unknown. Nothing waits for a writer of a named pipe.
func TestLoaderOfOtherFiles(t *testing.T) {
	folder := t.TempDir()
	pipe, text := filepath.Join(folder, "pipe"), filepath.Join(folder, "text")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(text, []byte("#!/bin/sh\n"+strings.Repeat("#", 100)), 0o600))
	for path, want := range map[string]string{
		pipe: "not a regular file", folder: "not a regular file", text: "bad magic number", filepath.Join(folder, "none"): "no such file",
	} {
		need.Ends(t, path, func() {
			_, err := loaderOf(path)
			require.ErrorContains(t, err, want)
		})
	}
}
