package need

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Marked returns the live processes that have the text in their environment or their arguments, as "PID arguments".
func Marked(t testing.TB, text string) (found []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, folder := range processes {
		threads, _ := filepath.Glob(folder + "/task/*") // the first one can be a zombie, without both files
		for _, thread := range threads {
			environment, _ := os.ReadFile(thread + "/environ")
			arguments, _ := os.ReadFile(thread + "/cmdline")
			if strings.Contains(string(environment), text) || strings.Contains(string(arguments), text) {
				found = append(found, filepath.Base(folder)+" "+strings.ReplaceAll(string(arguments), "\x00", " "))
				break
			}
		}
	}
	return found
}
