package host

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree makes a root folder whose /proc shows this process in the given control
// group and mounts, and returns it.
func tree(t *testing.T, cgroup, mountinfo string, limits map[string]string) string {
	t.Helper()
	root := folder(t, limits)
	pid := strconv.Itoa(os.Getpid())
	writeFile(t, root, "proc/"+pid+"/cgroup", []byte(cgroup))
	writeFile(t, root, "proc/"+pid+"/mountinfo", []byte(mountinfo))
	require.NoError(t, os.Symlink(pid, filepath.Join(root, "proc/self")))
	return root
}

const (
	mountV2  = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	mountV1  = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	mountPod = "30 24 0:26 /kubepods/pod1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
)

func TestQuota(t *testing.T) {
	for name, c := range map[string]struct {
		cgroup, mounts string
		limits         map[string]string
		want           float64
	}{
		"version 2": {"0::/app\n", mountV2, map[string]string{"sys/fs/cgroup/app/cpu.max": "150000 100000\n"}, 1.5},
		"no limit":  {"0::/app\n", mountV2, map[string]string{"sys/fs/cgroup/app/cpu.max": "max 100000\n"}, 0},
		"the parent's is tighter": {"0::/slice/app\n", mountV2, map[string]string{
			"sys/fs/cgroup/slice/app/cpu.max": "400000 100000\n", "sys/fs/cgroup/slice/cpu.max": "50000 100000\n"}, 0.5},
		"a container sees its group as the root": {"0::/kubepods/pod1\n", mountPod, map[string]string{"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		"version 1": {"4:cpu,cpuacct:/app\n3:memory:/x\n", mountV1, map[string]string{
			"sys/fs/cgroup/cpu/app/cpu.cfs_quota_us": "25000\n", "sys/fs/cgroup/cpu/app/cpu.cfs_period_us": "100000\n"}, 0.25},
		"version 1 without a limit": {"4:cpu,cpuacct:/app\n", mountV1, map[string]string{
			"sys/fs/cgroup/cpu/app/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/app/cpu.cfs_period_us": "100000\n"}, 0},
		"nonsense": {"0::/app\n", mountV2, map[string]string{"sys/fs/cgroup/app/cpu.max": "many few\n"}, 0},
		"no files": {"0::/app\n", mountV2, nil, 0},
	} {
		cpus, periodNS := quota(tree(t, c.cgroup, c.mounts, c.limits))
		require.Equal(t, c.want, cpus, name)
		require.Equal(t, c.want > 0, periodNS == 100_000_000, name)
	}
	cpus, _ := quota(t.TempDir())
	require.Zero(t, cpus, "no /proc at all")
}

func TestThrottled(t *testing.T) {
	for name, c := range map[string]struct {
		cgroup, mounts string
		stats          map[string]string
		periods, ns    int64
	}{
		"version 2": {"0::/app\n", mountV2, map[string]string{
			"sys/fs/cgroup/app/cpu.stat": "usage_usec 5\nnr_periods 20\nnr_throttled 7\nthrottled_usec 1500\n"}, 7, 1_500_000},
		"the parent stood longer": {"0::/slice/app\n", mountV2, map[string]string{
			"sys/fs/cgroup/slice/app/cpu.stat": "nr_throttled 1\nthrottled_usec 10\n",
			"sys/fs/cgroup/slice/cpu.stat":     "nr_throttled 3\nthrottled_usec 900\n"}, 3, 900_000},
		"version 1": {"4:cpu,cpuacct:/app\n", mountV1, map[string]string{
			"sys/fs/cgroup/cpu/app/cpu.stat": "nr_periods 9\nnr_throttled 4\nthrottled_time 123456\n"}, 4, 123_456},
		"never":    {"0::/app\n", mountV2, map[string]string{"sys/fs/cgroup/app/cpu.stat": "nr_throttled 0\nthrottled_usec 0\n"}, 0, 0},
		"nonsense": {"0::/app\n", mountV2, map[string]string{"sys/fs/cgroup/app/cpu.stat": "nr_throttled many\nthrottled_usec\n\n"}, 0, 0},
		"no files": {"0::/app\n", mountV2, nil, 0, 0},
	} {
		withheld := Sighting{Throttled: throttled(tree(t, c.cgroup, c.mounts, c.stats))}.Since(Sighting{})
		require.Equal(t, Throttling{c.periods, c.ns}, withheld, name)
	}
}

func TestClockSourceIsWhatTheKernelSays(t *testing.T) {
	current, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		require.Nil(t, clockSource(below(live)))
		return
	}
	source := clockSource(below(live))
	require.Equal(t, string(current), source.Current+"\n")
	require.Contains(t, source.Available, source.Current)
}
