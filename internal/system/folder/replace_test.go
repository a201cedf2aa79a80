package folder

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// writeAll writes files into a folder, given as names and contents in turn.
func writeAll(t *testing.T, folder string, namesAndContents ...string) error {
	t.Helper()
	var set []File
	for i := 0; i < len(namesAndContents); i += 2 {
		set = append(set, File{Name: namesAndContents[i], Content: []byte(namesAndContents[i+1])})
	}
	return Replace(opened(t, folder), set, nil)
}

// opened returns a folder that is closed when the test ends.
func opened(t *testing.T, folder string) *os.Root {
	t.Helper()
	root, err := Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// A folder with the name of a file is found before anything changes.
func TestAllFilesAreReplaced(t *testing.T) {
	folder := need.Folder(t)
	require.NoError(t, writeAll(t, folder, "a", "1", "b", "1", "c", "1"))
	require.Equal(t, map[string]string{"a": "1", "b": "1", "c": "1"}, need.FilesIn(t, folder))
	require.NoError(t, Replace(opened(t, folder), []File{{Name: "a", Content: []byte("2")}, {Name: "c", Content: []byte("2")}},
		[]string{"b", "gone"}))
	require.Equal(t, map[string]string{"a": "2", "c": "2"}, need.FilesIn(t, folder))
	last := filepath.Join(folder, "last")
	require.NoError(t, os.Mkdir(last, 0o700))
	require.EqualError(t, writeAll(t, folder, "a", "3", "last", "3"), last+" is a folder; move it away")
	require.Equal(t, map[string]string{"a": "2", "c": "2"}, need.FilesIn(t, folder))
}

// If a name cannot be replaced after all files are written, the document, which is last, is the old one, and no
// temporary file is left.
func TestFailureLeavesTheOldDocument(t *testing.T) {
	for _, at := range []string{"a", "b", "document"} {
		folder := need.Folder(t)
		path := filepath.Join(folder, at)
		u := update{folder: opened(t, folder)}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "document"), []byte("1"), 0o600))
		set := []File{{Name: "a", Content: []byte("2")}, {Name: "b", Content: []byte("2")},
			{Name: "document", Content: []byte("2")}}
		for _, f := range set {
			require.NoError(t, u.prepare(f))
		}
		if at == "document" {
			require.NoError(t, os.Remove(path))
		}
		require.NoError(t, os.Mkdir(path, 0o700)) // as if another program had just made it
		err := u.nameAll(set)
		require.ErrorContains(t, err, path+" cannot be replaced: ")
		require.NotContains(t, err.Error(), ".timebench-")
		u.end()
		for name, content := range need.FilesIn(t, folder) {
			require.NotContains(t, name, ".timebench-")
			require.Equal(t, name == "document", content == "1", name)
		}
	}
}

// A replaced file keeps its mode, and a new one has the usual mode.
func TestReplacedFileKeepsItsMode(t *testing.T) {
	folder := need.Folder(t)
	kept, usual, added := filepath.Join(folder, "kept"), filepath.Join(folder, "usual"), filepath.Join(folder, "added")
	require.NoError(t, os.WriteFile(kept, nil, 0o444))
	require.NoError(t, os.WriteFile(usual, nil, 0o666))
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	before := mode(kept)
	require.NoError(t, writeAll(t, folder, "kept", "2", "added", "2"))
	require.Equal(t, before, mode(kept))
	require.Equal(t, mode(usual), mode(added))
	require.NotContains(t, strings.Join(slices.Collect(maps.Keys(need.FilesIn(t, folder))), " "), ".timebench-")
	require.NoError(t, os.Chmod(kept, 0o600))
}
