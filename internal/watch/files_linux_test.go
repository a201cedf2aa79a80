package watch

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(files)
}
