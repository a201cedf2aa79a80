package host

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// quota returns the CPU time that control groups leave to this process, in
// CPUs; 0 where nothing limits it. The tightest limit on the way from the
// process's group up to the root counts: cpu.max of cgroups version 2,
// cpu.cfs_quota_us of version 1 (Documentation/admin-guide/cgroup-v2.rst and
// Documentation/scheduler/sched-bwc.rst of the kernel). root is "/", or a tree
// that a test made.
func quota(root string) float64 {
	fs, err := procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint))
	if err != nil {
		return 0
	}
	self, err := fs.Self()
	if err != nil {
		return 0
	}
	groups, err := self.Cgroups()
	if err != nil {
		return 0
	}
	mounts, err := fs.GetProcMounts(self.PID)
	if err != nil {
		return 0
	}
	tightest := 0.0
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
				limit := read(filepath.Join(root, mount.MountPoint, path))
				if limit > 0 && (tightest == 0 || limit < tightest) {
					tightest = limit
				}
				if path == "/" || path == "." || path == "" {
					break
				}
			}
		}
	}
	return tightest
}

func hasOption(mount *procfs.MountInfo, name string) bool {
	_, ok := mount.SuperOptions[name]
	return ok
}

// limitReaders read the limit of one group's folder, by its file system.
var limitReaders = map[string]func(folder string) float64{
	"cgroup2": func(folder string) float64 {
		fields := strings.Fields(readFile(folder, "cpu.max"))
		if len(fields) != 2 {
			return 0
		}
		return ratio(fields[0], fields[1])
	},
	"cgroup": func(folder string) float64 {
		return ratio(readFile(folder, "cpu.cfs_quota_us"), readFile(folder, "cpu.cfs_period_us"))
	},
}

func readFile(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// ratio is quota / period, or 0 where there is no limit ("max", -1).
func ratio(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || q <= 0 {
		return 0
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || p <= 0 {
		return 0
	}
	return q / p
}
