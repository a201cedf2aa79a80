package render

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/test/need"
)

// Prometheus accepts the metrics of every document.
func TestPromtoolAcceptsMetrics(t *testing.T) {
	need.Processes(t)
	promtool := need.Program(t, "promtool")
	documents := map[string]*result.Document{
		"fixed": fixed(), "trusted": trusted(), "mistrusted": mistrusted(), "empty": {}, "no clock": checked(0),
		"findings": checked(1, slow, unsure, small),
		"hostile":  hostile(t, whole(mistrusted()), before(evil)),
	}
	for name, d := range documents {
		var out bytes.Buffer
		require.NoError(t, DoctorPrometheus(&out, d), name)
		command := exec.Command(promtool, "check", "metrics")
		command.Stdin = &out
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, said)
		require.Empty(t, string(said), name)
	}
}
