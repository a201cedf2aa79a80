package cmd

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

func TestPainterColoursTheWordsThatMatter(t *testing.T) {
	text.EnableColors()
	defer text.DisableColors()
	for plain, want := range map[string]string{
		"error: reads enter the kernel\n":            "\x1b[31;1merror:\x1b[0m reads enter the kernel\n",
		"a\n\nWarning: other programs":               "a\n\n\x1b[33;1mWarning:\x1b[0m other programs",
		"c@vdso  20.2  808.8  × 40  slower\nd  same": "c@vdso  20.2  808.8  × 40  \x1b[31mslower\x1b[0m\nd  same",
		"All 17 clocks held.\n":                      "All 17 \x1b[32mclocks held.\x1b[0m\n",
		"no error: a slower clock":                   "no error: a slower clock",
	} {
		var got strings.Builder
		n, err := painter{&got}.Write([]byte(plain))
		require.NoError(t, err)
		require.Equal(t, len(plain), n)
		require.Equal(t, want, got.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestPainterReportsAFailedWrite(t *testing.T) {
	_, err := painter{full{}}.Write([]byte("error: x"))
	require.ErrorContains(t, err, "no space left")
}

// A file or a pipe is given what was written, and nothing else.
func TestOnlyATerminalIsPainted(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _, _ = reader.Close(), writer.Close() }()
	w, restore := painted(writer)
	restore()
	require.Same(t, writer, w)
}
