package files

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// A set replaces the previous set, and removes the pictures that the new set lacks.
func TestSetReplacesTheOneBeforeIt(t *testing.T) {
	write := func(w io.Writer) error { _, err := io.WriteString(w, `{"schema": "timebench-diff/1"}`); return err }
	files := []File{{"charts/change.png", write}, {"diff.md", write}, {"diff.json", write}}
	for name, left := range map[string]int{"report": 2, "report.zip": 1} {
		folder := filepath.Join(need.Folder(t), "above")
		for _, set := range [][]File{files, files[1:]} {
			target := NewTarget(filepath.Join(folder, name), Diffs)
			require.NoError(t, target.Check())
			require.NoError(t, target.Write(set))
		}
		require.Len(t, need.FilesIn(t, folder), left)
	}
}
