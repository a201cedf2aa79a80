package files

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// Several runs may use one folder that does not exist yet. Some make it, and others remove what
// they made.
func TestTargetsInOneNewFolder(t *testing.T) {
	for range 200 {
		folder := need.Folder(t)
		out := filepath.Join(folder, "above", "report")
		errs := make([]error, 8)
		start := make(chan struct{})
		var running sync.WaitGroup
		for i := range errs {
			running.Go(func() {
				target := NewTarget(out, Diffs)
				<-start
				if errs[i] = target.Open(); errs[i] != nil {
					return
				}
				if i%2 == 0 {
					target.Abandon()
					return
				}
				write := func(w io.Writer) error { _, err := w.Write([]byte{byte('0' + i)}); return err }
				errs[i] = target.Write([]File{{"charts/change.png", write}, {"diff.md", write}})
			})
		}
		close(start)
		running.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		files := need.FilesIn(t, out)
		require.Len(t, files, 2)
		require.NoError(t, need.RemoveAll(folder))
		require.NoError(t, os.Mkdir(folder, 0o700))
	}
}

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

// The old temporary files of killed runs go when the next run writes, and nothing else: another run,
// of this machine or another one, may be writing the young ones.
func TestFilesOfKilledRunsAreRemoved(t *testing.T) {
	out := need.Folder(t)
	write := func(name string, age time.Duration) {
		path := filepath.Join(out, name)
		require.NoError(t, os.WriteFile(path, []byte("1"), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	young := []string{".timebench-1", "charts/.timebench-3w5e11264sgsf", ".timebench-a"}
	old := []string{".timebench-", ".timebench-1-", ".timebench-B", ".timebench-a.txt", "a.timebench-1", "1a", ".timebench-3w5e11264sgsf0", "charts/kept"}
	require.NoError(t, os.MkdirAll(filepath.Join(out, "charts", ".timebench-2"), 0o700))
	for _, name := range young {
		write(name, 30*time.Minute)
	}
	for _, name := range append(old, ".timebench-3w5e11264sgsf", "charts/.timebench-b") {
		write(name, 2*time.Hour)
	}
	document := func(w io.Writer) error { _, err := w.Write([]byte("1")); return err }
	require.NoError(t, NewTarget(out, Diffs).Write([]File{{"diff.json", document}}))
	require.ElementsMatch(t, slices.Concat(young, old, []string{"diff.json"}), slices.Collect(maps.Keys(need.FilesIn(t, out))))
	require.DirExists(t, filepath.Join(out, "charts", ".timebench-2"))
}
