package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// A file that replaced a folder of this run is not removed.
func TestAbandonTakesFoldersOnly(t *testing.T) {
	out := filepath.Join(need.Folder(t), "report")
	target := NewTarget(out, Diffs)
	require.NoError(t, target.Open())
	require.NoError(t, os.Remove(filepath.Join(out, "charts")))
	require.NoError(t, os.WriteFile(filepath.Join(out, "charts"), []byte("of another program"), 0o600))
	target.Abandon()
	target.Abandon() // as a signal does after it
	require.Equal(t, map[string]string{"charts": "of another program"}, need.FilesIn(t, out))
}
