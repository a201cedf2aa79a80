package cmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file or a pipe gets no colour.
func TestOnlyATerminalHasColour(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = writer.Close() }()
	require.Same(t, writer, withColour(writer))
	require.NoError(t, reader.Close())
	require.Error(t, colourTerminal{writer}.Show("error: x"), "the pipe is closed")
}
