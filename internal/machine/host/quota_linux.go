package host

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// quota returns the CPU quota of this process in CPUs, and its period in nanoseconds; 0 without a quota. It is the
// lowest limit of the control groups from the process up to the root: cpu.max in cgroups version 2, cpu.cfs_quota_us in
// version 1 (Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst in the kernel source).
// root is "/", or the tree of a test.
func quota(root string) (cpus float64, periodNS int64) {
	for _, folder := range cpuGroups(root) {
		limit, period, _ := strings.Cut(readFile(folder, "cpu.max"), " ")
		if limit == "" {
			limit, period = readFile(folder, "cpu.cfs_quota_us"), readFile(folder, "cpu.cfs_period_us")
		}
		if found, period := parseLimit(limit, period); found > 0 && (cpus == 0 || found < cpus) {
			cpus, periodNS = found, period
		}
	}
	return cpus, periodNS
}

// throttled returns how much the quotas have throttled the control groups of this process, by
// group: nr_throttled in cpu.stat, and throttled_usec (version 2) or throttled_time (version
// 1, in nanoseconds).
func throttled(root string) map[string]Throttling {
	groups := map[string]Throttling{}
	for _, folder := range cpuGroups(root) {
		of := map[string]int64{}
		for line := range strings.Lines(readFile(folder, "cpu.stat")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				of[name] = n
			}
		}
		if periods := of["nr_throttled"]; periods > 0 {
			groups[folder] = Throttling{Periods: periods, NS: of["throttled_usec"]*1000 + of["throttled_time"]}
		}
	}
	return groups
}

// cpuGroups returns the folders of the control groups that may limit the CPU time of this process, from its own up to
// the root.
func cpuGroups(root string) (folders []string) {
	groups, mounts, err := controlGroups(root)
	if err != nil {
		debuglog.Printf("host", "control groups: %v", err)
		return nil
	}
	for _, mount := range mounts {
		_, ofCPU := mount.SuperOptions["cpu"]
		for _, group := range groups {
			first := mount.FSType == "cgroup" && ofCPU && slices.Contains(group.Controllers, "cpu")
			second := mount.FSType == "cgroup2" && group.HierarchyID == 0
			if !first && !second {
				continue
			}
			// A container sees its own group as the root of the mount.
			path := strings.TrimPrefix(group.Path, strings.TrimSuffix(mount.Root, "/"))
			for ; ; path = filepath.Dir(path) {
				folders = append(folders, filepath.Join(root, mount.MountPoint, path))
				if path == "/" || path == "." || path == "" {
					break
				}
			}
		}
	}
	return folders
}

func controlGroups(root string) ([]procfs.Cgroup, []*procfs.MountInfo, error) {
	fs, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return nil, nil, err
	}
	self, err := fs.Self()
	if err != nil {
		return nil, nil, err
	}
	groups, err := self.Cgroups()
	if err != nil {
		return nil, nil, err
	}
	mounts, err := fs.GetProcMounts(self.PID)
	return groups, mounts, err
}

// parseLimit parses a quota and its period, both in microseconds. "max" and -1 mean no quota.
func parseLimit(quota, period string) (cpus float64, periodNS int64) {
	q, err := strconv.ParseFloat(quota, 64)
	p, errPeriod := strconv.ParseInt(period, 10, 64)
	if err != nil || q <= 0 || errPeriod != nil || p <= 0 {
		return 0, 0
	}
	return q / float64(p), p * 1000
}
