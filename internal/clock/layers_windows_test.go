//go:build amd64 || arm64

package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
)

// The loops inside a read of QueryPerformanceCounter run by the convention of Windows. Wine does not say whether it reads the
// counter in user mode; without that they are no layers.
func TestLoopsOfTheCounter(t *testing.T) {
	steps, _ := byCounter(result.Never, "")
	require.NotEmpty(t, steps)
	for _, s := range steps {
		var failed error // the test ends on its own goroutine only
		require.NoError(t, thread.Run(thread.Any, func() {
			reader, err := s.Open()
			if failed = err; err == nil {
				reader.Spin(100)
				failed = Failure(reader)
			}
		}))
		require.NoError(t, failed, s.ID)
	}
}
