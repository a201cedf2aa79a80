package cmd

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

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
				target := newTarget(out, diffSet)
				<-start
				if errs[i] = target.open(); errs[i] != nil {
					return
				}
				if i%2 == 0 {
					target.abandon()
					return
				}
				write := func(w io.Writer) error { _, err := w.Write([]byte{byte('0' + i)}); return err }
				errs[i] = target.write([]file{{"charts/change.png", write}, {"diff.md", write}})
			})
		}
		close(start)
		running.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		files := filesIn(t, out)
		require.Len(t, files, 2)
		require.NoError(t, need.RemoveAll(folder))
		require.NoError(t, os.Mkdir(folder, 0o700))
	}
}

// A file that replaced a folder of this run is not removed.
func TestAbandonTakesFoldersOnly(t *testing.T) {
	out := filepath.Join(need.Folder(t), "report")
	target := newTarget(out, diffSet)
	require.NoError(t, target.open())
	require.NoError(t, os.Remove(filepath.Join(out, "charts")))
	require.NoError(t, os.WriteFile(filepath.Join(out, "charts"), []byte("of another program"), 0o600))
	target.abandon()
	requireFiles(t, out, map[string]string{"charts": "of another program"})
}
