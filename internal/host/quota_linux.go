package host

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// A limit is CPU time in CPUs, and the period in nanoseconds over which it is
// counted; 0 where there is none.
type limit struct {
	cpus     float64
	periodNS int64
}

// quota returns the CPU time that control groups leave to this process, in
// CPUs, and the period over which it is counted; 0 where nothing limits it. The tightest limit on the way from the
// process's group up to the root counts: cpu.max of cgroups version 2,
// cpu.cfs_quota_us of version 1 (Documentation/admin-guide/cgroup-v2.rst and
// Documentation/scheduler/sched-bwc.rst of the kernel). root is "/", or a tree
// that a test made.
func quota(root string) (cpus float64, periodNS int64) {
	fs, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return 0, 0
	}
	self, err := fs.Self()
	if err != nil {
		return 0, 0
	}
	groups, err := self.Cgroups()
	if err != nil {
		return 0, 0
	}
	mounts, err := fs.GetProcMounts(self.PID)
	if err != nil {
		return 0, 0
	}
	var tightest limit
	for _, mount := range mounts {
		read := limitReaders[mount.FSType]
		if read == nil {
			continue
		}
		for _, group := range groups {
			if mount.FSType == "cgroup2" != (group.HierarchyID == 0) {
				continue
			}
			if mount.FSType == "cgroup" && (!slices.Contains(group.Controllers, "cpu") || !hasOption(mount, "cpu")) {
				continue
			}
			// A container sees its own group as the root of the mount.
			path := strings.TrimPrefix(group.Path, strings.TrimSuffix(mount.Root, "/"))
			for ; ; path = filepath.Dir(path) {
				found := read(filepath.Join(root, mount.MountPoint, path))
				if found.cpus > 0 && (tightest.cpus == 0 || found.cpus < tightest.cpus) {
					tightest = found
				}
				if path == "/" || path == "." || path == "" {
					break
				}
			}
		}
	}
	return tightest.cpus, tightest.periodNS
}

func hasOption(mount *procfs.MountInfo, name string) bool {
	_, ok := mount.SuperOptions[name]
	return ok
}

// limitReaders read the limit of one group's folder, by its file system.
var limitReaders = map[string]func(folder string) limit{
	"cgroup2": func(folder string) limit {
		fields := strings.Fields(readFile(folder, "cpu.max"))
		if len(fields) != 2 {
			return limit{}
		}
		return parseLimit(fields[0], fields[1])
	},
	"cgroup": func(folder string) limit {
		return parseLimit(readFile(folder, "cpu.cfs_quota_us"), readFile(folder, "cpu.cfs_period_us"))
	},
}

func readFile(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// parseLimit reads a quota and its period, both in microseconds. A quota of "max"
// or -1 is none.
func parseLimit(quota, period string) limit {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || q <= 0 {
		return limit{}
	}
	p, err := strconv.ParseInt(period, 10, 64)
	if err != nil || p <= 0 {
		return limit{}
	}
	return limit{cpus: q / float64(p), periodNS: p * 1000}
}
