package terminal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// On a busy machine the announcement says that the run may take longer, and why.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loadavg")
	for content, want := range map[string]string{
		"0.10 0.20 0.30 1/334 12727\n":     `^$`,
		"9.10 4.20 3.30 9999/10012 1272\n": `^, or longer: 9998 other threads want the (\d+ CPUs|CPU)$`,
		"nonsense":                         `^$`,
		"":                                 `^$`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		require.Regexp(t, want, busy(path, 0), content)
	}
	require.NoError(t, os.WriteFile(path, []byte("9.10 4.20 3.30 9999/10012 1272\n"), 0o644))
	require.Regexp(t, "^ to 9s: 9998 other threads want the ", busy(path, 9*time.Second))
	require.Empty(t, busy(path+"-not-there", 0))
}
