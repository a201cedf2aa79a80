package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A file that the user did not name may be a pipe without a writer.
func TestDiffWaitsForNoPipe(t *testing.T) {
	folder := need.Folder(t)
	document := filepath.Join(folder, "results.json")
	require.NoError(t, unix.Mkfifo(document, 0o600))
	for _, name := range []string{folder, filepath.Join(folder, "*.json")} {
		need.Ends(t, "diff", func() {
			_, err := loadSide(name)
			require.EqualError(t, err, document+": not a regular file")
		})
	}
	// A pipe in a folder of results is ignored.
	runs := need.Folder(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(runs, "a.json"), 0o600))
	text, err := os.ReadFile("../internal/document/result/testdata/contract.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(runs, "b.json"), text, 0o600))
	need.Ends(t, "diff", func() {
		_, err := loadSide(runs)
		require.NoError(t, err)
	})
}
