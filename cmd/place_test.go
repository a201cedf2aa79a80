package cmd

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// placed places files of those names and contents.
func placed(namesAndContents ...string) error {
	var set []*placing
	for i := 0; i < len(namesAndContents); i += 2 {
		set = append(set, &placing{name: namesAndContents[i], content: []byte(namesAndContents[i+1])})
	}
	return place(set)
}

// requireFiles requires a folder to hold these files, by their paths in it, and no other.
func requireFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	require.Equal(t, want, filesIn(t, folder))
}

// filesIn returns the contents of the files in a folder and those in it, by their paths; of
// long ones a digest.
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

func TestPlaceReplacesAll(t *testing.T) {
	folder := need.Folder(t)
	a, b, c := filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "c")
	require.NoError(t, placed(a, "1", b, "1", c, "1"))
	requireFiles(t, folder, map[string]string{"a": "1", "b": "1", "c": "1"})
	require.NoError(t, place([]*placing{{name: b, away: true}, {name: a, content: []byte("2")}, {name: c, content: []byte("2")}}))
	requireFiles(t, folder, map[string]string{"a": "2", "c": "2"})
}

// A name that cannot be taken is found when the set is on the disk already; the old set comes
// back whole, and nothing else stays.
func TestPlaceChangesNothingWhereItFails(t *testing.T) {
	for _, at := range []string{"a", "b", "c"} {
		folder := need.Folder(t)
		path := func(name string) string { return filepath.Join(folder, name) }
		old := map[string]string{"a": "1", "b": "1", "c": "1", "stale": "1"}
		for name, content := range old {
			if name != at {
				require.NoError(t, os.WriteFile(path(name), []byte(content), 0o600))
			}
		}
		delete(old, at)
		set := []*placing{{name: path("stale"), away: true}}
		for _, name := range []string{"a", "b", "new", "c"} {
			set = append(set, &placing{name: path(name), content: []byte("2")})
		}
		for _, p := range set {
			require.NoError(t, p.prepare(p.name != path("c")))
		}
		require.NoError(t, os.Mkdir(path(at), 0o700)) // just now, by somebody else
		require.NoError(t, os.WriteFile(filepath.Join(path(at), "full"), nil, 0o600))
		err := func() error {
			for _, p := range set {
				if err := p.place(); err != nil {
					return err
				}
			}
			return nil
		}()
		require.ErrorContains(t, err, path(at)+" cannot be replaced: ")
		require.NotContains(t, err.Error(), ".timebench-")
		undo(set)
		require.NoError(t, need.RemoveAll(path(at)))
		requireFiles(t, folder, old)
	}
}

// A folder in a file's place is found before anything changes.
func TestPlaceWhereAFolderIs(t *testing.T) {
	folder := need.Folder(t)
	first, last := filepath.Join(folder, "first"), filepath.Join(folder, "last")
	require.NoError(t, os.WriteFile(first, []byte("1"), 0o600))
	require.NoError(t, os.Mkdir(last, 0o700))
	require.EqualError(t, placed(first, "2", last, "2"), last+" is a folder; move it away")
	requireFiles(t, folder, map[string]string{"first": "1"})
}

// What replaces a file has its mode, and what is new that of any new file.
func TestPlaceKeepsTheMode(t *testing.T) {
	folder := need.Folder(t)
	kept, usual, fresh := filepath.Join(folder, "kept"), filepath.Join(folder, "usual"), filepath.Join(folder, "fresh")
	require.NoError(t, os.WriteFile(kept, nil, 0o444))
	require.NoError(t, os.WriteFile(usual, nil, 0o666))
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	before := mode(kept)
	require.NoError(t, placed(kept, "2", fresh, "2"))
	require.Equal(t, before, mode(kept))
	require.Equal(t, mode(usual), mode(fresh))
	require.NotContains(t, strings.Join(names(filesIn(t, folder)), " "), ".timebench-")
	require.NoError(t, os.Chmod(kept, 0o600))
}

func names(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}
