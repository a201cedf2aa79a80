package cmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file or a pipe is given what was written, and nothing else.
func TestOnlyATerminalIsAScreen(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = writer.Close() }()
	require.Same(t, writer, shown(writer))
	require.NoError(t, reader.Close())
	require.Error(t, screen{writer}.Show("error: x"), "nobody reads")
}
