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

// Runs into one folder that is not there yet do not get in each other's way: neither those that
// make it, nor those that take away what they made.
func TestTargetsInOneNewFolder(t *testing.T) {
	for range 200 {
		folder := need.Folder(t)
		out := filepath.Join(folder, "above", "report")
		errs := make([]error, 8)
		start := make(chan struct{})
		var running sync.WaitGroup
		for i := range errs {
			running.Go(func() {
				target := newTarget(out, difference)
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

// What stands by now in a name of a folder that this run made is not this run's.
func TestAbandonTakesFoldersOnly(t *testing.T) {
	out := filepath.Join(need.Folder(t), "report")
	target := newTarget(out, difference)
	require.NoError(t, target.open())
	require.NoError(t, os.Remove(filepath.Join(out, "charts")))
	require.NoError(t, os.WriteFile(filepath.Join(out, "charts"), []byte("somebody's"), 0o600))
	target.abandon()
	requireFiles(t, out, map[string]string{"charts": "somebody's"})
}
