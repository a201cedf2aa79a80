package cmd

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// writeAll writes files into a folder, given as names and contents in turn.
func writeAll(t *testing.T, folder string, namesAndContents ...string) error {
	t.Helper()
	var set []*newFile
	for i := 0; i < len(namesAndContents); i += 2 {
		set = append(set, &newFile{name: namesAndContents[i], content: []byte(namesAndContents[i+1])})
	}
	return replaceAll(opened(t, folder), set, nil)
}

// opened returns a folder that is closed when the test ends.
func opened(t *testing.T, folder string) *os.Root {
	t.Helper()
	root, err := openFolder(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// requireFiles requires that a folder has these files, by their paths in it, and no others.
func requireFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	require.Equal(t, want, filesIn(t, folder))
}

// filesIn returns the contents of the files below a folder by their paths; a digest of long ones.
func filesIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		text := string(content)
		if len(text) > 64 {
			text = fmt.Sprintf("%x", sha256.Sum256(content))
		}
		files[filepath.ToSlash(name)] = text
		return err
	})
	require.NoError(t, err)
	return files
}

func TestAllFilesAreReplaced(t *testing.T) {
	folder := need.Folder(t)
	require.NoError(t, writeAll(t, folder, "a", "1", "b", "1", "c", "1"))
	requireFiles(t, folder, map[string]string{"a": "1", "b": "1", "c": "1"})
	require.NoError(t, replaceAll(opened(t, folder), []*newFile{{name: "a", content: []byte("2")}, {name: "c", content: []byte("2")}}, []string{"b", "gone"}))
	requireFiles(t, folder, map[string]string{"a": "2", "c": "2"})
}

// If a name cannot be replaced after all files are written, the document, which is last, is the old one, and no temporary
// file is left.
func TestFailureLeavesTheOldDocument(t *testing.T) {
	for _, at := range []string{"a", "b", "document"} {
		folder := need.Folder(t)
		path := filepath.Join(folder, at)
		root := opened(t, folder)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "document"), []byte("1"), 0o600))
		set := []*newFile{{name: "a", content: []byte("2")}, {name: "b", content: []byte("2")}, {name: "document", content: []byte("2")}}
		for _, f := range set {
			require.NoError(t, f.prepare(root))
		}
		if at == "document" {
			require.NoError(t, os.Remove(path))
		}
		require.NoError(t, os.Mkdir(path, 0o700)) // as if another program had just made it
		err := nameAll(root, set)
		require.ErrorContains(t, err, path+" cannot be replaced: ")
		require.NotContains(t, err.Error(), ".timebench-")
		removeUnnamed(root, set)
		for name, content := range filesIn(t, folder) {
			require.NotContains(t, name, ".timebench-")
			require.Equal(t, name == "document", content == "1", name)
		}
	}
}

// What is found before leaves all old files.
func TestFailureToWriteLeavesTheOldFiles(t *testing.T) {
	folder := need.Folder(t)
	require.NoError(t, writeAll(t, folder, "a", "1", "document", "1"))
	require.ErrorContains(t, writeAll(t, folder, "a", "2", "gone/b", "2", "document", "2"), filepath.Join(folder, "gone", "b")+" cannot be written: ")
	requireFiles(t, folder, map[string]string{"a": "1", "document": "1"})
}

// A folder with the name of a file is found before anything changes.
func TestFolderWithTheNameOfAFile(t *testing.T) {
	folder := need.Folder(t)
	first, last := filepath.Join(folder, "first"), filepath.Join(folder, "last")
	require.NoError(t, os.WriteFile(first, []byte("1"), 0o600))
	require.NoError(t, os.Mkdir(last, 0o700))
	require.EqualError(t, writeAll(t, folder, "first", "2", "last", "2"), last+" is a folder; move it away")
	requireFiles(t, folder, map[string]string{"first": "1"})
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
	require.NotContains(t, strings.Join(names(filesIn(t, folder)), " "), ".timebench-")
	require.NoError(t, os.Chmod(kept, 0o600))
}

func names(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

// The old temporary files of killed runs go when the next run writes, and nothing else: another run,
// of this machine or another one, may be writing the young ones.
func TestFilesOfKilledRunsAreRemoved(t *testing.T) {
	folder := need.Folder(t)
	write := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("1"), 0o600)) }
	young := temporaryName(time.Now().Unix(), 1)
	kept := []string{
		young, "charts/" + young, temporaryName(time.Now().Unix()+1e6, 1), temporaryName(math.MaxInt64, 1),
		".timebench-", ".timebench-1", ".timebench-1-", ".timebench-1-A", ".timebench-1-0a", ".timebench-01-a", ".timebench-a-a",
		".timebench-1-3w5e11264sgsg", ".timebench-1-a.txt", "a.timebench-1-a", "1-a", "charts/kept",
	}
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "charts", ".timebench-1-folder"), 0o700))
	for _, name := range append(kept, ".timebench-1-3w5e11264sgsf", "charts/.timebench-1764000000-a") {
		write(name)
	}
	require.NoError(t, writeDiff(folder))
	require.ElementsMatch(t, append(kept, "diff.json"), names(filesIn(t, folder)))
	require.DirExists(t, filepath.Join(folder, "charts", ".timebench-1-folder"))
}

// writeDiff writes a set with one file into a folder.
func writeDiff(folder string) error {
	return newTarget(folder, diffSet).write([]file{{"diff.json", func(w io.Writer) error { _, err := w.Write([]byte("1")); return err }}})
}

// The temporary files of a run that writes now stay, although it has no lock.
func TestFilesOfAWriterStay(t *testing.T) {
	folder := need.Folder(t)
	root := opened(t, folder)
	writer := &newFile{name: "other", content: []byte("1")}
	require.NoError(t, writer.prepare(root))
	require.NoError(t, writeDiff(folder))
	require.NoError(t, root.Rename(writer.temporary, writer.name))
	requireFiles(t, folder, map[string]string{"other": "1", "diff.json": "1"})
}
