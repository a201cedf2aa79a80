package host

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
)

// tree makes a root folder whose /proc shows this process in the given control
// group and mounts, and returns it.
func tree(t *testing.T, cgroup, mountinfo string, limits map[string]string) string {
	t.Helper()
	root := rooted(t, limits)
	pid := strconv.Itoa(os.Getpid())
	writeFile(t, root, "proc/"+pid+"/cgroup", []byte(cgroup))
	writeFile(t, root, "proc/"+pid+"/mountinfo", []byte(mountinfo))
	require.NoError(t, os.Symlink(pid, filepath.Join(root, "proc/self")))
	return root
}

// The quota of a process is the lowest of its control groups, and its throttling is the throttling of the group that
// stood longest.
func TestControlGroups(t *testing.T) {
	const (
		v2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		v1 = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		pod                = "30 24 0:26 /kubepods/pod1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
		app, slice, inV1   = "sys/fs/cgroup/app/", "sys/fs/cgroup/slice/", "sys/fs/cgroup/cpu/app/"
		quotaUS, periodUS  = inV1 + "cpu.cfs_quota_us", inV1 + "cpu.cfs_period_us"
		maxInPod, statInV1 = "sys/fs/cgroup/cpu.max", inV1 + "cpu.stat"
	)
	type has = map[string]string
	for name, c := range map[string]struct {
		cgroup, mounts string
		files          has
		cpus           float64
		throttled      Throttling
	}{
		"version 2": {"0::/app\n", v2, has{app + "cpu.max": "150000 100000\n",
			app + "cpu.stat": "nr_periods 20\nnr_throttled 7\nthrottled_usec 1500\n"}, 1.5, Throttling{7, 1_500_000}},
		"no limit": {"0::/app\n", v2, has{app + "cpu.max": "max 100000\n",
			app + "cpu.stat": "nr_throttled 0\nthrottled_usec 0\n"}, 0, Throttling{}},
		"the parent's is tighter": {"0::/slice/app\n", v2, has{
			slice + "app/cpu.max": "400000 100000\n", slice + "cpu.max": "50000 100000\n",
			slice + "app/cpu.stat": "nr_throttled 1\nthrottled_usec 10\n",
			slice + "cpu.stat":     "nr_throttled 3\nthrottled_usec 900\n"}, 0.5, Throttling{3, 900_000}},
		"a container sees its own as the root": {"0::/kubepods/pod1\n", pod, has{maxInPod: "200000 100000"}, 2, Throttling{}},
		"version 1": {"4:cpu,cpuacct:/app\n3:memory:/x\n", v1, has{quotaUS: "25000\n", periodUS: "100000\n",
			statInV1: "nr_periods 9\nnr_throttled 4\nthrottled_time 123456\n"}, 0.25, Throttling{4, 123_456}},
		"version 1, no limit": {"4:cpu,cpuacct:/app\n", v1, has{quotaUS: "-1\n", periodUS: "100000\n"}, 0, Throttling{}},
		"nonsense": {"0::/app\n", v2, has{app + "cpu.max": "many few\n",
			app + "cpu.stat": "nr_throttled many\nthrottled_usec\n\n"}, 0, Throttling{}},
		"no files": {"0::/app\n", v2, nil, 0, Throttling{}},
	} {
		root := tree(t, c.cgroup, c.mounts, c.files)
		cpus, periodNS := quota(root)
		require.Equal(t, c.cpus, cpus, name)
		require.Equal(t, c.cpus > 0, periodNS == 100_000_000, name)
		require.Equal(t, c.throttled, Sighting{Throttled: throttled(root)}.Since(Sighting{}), name)
	}
	cpus, _ := quota(t.TempDir())
	require.Zero(t, cpus, "no /proc at all")
}

func TestCPUTimesOfProcStat(t *testing.T) {
	line := func(busy, steal float64) procfs.CPUStat {
		return procfs.CPUStat{User: busy - 0.75, Nice: 0.125, System: 0.25, IRQ: 0.125, SoftIRQ: 0.25, Idle: 9, Steal: steal}
	}
	machine := map[int64]procfs.CPUStat{0: line(1, 2), 1: line(3, 4), 2: line(5, 6), 3: line(7, 8)}
	for name, c := range map[string]struct {
		lines  map[int64]procfs.CPUStat
		usable []int
		want   map[int]CPUTime
	}{
		"all CPUs":         {machine, []int{0, 1, 2, 3}, map[int]CPUTime{0: {1, 2}, 1: {3, 4}, 2: {5, 6}, 3: {7, 8}}},
		"two by taskset":   {machine, []int{2, 3}, map[int]CPUTime{2: {5, 6}, 3: {7, 8}}},
		"one is offline":   {machine, []int{2, 3, 4, 5, 6}, map[int]CPUTime{2: {5, 6}, 3: {7, 8}}},
		"lxcfs":            {machine, []int{4, 5, 6, 7}, map[int]CPUTime{0: {1, 2}, 1: {3, 4}, 2: {5, 6}, 3: {7, 8}}},
		"lxcfs, overlaps":  {machine, []int{2, 3, 4, 5}, map[int]CPUTime{0: {1, 2}, 1: {3, 4}, 2: {5, 6}, 3: {7, 8}}},
		"lxcfs, a taskset": {machine, []int{6, 7}, map[int]CPUTime{}},
		"no CPUs":          {nil, []int{0, 1}, map[int]CPUTime{}},
	} {
		require.Equal(t, c.want, cpuTimes(c.lines, c.usable), name)
	}
}
