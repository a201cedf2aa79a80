package host

import (
	"iter"
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
	for version, folder := range cpuGroups(root) {
		if found, period := limitReaders[version](folder); found > 0 && (cpus == 0 || found < cpus) {
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

// cpuGroups returns the folders of the control groups that may limit the CPU time of this
// process, from its own up to the root, each with the name of its file system.
func cpuGroups(root string) iter.Seq2[string, string] {
	return func(yield func(version, folder string) bool) {
		groups, mounts, err := controlGroups(root)
		if err != nil {
			debuglog.Printf("host", "control groups: %v", err)
			return
		}
		for _, mount := range mounts {
			if limitReaders[mount.FSType] == nil {
				continue
			}
			for _, group := range groups {
				if mount.FSType == "cgroup2" != (group.HierarchyID == 0) {
					continue
				}
				_, ofCPU := mount.SuperOptions["cpu"]
				if mount.FSType == "cgroup" && (!slices.Contains(group.Controllers, "cpu") || !ofCPU) {
					continue
				}
				// A container sees its own group as the root of the mount.
				path := strings.TrimPrefix(group.Path, strings.TrimSuffix(mount.Root, "/"))
				for ; ; path = filepath.Dir(path) {
					if !yield(mount.FSType, filepath.Join(root, mount.MountPoint, path)) {
						return
					}
					if path == "/" || path == "." || path == "" {
						break
					}
				}
			}
		}
	}
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

// limitReaders read the limit of a control group from its folder, by file system.
var limitReaders = map[string]func(folder string) (cpus float64, periodNS int64){
	"cgroup2": func(folder string) (cpus float64, periodNS int64) {
		quota, period, _ := strings.Cut(readFile(folder, "cpu.max"), " ")
		return parseLimit(quota, period)
	},
	"cgroup": func(folder string) (cpus float64, periodNS int64) {
		return parseLimit(readFile(folder, "cpu.cfs_quota_us"), readFile(folder, "cpu.cfs_period_us"))
	},
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
