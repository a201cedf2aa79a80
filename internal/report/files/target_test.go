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

// Windows writes to a device, or under another name, without an error.
func TestWindowsNames(t *testing.T) {
	for _, name := range []string{"CON", "nul.zip", `results\aux`, "results/Com1.tar.zip", "report.", "report ",
		`a \report`, "nul .zip"} {
		require.Error(t, checkWindowsName(name), name)
	}
	for _, name := range []string{"report", "report.zip", `C:\results\report`, "../report", `.\a.b\console`, "com10",
		".timebench", "nulls.zip"} {
		require.NoError(t, checkWindowsName(name), name)
	}
}
