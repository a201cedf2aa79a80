package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

const (
	maySet    = "Name:\tx\nCapInh:\t0000000000000000\nCapEff:\t0000000002000400\n" // CAP_SYS_TIME and another one
	mayNotSet = "Name:\tx\nCapInh:\t0000000002000400\nCapEff:\t0000000000000400\n"
)

func TestTimeServices(t *testing.T) {
	root := rooted(t, map[string]string{
		"proc/1/comm": "systemd\n", "proc/1/status": maySet,
		"proc/400/comm": "chronyd\n", "proc/400/status": maySet,
		"proc/401/comm": "chronyd\n", "proc/401/status": mayNotSet, // its helper
		"proc/402/comm": "systemd-timesyn\n", "proc/402/status": maySet,
		"proc/403/comm": "chronyd\n", "proc/403/status": maySet, // a second one
		"proc/500/comm": "ntpd\n", "proc/500/status": mayNotSet, // somebody's own program
		"proc/501/comm": "phc2sys\n", "proc/501/status": "CapEff:\tzero\n",
		"proc/502/comm":  "htpdate\n",
		"proc/self/comm": "vmtoolsd\n", "proc/self/status": maySet, // a link to one of the others
		"sys/bus/vmbus/devices/a/class_id":                 hypervTimeSyncClass + "\n",
		"sys/bus/vmbus/devices/a/driver":                   "",
		"sys/module/hv_utils/parameters/timesync_implicit": "Y\n",
	})
	require.ElementsMatch(t, []result.TimeService{
		{Name: "chronyd"}, {Name: "systemd-timesyncd"}, {Name: "hyperv-timesync", Setting: "timesync_implicit=Y"},
	}, timeServices(root))
	require.NoError(t, os.Remove(filepath.Join(root, "sys/bus/vmbus/devices/a/driver")))
	require.Len(t, timeServices(root), 2, "a device without a driver does nothing")
	require.Empty(t, timeServices(t.TempDir()))
}

// Every program is found by its name in the kernel, which has at most 15 bytes.
func TestTimeProgramsHaveNamesOfTheKernel(t *testing.T) {
	for comm := range timePrograms {
		require.LessOrEqual(t, len(comm), 15, comm)
	}
}
