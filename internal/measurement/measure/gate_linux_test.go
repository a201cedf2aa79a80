package measure

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A worker process that gets no CPU, here because it is stopped, ends the run, which keeps its figures. It is the
// first: on a busy machine the other may be late too, and the error names the first.
func TestProcessThatIsStoppedIsAnErrorAndNotAHang(t *testing.T) {
	need.Processes(t)
	team, err := newProcesses(2)
	require.NoError(t, err)
	defer team.close()
	team.(*processes).workers[0].Signal(unix.SIGSTOP)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // open does not wait for it
	require.Equal(t, &failure{"worker process 0 got no time for 200 ms", theRun},
		pass(ctx, team, clock.Default()[0], 200*time.Millisecond, quick(1).affinities(2)...))
}
