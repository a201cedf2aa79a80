package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

// machine returns the vendor and product names of the DMI tables; nil without these tables, as on most Arm boards.
func machine(of reader) *result.Machine {
	found := result.Machine{
		Vendor:  of.name("sys/class/dmi/id/sys_vendor"),
		Product: of.name("sys/class/dmi/id/product_name"),
	}
	if found == (result.Machine{}) {
		return nil
	}
	return &found
}

// The namespaces of the machine itself: PROC_PID_INIT_INO and PROC_CGROUP_INIT_INO in include/linux/proc_ns.h.
const (
	initialPIDNamespace    = "pid:[4026531836]"
	initialCgroupNamespace = "cgroup:[4026531835]"
)

// container returns the kind of container that this process runs in, or "". Kubernetes sets a variable in every
// container, even if the container shares the PID namespace of its node. The image of a machine may contain the files
// of container engines, so these count only in another PID namespace. A distribution of WSL has its own namespaces, and
// is no container.
func container(root string, wsl int) string {
	if root == live && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return "kubernetes"
	}
	if !inNamespace(root, "pid", initialPIDNamespace) {
		return ""
	}
	if name := readName(root, "run/systemd/container"); name != "" {
		return name
	}
	for _, mark := range []struct{ file, name string }{{"run/.containerenv", "podman"}, {".dockerenv", "docker"}} {
		if _, err := os.Stat(filepath.Join(root, mark.file)); err == nil {
			return mark.name
		}
	}
	if wsl == 0 && inNamespace(root, "cgroup", initialCgroupNamespace) {
		return "unknown" // containerd leaves no mark, nor does LXC without systemd
	}
	return ""
}

// inNamespace returns whether this process is in another namespace of a kind than the machine itself; false if that is
// unknown.
func inNamespace(root, kind, initial string) bool {
	namespace, err := os.Readlink(filepath.Join(root, "proc/self/ns", kind))
	if err != nil {
		traceError(err)
		return false
	}
	return namespace != initial
}

// governors returns the cpufreq governors of the CPUs, each once and sorted; nil without cpufreq, as on most virtual
// machines. It does not use procfs, which reads all files of cpufreq: some take milliseconds.
func governors(root string) []string {
	cpus := filepath.Join(root, "sys/devices/system/cpu")
	entries, _ := os.ReadDir(cpus)
	var found []string
	for _, entry := range entries {
		name := readName(filepath.Join(cpus, entry.Name()), "cpufreq/scaling_governor")
		if name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// serviceManagers are programs that start services, by the folder that each makes at its start: sd_booted(3)
// for systemd.
var serviceManagers = []struct{ folder, name string }{
	{"run/systemd/system", "systemd"}, {"run/openrc", "openrc"}, {"run/runit", "runit"},
}

func serviceManager(root string) string {
	for _, known := range serviceManagers {
		if info, err := os.Lstat(filepath.Join(root, known.folder)); err == nil && info.IsDir() {
			return known.name
		}
	}
	return ""
}

// bootPrograms are programs that write the kernel command line, a distribution's recommended program before the
// programs that it builds on.
var bootPrograms = []string{
	"rpm-ostree", "transactional-update", "kernelstub", "grubby", "update-bootloader", "update-grub",
	"grub2-mkconfig", "grub-mkconfig",
}

func bootTools(root string) []string {
	var found []string
	for _, name := range bootPrograms {
		for _, folder := range []string{"usr/sbin", "usr/bin", "sbin", "bin"} {
			if _, err := os.Lstat(filepath.Join(root, folder, name)); err == nil {
				found = append(found, name)
				break
			}
		}
	}
	return found
}

// wsl returns the version of the Windows Subsystem for Linux; 0 outside of it. WSL 1 translates system calls, and
// reports Linux 4.4.0-19041-Microsoft. WSL 2 runs 5.15.90.1-microsoft-standard-WSL2, or a kernel of the user's own, but
// mounts /run/WSL.
func wsl(root, kernel string) int {
	const ownKernel = "run/WSL"
	_, err := os.Lstat(filepath.Join(root, ownKernel))
	switch {
	case strings.HasPrefix(kernel, "4.4.") && strings.HasSuffix(kernel, "-Microsoft"):
		return 1
	case err == nil || strings.Contains(strings.ToLower(kernel), "-microsoft-standard"):
		return 2
	default:
		return 0
	}
}
