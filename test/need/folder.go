package need

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Folder makes a folder for the test, which is removed at its end. It is for tests that also run under Wine, where
// os.RemoveAll, and with it t.TempDir, fails: Wine 8 does not know the request by which Go deletes relative to an open
// folder (FileDispositionInfoEx).
func Folder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "timebench-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// RemoveAll removes a folder and its contents, one by one.
func RemoveAll(folder string) error {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		return err
	}
	for _, path := range slices.Backward(paths) { // the contents of a folder come after it
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// FilesIn returns the contents of the files below a folder by their paths; a digest of long ones.
func FilesIn(t testing.TB, folder string) map[string]string {
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
	if err != nil {
		t.Fatal(err)
	}
	return files
}
