//go:build linux

package wine

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// interruptedBy runs a long comparison that events of the console interrupt.
func interruptedBy(t *testing.T, events, folder string) ran {
	t.Helper()
	wine, exe := built(t)
	return run(t, folder, nil, wine, compiled(t, "ctrl"), "stderr.txt", events, exe,
		"compare", "time.Now@go", "QueryPerformanceCounter", "--threads", "1..64", "--throughput-time", "1s", "--out",
		"report")
}

// After Ctrl-C, Ctrl-Break, a closed console or the end of a session, the complete results are reported. The second
// event ends it at once, with status 0 under Wine. The last of three Ctrl-Cs is for a busy machine, on which the first
// two may come as one.
func TestEventsOfTheConsole(t *testing.T) {
	t.Parallel()
	for events, status := range map[string]int{"0": 130, "1": 130, "2": 143, "5": 143, "000": 130, "02": 143} {
		folder := t.TempDir()
		ended := interruptedBy(t, events, folder)
		require.Equal(t, status, ended.status, "%s: %s", events, ended.stderr)
		if len(events) > 1 {
			require.Empty(t, ended.stdout)
			require.NoDirExists(t, filepath.Join(folder, "report"))
			continue
		}
		require.Contains(t, ended.stdout, "the run was interrupted")
		document, err := sections.Load(filepath.Join(folder, "report"))
		require.NoError(t, err)
		require.True(t, document.Interrupted)
		require.FileExists(t, filepath.Join(folder, "report/report.html"))
	}
}
