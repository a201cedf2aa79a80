package terminal

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
	require.Same(t, writer, Of(writer))
	require.NoError(t, reader.Close())
	require.Error(t, screen{writer}.Show("error: x"), "the pipe is closed")
}
