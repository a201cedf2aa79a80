package cmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file or a pipe is given what was written, and nothing else.
func TestOnlyATerminalIsPainted(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = writer.Close() }()
	require.Same(t, writer, painted(writer))
	require.NoError(t, reader.Close())
	_, err = painter{writer}.Write([]byte("error: x"))
	require.Error(t, err, "nobody reads")
}
