package watch

import (
	"bytes"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/test/need"
)

// Prometheus reads the metrics in every state.
func TestPromtoolAcceptsMetrics(t *testing.T) {
	need.Processes(t)
	promtool := need.Program(t, "promtool")
	for name, s := range map[string]*State{
		"nothing":  {},
		"a change": {QuietNS: map[string]float64{"a\"\n\\b@vdso": 2, "\xff": 1e-300}, TimeSync: &result.TimeSync{Synchronised: true, MaxErrorNS: 16e9}, Turns: 1 << 60, StallSeconds: 1e9, Started: time.Now(), Events: map[string]int64{Stall: 3}},
	} {
		var out bytes.Buffer
		require.NoError(t, exposition.Write(&out, s.Metrics()), name)
		command := exec.Command(promtool, "check", "metrics")
		command.Stdin = &out
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, said)
		require.Empty(t, string(said), name)
	}
}
